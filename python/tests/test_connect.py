"""Spark Connect: a server that has the jar serves clients that know nothing of Tally."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from conftest import ROOT
from pandas.testing import assert_frame_equal
from pyspark.sql import SparkSession
from pyspark.sql.pandas.functions import pandas_udf
from support import GROUPS, ROWS, assert_same

from tally_spark import LocalCluster
from tally_spark.places import connector_jar

PATIENCE_SECONDS = 200
STARTED = re.compile(r"Spark Connect server started at: .*:(\d+)")
CONSTANTS = """
    SELECT origin, count(DISTINCT 5) AS fives FROM {table} GROUP BY origin
    UNION ALL SELECT 'all', count(DISTINCT 5) FROM {table}
    UNION ALL SELECT 'none', count(DISTINCT 5) FROM {table} WHERE distance < 0
    ORDER BY origin
"""
HOURS = "SELECT date, delay, hours(delay) AS hours FROM {table} WHERE delay > 600 ORDER BY ALL"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server with the connector's jar."""
    command = ["spark-submit", "--master", "local[2]"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += ["--jars", str(connector_jar()), "--driver-memory", "1g"]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "INFO",
    }
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    output: list[str] = []
    with subprocess.Popen(
        [*command, "spark-internal"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        limit = threading.Timer(PATIENCE_SECONDS, process.kill)
        limit.start()
        try:
            for line in process.stdout:
                output.append(line)
                if started := STARTED.search(line):
                    break
            else:
                pytest.fail("The server has not started:\n" + "".join(output))
            limit.cancel()
            threading.Thread(target=output.extend, args=(process.stdout,), daemon=True).start()
            yield f"sc://127.0.0.1:{started.group(1)}"
        finally:
            limit.cancel()
            process.terminate()
            process.wait(PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def client_python() -> Path:
    """A Python that has pyspark-client instead of pyspark."""
    files = [ROOT / "python" / name for name in ("environment.py", "requirements-connect.txt", "requirements.txt")]
    found = subprocess.run([sys.executable, *files], stdout=subprocess.PIPE, check=True, text=True)
    return Path(found.stdout.strip()) / "bin/python"


def test_a_client_gets_what_spark_alone_gives(
    server: str, client_python: Path, cluster: LocalCluster, spark: SparkSession, tmp_path: Path
) -> None:
    queries = {"rows": ROWS, "groups": GROUPS, "constants": CONSTANTS, "hours": HOURS}
    tallied = {name: query.format(table="tallied") for name, query in queries.items()}
    order = {
        "remote": server,
        "options": cluster.options("flights"),
        "queries": tallied | {"plan": "EXPLAIN " + tallied["constants"]},
        "folder": str(tmp_path),
    }
    client = [client_python, Path(__file__).with_name("connect_client.py")]
    run = subprocess.run(
        client, input=json.dumps(order), stderr=subprocess.PIPE, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert run.returncode == 0, run.stderr

    @pandas_udf("double")  # type: ignore[call-overload,untyped-decorator]  # its types know no type hints
    def hours(minutes: pd.Series) -> pd.Series:
        return minutes / 60

    spark.udf.register("hours", hours)
    for name, query in queries.items():
        plain = spark.sql(query.format(table="plain"))
        with pa.ipc.open_file(tmp_path / f"{name}.arrow") as reader:
            assert_same(reader.read_all(), plain.toArrow())
        assert_frame_equal(pd.read_pickle(tmp_path / f"{name}.pickle"), plain.toPandas(), check_exact=True)
    # Spark offers these as COUNT(*); nodes count them only if the server has found the optimizer rules in the jar.
    fives = pd.read_pickle(tmp_path / "constants.pickle").set_index("origin")["fives"]
    assert fives.pop("none") == 0
    assert set(fives) == {1}
    plan = pd.read_pickle(tmp_path / "plan.pickle").iloc[0, 0]
    assert plan.count("PushedAggregates: [COUNT(*)]") == 3, plan
