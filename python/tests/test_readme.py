"""What the README shows is what happens."""

import re
from collections.abc import Iterator

import pytest
from conftest import ROOT
from pyspark.sql import SparkSession

from tally_spark import LocalCluster

ENDPOINTS = "spark.datasource.tally.endpoints"


@pytest.fixture
def own_endpoints(spark: SparkSession, cluster: LocalCluster) -> Iterator[None]:
    """The program finds the session that is there already, and leaves its nodes in it."""
    yield
    spark.conf.set(ENDPOINTS, cluster.endpoints)


@pytest.mark.usefixtures("own_endpoints")
def test_the_program_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "python/README.md").read_text(), re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(program, {})
    printed = capsys.readouterr().out
    assert re.search(r"^0 +ORD +\d+$", printed, re.MULTILINE), printed
    assert "Received(rows=" in printed
