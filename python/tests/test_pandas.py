"""What Python's users do with a Tally table gives what Spark alone gives over the same files."""

from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.functions import pandas_udf
from support import GROUPS, ROWS, assert_same, both

from tally_spark import received


@pytest.mark.parametrize("query", [ROWS, GROUPS])
@pytest.mark.parametrize("arrow", ["true", "false"])
def test_to_pandas(spark: SparkSession, query: str, arrow: str) -> None:
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", arrow)
    tallied, plain = both(spark, query)
    frame = tallied.toPandas()
    assert len(frame) > 100
    assert_frame_equal(frame, plain.toPandas(), check_exact=True)


@pytest.mark.parametrize("query", [ROWS, GROUPS])
def test_to_arrow(spark: SparkSession, query: str) -> None:
    tallied, plain = both(spark, query)
    assert_same(tallied.toArrow(), plain.toArrow())


def test_pandas_udf_over_rows(spark: SparkSession) -> None:
    @pandas_udf("double")  # type: ignore[call-overload,untyped-decorator]  # its types know no type hints
    def speed_lost(delay: pd.Series, distance: pd.Series) -> pd.Series:
        return delay / distance.clip(lower=1)

    tallied, plain = (
        frame.withColumn("lost", speed_lost(col("delay"), col("distance"))) for frame in both(spark, ROWS)
    )
    assert_frame_equal(tallied.toPandas(), plain.toPandas(), check_exact=True)
    assert received(tallied).scans == received(spark.sql(ROWS.format(table="tallied"))).scans


def test_pandas_udf_right_above_a_scan(spark: SparkSession) -> None:
    """Spark sends Arrow batches to Python as they come, and joins what comes back with the rows that it has kept."""

    @pandas_udf("bigint")  # type: ignore[call-overload,untyped-decorator]  # its types know no type hints
    def same(number: pd.Series) -> pd.Series:
        return number

    spark.udf.register("same", same)
    table = spark.read.format("tally").options(**{"table": "flights", "max-batch-bytes": "65536"}).load()
    table.createOrReplaceTempView("in_small_batches")
    query = """
        SELECT origin, count(*) AS flights,
            sum(abs(delay - again)) AS off, sum(hash(date, destination, distance)) AS others
        FROM (SELECT *, same(delay) AS again FROM {table} WHERE delay > 60) GROUP BY origin ORDER BY origin
    """
    tallied = spark.sql(query.format(table="in_small_batches"))
    assert_same(tallied.toArrow(), spark.sql(query.format(table="plain")).toArrow())


def test_pandas_udf_as_an_aggregate(spark: SparkSession) -> None:
    @pandas_udf("double")  # type: ignore[call-overload,untyped-decorator]  # its types know no type hints
    def middle(delay: pd.Series) -> float:
        return float(delay.median())

    tallied, plain = (
        spark.table(table).where("delay > 300").groupBy("origin").agg(middle("delay").alias("middle")).orderBy("origin")
        for table in ("tallied", "plain")
    )
    frame = tallied.toPandas()
    assert len(frame) > 100
    assert_frame_equal(frame, plain.toPandas(), check_exact=True)


def test_a_function_over_each_group(spark: SparkSession) -> None:
    def worst(group: pd.DataFrame) -> pd.DataFrame:
        return group.sort_values(["delay", "date", "destination"]).tail(1)[["origin", "destination", "delay"]]

    tallied, plain = (
        spark.table(table)
        .where("delay > 300")
        .groupBy("origin")
        .applyInPandas(worst, "origin string, destination string, delay int")
        .orderBy("origin")
        for table in ("tallied", "plain")
    )
    assert_frame_equal(tallied.toPandas(), plain.toPandas(), check_exact=True)


def test_what_was_received_is_a_row_a_group_and_node(spark: SparkSession) -> None:
    grouped = spark.sql("SELECT origin, count(*) FROM tallied GROUP BY origin")
    groups = len(grouped.collect())
    brought = received(grouped)
    assert groups < brought.rows <= 3 * groups
    assert brought.rows_scanned == spark.table("plain").count()
    assert 0 < brought.bytes < 100_000
    assert "PushedAggregates: [COUNT(*)]" in brought.scans[0]


def test_what_was_received_by_a_subquery_counts_too(spark: SparkSession) -> None:
    late = spark.sql("SELECT count(*) FROM tallied WHERE delay = (SELECT max(delay) FROM tallied)")
    late.collect()
    assert len(received(late).scans) == 2


def test_what_was_received_by_a_cache_and_by_a_command_counts_too(spark: SparkSession, tmp_path: Path) -> None:
    cached = spark.sql("SELECT max(delay) FROM tallied").cache()
    cached.collect()
    assert 0 < received(cached).rows <= 6
    cached.unpersist()
    spark.sql(f"CREATE TABLE late (delay BIGINT) USING parquet LOCATION '{tmp_path}/late'")
    written = spark.sql("INSERT INTO late SELECT max(delay) FROM tallied")
    spark.sql("DROP TABLE late")
    assert 0 < received(written).rows <= 6
