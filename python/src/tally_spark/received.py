"""Takes a query that has run and tells what it has brought from nodes: the numbers that Spark's UI shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Received:
    """What all Tally scans of one query have brought."""

    rows: int
    """Rows that crossed the network."""
    bytes: int
    """Bytes of Arrow data that crossed the network."""
    rows_scanned: int
    """Rows that the nodes looked at."""
    scans: tuple[str, ...]
    """A line for each scan: what was pushed down to the nodes, and what was not and why."""


def received(query: DataFrame) -> Received:
    """Reads the metrics of a query after ``collect()`` on this very DataFrame; each further run adds to them.

    Of what was cached, these are the numbers of filling the cache. ``INSERT INTO`` counts, but not
    ``CREATE TABLE … AS SELECT``, whose query Spark runs out of sight. Not with Spark Connect, whose clients do not see
    plans of the server.
    """
    scans = list(_scans(query._jdf.queryExecution().executedPlan()))

    def total(metric: str) -> int:
        return sum(int(scan.metrics().apply(metric).value()) for scan in scans)

    return Received(
        rows=total("tallyRowsReceived"),
        bytes=total("tallyBytesReceived"),
        rows_scanned=total("tallyRowsScanned"),
        scans=tuple(str(scan.scan().description()) for scan in scans),
    )


def _scans(plan: Any) -> Iterator[Any]:  # noqa: ANN401 - a Java object
    """Looks also into the stages of adaptive execution, subqueries, commands, and what was cached."""
    kind = plan.getClass().getSimpleName()
    if kind == "BatchScanExec" and plan.scan().getClass().getName().startswith("io.tally."):
        yield plan
    if kind == "AdaptiveSparkPlanExec":
        inner = [plan.executedPlan()]
    elif kind.endswith("QueryStageExec"):
        inner = [plan.plan()]
    elif kind == "InMemoryTableScanExec":
        inner = [plan.relation().cachedPlan()]
    elif kind == "CommandResultExec":
        inner = [plan.commandPhysicalPlan()]
    else:
        inner = [*_items(plan.children()), *_items(plan.subqueries())]
    for each in inner:
        yield from _scans(each)


def _items(sequence: Any) -> Iterator[Any]:  # noqa: ANN401 - a Scala sequence
    for index in range(sequence.size()):
        yield sequence.apply(index)
