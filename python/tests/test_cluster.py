"""Nodes serve the files that they are given, and none is left behind, whatever happens."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tally_spark import LocalCluster, NodeStartError, local_cluster

PATIENCE_SECONDS = 60


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the clusters of a test have their folders."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def listens(address: str) -> bool:
    """Whether anything listens there."""
    host, port = address.rsplit(":", 1)
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) == 0


def test_files_are_dealt_out_in_order(spark: SparkSession, cluster: LocalCluster) -> None:
    table = spark.read.format("tally").options(**cluster.options("flights")).load()
    nodes = table.groupBy("_node", "_partition").count()
    found = sorted((row["_node"], row["_partition"]) for row in nodes.collect())
    assert found == [
        ("node-1", "2001-01"),
        ("node-1", "2001-02"),
        ("node-2", "2001-03"),
        ("node-2", "2001-04"),
        ("node-3", "2001-05"),
        ("node-3", "2001-06"),
    ]


def test_own_files_of_several_kinds_and_equal_names(spark: SparkSession, tmp_path: Path) -> None:
    files = [tmp_path / "a/x.csv", tmp_path / "b/x.csv", tmp_path / "ünder [1].ndjson"]
    contents = ["n,s\n1,eins\n2,zwei\n", "n,s\n3,drei\n", json.dumps({"n": 4, "s": "vier"})]
    for file, content in zip(files, contents, strict=True):
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")
    with local_cluster({"numbers": files[:2], "more": files[2]}, nodes=2) as cluster:
        rows = spark.read.format("tally").options(**cluster.options("numbers")).load().orderBy("n").collect()
        assert [tuple(row) for row in rows] == [(1, "eins"), (2, "zwei"), (3, "drei")]
        more = spark.read.format("tally").options(**cluster.options("more")).load().collect()
        assert [tuple(row) for row in more] == [(4, "vier")]


def test_names_may_hold_any_letter(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [
        "a b",
        "q\"uo'te",
        "new\nline",
        "h#ash",
        "${HOME}",
        "$${x}",
        "-dash",
        " ",
        "nel\u0085",
        "del\x7f",
        "ü😀\u2028",
    ]
    folder = tmp_path / "a 'folder' ${x}"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    files = [folder / f"{name}.csv" for name in names]
    for number, file in enumerate(files):
        file.write_text(f"n\n{number}\n")
    with local_cluster({"${all}": files, "one\u0085\x7f": files[0]}, nodes=1) as cluster:
        rows = (
            spark.read.format("tally").options(**cluster.options("${all}")).load().select("n", "_partition").collect()
        )
        assert sorted(map(tuple, rows)) == list(enumerate(names))
        assert spark.read.format("tally").options(**cluster.options("one\u0085\x7f")).load().count() == 1
    assert {file.suffix for file in folder.iterdir()} == {".csv"}


def test_fewer_files_than_nodes_and_links(tmp_path: Path) -> None:
    (tmp_path / "blob").write_text("n\n1\n")
    (tmp_path / "linked.csv").symlink_to("blob")
    with local_cluster({"numbers": tmp_path / "linked.csv"}) as cluster:
        assert listens(cluster.endpoints)


def test_a_node_that_is_killed_is_missed_without_a_word(
    flights: list[Path], scratch: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with local_cluster({"flights": flights[:2]}, nodes=2) as cluster:
        keeper = cluster._nodes["node-1"]
        children = Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children").read_text()
        os.kill(int(children), signal.SIGKILL)
        keeper.wait(PATIENCE_SECONDS)
        assert listens(cluster.endpoints.split(",")[1])
        assert "node-1 listens" in cluster.logs()
    assert capfd.readouterr() == ("", "")
    assert list(scratch.iterdir()) == []


def test_nodes_stop_behind_a_block_that_fails(flights: list[Path], scratch: Path) -> None:
    class BlockError(Exception):
        pass

    def fail() -> None:
        with local_cluster({"flights": flights[:1]}, nodes=1) as cluster:
            started.append(cluster)
            assert listens(cluster.endpoints)
            assert "node-1" in cluster.logs()
            raise BlockError

    started: list[LocalCluster] = []
    with pytest.raises(BlockError):
        fail()
    assert not listens(started[0].endpoints)
    assert list(scratch.iterdir()) == []
    started[0].stop()


def test_a_node_that_does_not_start_shows_its_log_and_the_others_stop(flights: list[Path], scratch: Path) -> None:
    broken = scratch.parent / "broken.parquet"
    broken.write_text("This is no Parquet.")
    with pytest.raises(NodeStartError, match=r"(?s)node-2 has ended.*broken\.parquet"):
        local_cluster({"flights": [flights[0], broken]}, nodes=2)
    assert list(scratch.iterdir()) == []


def test_a_machine_without_java_is_told_so(flights: list[Path], scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(NodeStartError, match=r"JAVA_HOME is /nowhere, but .* set JAVA_HOME to a Java of version 17"):
        local_cluster({"flights": flights}, nodes=1)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("files", [["missing.parquet"], "missing.parquet"])
def test_a_file_that_is_not_there_is_named(files: list[str] | str, scratch: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.parquet"):
        local_cluster({"flights": files})
    assert list(scratch.iterdir()) == []


def test_what_cannot_be_is_refused(tmp_path: Path, scratch: Path) -> None:
    text = tmp_path / "a.txt"
    text.touch()
    with pytest.raises(ValueError, match=r"a\.txt does not end in one of \.parquet"):
        local_cluster({"flights": text})
    with pytest.raises(ValueError, match="there must be one at least"):
        local_cluster({}, nodes=0)
    with pytest.raises(ValueError, match="there is no table"):
        local_cluster({})
    with pytest.raises(ValueError, match="table 'flights' has no files"):
        local_cluster({"flights": []})
    with pytest.raises(ValueError, match=r"is a folder; name the files in it"):
        local_cluster({"flights": tmp_path})
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("end", "before"),
    [
        (signal.SIGKILL, ""),
        (signal.SIGTERM, ""),
        # A process that was forked lives on; it neither ends nodes nor keeps them.
        (signal.SIGKILL, "if os.fork() == 0: cluster.stop(); os.close(1); sys.stdin.read(); os._exit(0)"),
    ],
)
def test_nodes_stop_when_their_python_is_ended(
    end: signal.Signals, before: str, flights: list[Path], scratch: Path
) -> None:
    program = (
        "import os, sys, tally_spark\n"
        "cluster = tally_spark.local_cluster({'flights': sys.argv[1:]}, nodes=2)\n"
        f"{before}\n"
        "print(cluster.endpoints, flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, *map(str, flights[:2])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as python:
        # The keepers have it too: it ends with the last of them.
        assert python.stdout is not None
        limit = threading.Timer(PATIENCE_SECONDS, python.kill)
        limit.start()
        addresses = python.stdout.readline().strip().split(",")
        limit.cancel()
        assert len(addresses) == 2
        assert all(map(listens, addresses))
        python.send_signal(end)
        late = threading.Thread(target=python.stdout.read, daemon=True)
        late.start()
        late.join(PATIENCE_SECONDS)
        assert not late.is_alive(), "the keepers have not ended"
    assert not any(map(listens, addresses))
    assert list(scratch.iterdir()) == []
