"""What all tests share: the flights on three nodes, and a Spark that knows Tally."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tally_spark import LocalCluster, configure, local_cluster

ROOT = Path(__file__).resolve().parents[2]
FLIGHTS = sorted((ROOT / "examples/data/flights").glob("*.parquet"))


def pytest_configure() -> None:
    """Lets fixtures stop what they started also when the tests are asked to end."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def flights() -> list[Path]:
    """The files of the six months."""
    assert len(FLIGHTS) == 6
    return FLIGHTS


@pytest.fixture(scope="session")
def cluster(flights: list[Path]) -> Iterator[LocalCluster]:
    """Three nodes with the flights of two months each."""
    with local_cluster({"flights": flights}) as running:
        yield running


@pytest.fixture(scope="session")
def spark(
    cluster: LocalCluster, flights: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A session with the views `tallied`, over the nodes, and `plain`, which is Spark alone over the same files."""
    builder = SparkSession.Builder().master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    session = configure(builder, {"endpoints": cluster.endpoints}).getOrCreate()
    session.read.format("tally").option("table", "flights").load().createTempView("tallied")
    session.read.parquet(*map(str, flights)).createTempView("plain")
    yield session
    session.stop()
