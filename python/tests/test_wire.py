"""The wire is open: a client that knows the .proto files and Arrow alone gets its answer, and knows it to be whole."""

import io
import queue
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import grpc
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from grpc_tools import protoc

from tally_spark import LocalCluster

PROTOS = ROOT / "rpc-protocol/src/main/proto"
PATIENCE_SECONDS = 60
WINDOW = 4
BATCH_BYTES = 4_096
MAX_ROW_BYTES = 1 << 20
FAR_MILES = 1_000


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Messages of the protocol, generated here and now."""
    folder = tmp_path_factory.mktemp("generated")
    files = [str(each.relative_to(PROTOS)) for each in sorted(PROTOS.rglob("*.proto"))]
    assert protoc.main(["protoc", f"-I{PROTOS}", f"--python_out={folder}", f"--grpc_python_out={folder}", *files]) == 0
    sys.path.insert(0, str(folder))
    yield import_module("tally.v1.partition_service_pb2")
    sys.path.remove(str(folder))


@dataclass
class Scan:
    """What came of one scan."""

    schema: bytes = b""
    batches: list[bytes] = field(default_factory=list)
    rows: int = 0
    body_bytes: int = 0
    end: Any = None

    def table(self) -> pa.Table:
        """The concatenation of what came is an Arrow IPC stream."""
        with pa.ipc.open_stream(io.BytesIO(b"".join([self.schema, *self.batches]))) as reader:
            return reader.read_all()


def service(channel: grpc.Channel) -> Any:  # noqa: ANN401 - generated
    return import_module("tally.v1.partition_service_pb2_grpc").PartitionServiceStub(channel)


def scan(wire: ModuleType, address: str, opening: Any) -> Scan:  # noqa: ANN401 - generated
    """Opens it with a window of credits, gives one back for each batch, and checks what the node may and must send."""
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    requests.put(wire.ScanRequest(open=opening))
    requests.put(wire.ScanRequest(next=wire.Next(credits=WINDOW)))
    granted = WINDOW
    found = Scan()
    with grpc.insecure_channel(address) as channel:
        call = service(channel).Scan(iter(requests.get, None), timeout=PATIENCE_SECONDS)
        for response in call:
            kind = response.WhichOneof("event")
            assert found.end is None, f"{kind} behind End"
            if kind == "opened":
                assert response.opened.applied.predicate
                assert response.opened.applied.aggregation
                found.schema = response.opened.arrow_schema
            elif kind == "batch":
                assert response.batch.sequence == len(found.batches)
                assert len(found.batches) < granted, "more batches than credits"
                assert len(response.body) <= BATCH_BYTES
                found.batches.append(response.batch.header + response.body)
                found.rows += response.batch.rows
                found.body_bytes += len(response.body)
                requests.put(wire.ScanRequest(next=wire.Next(credits=1, acknowledged=len(found.batches))))
                granted += 1
            elif kind == "end":
                found.end = response.end
                requests.put(None)
        assert call.code() is grpc.StatusCode.OK
    return found


def describe(wire: ModuleType, address: str, table: str) -> Any:  # noqa: ANN401 - generated
    with grpc.insecure_channel(address) as channel:
        return service(channel).DescribeTable(wire.DescribeTableRequest(table=table), timeout=PATIENCE_SECONDS)


def far_flights_by_route(wire: ModuleType, described: Any) -> Any:  # noqa: ANN401 - generated
    """SELECT origin, destination, count(*), sum(delay), max(date) … WHERE distance > 1000 GROUP BY 1, 2."""
    expressions = import_module("tally.v1.expression_pb2")

    def column(name: str) -> Any:  # noqa: ANN401 - generated
        return expressions.Expression(column=name)

    types = {pa.int16(): "SMALLINT", pa.int32(): "INTEGER", pa.int64(): "BIGINT"}
    schema = pa.ipc.read_schema(pa.py_buffer(described.arrow_schema))
    kind = expressions.DataType.Kind.Value(types[schema.field("distance").type])
    far = expressions.Literal(type=expressions.DataType(kind=kind), integer=FAR_MILES)
    comparison = [column("distance"), expressions.Expression(literal=far)]
    return wire.Open(
        scan_id=str(uuid.uuid4()),
        table=described.table,
        layout_version=described.layout_version,
        partitions=[wire.ScanPartition(id=each.id) for each in described.partitions],
        predicate=expressions.Expression(call=expressions.Call(function="gt", arguments=comparison)),
        aggregation=wire.Aggregation(
            group_by=[column("origin"), column("destination")],
            aggregates=[
                wire.AggregateCall(function="count_all"),
                wire.AggregateCall(function="sum", arguments=[column("delay")]),
                wire.AggregateCall(function="max", arguments=[column("date")]),
            ],
        ),
        max_batch_bytes=BATCH_BYTES,
        max_row_bytes=MAX_ROW_BYTES,
    )


def test_tallies_of_all_nodes_add_up(wire: ModuleType, cluster: LocalCluster, flights: list[Path]) -> None:
    answers = []
    for address in cluster.endpoints.split(","):
        described = describe(wire, address, "flights")
        answer = scan(wire, address, far_flights_by_route(wire, described))
        assert len(answer.batches) > 2 * WINDOW, "credits were not needed"
        assert answer.end.batches == len(answer.batches)
        assert answer.end.rows == answer.rows
        assert answer.end.body_bytes == answer.body_bytes
        assert answer.end.rows_scanned == sum(each.rows for each in described.partitions)
        table = answer.table()
        assert table.num_rows == answer.rows
        answers.append(table)
    keys = ["k0", "k1"]
    merged = pa.concat_tables(answers).group_by(keys).aggregate([("a0", "sum"), ("a1", "sum"), ("a2", "max")])
    assert merged.num_rows < sum(each.num_rows for each in answers), "no route is on two nodes"
    found = sorted(zip(*(merged[name].to_pylist() for name in [*keys, "a0_sum", "a1_sum", "a2_max"]), strict=True))

    plain = pa.concat_tables(pq.read_table(file) for file in flights)
    far = plain.filter(pc.field("distance") > FAR_MILES).group_by(["origin", "destination"])
    wanted = far.aggregate([([], "count_all"), ("delay", "sum"), ("date", "max")])
    names = ["origin", "destination", "count_all", "delay_sum", "date_max"]
    assert found == sorted(zip(*(wanted[name].to_pylist() for name in names), strict=True))


def test_an_error_says_what_is_wrong(wire: ModuleType, cluster: LocalCluster) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        describe(wire, cluster.endpoints.split(",")[0], "fligths")
    assert failure.value.code() is grpc.StatusCode.NOT_FOUND
    metadata = dict(failure.value.trailing_metadata())
    detail = wire.ErrorDetail.FromString(metadata["tally-error-bin"])
    assert detail.code == wire.TABLE_NOT_FOUND
    assert not detail.retryable
    assert "fligths" in detail.message
