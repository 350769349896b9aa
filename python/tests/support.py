"""Questions about flights that several tests ask."""

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

ROWS = """
    SELECT date, origin, destination, delay, distance FROM {table}
    WHERE origin = 'JFK' AND delay > 120 ORDER BY ALL
"""
GROUPS = """
    SELECT origin, count(*) AS flights, sum(delay) AS minutes, avg(delay) AS average, max(date) AS last
    FROM {table} GROUP BY origin ORDER BY origin
"""


def both(spark: SparkSession, query: str) -> tuple[DataFrame, DataFrame]:
    """The query over the nodes, and over the files by Spark alone."""
    return spark.sql(query.format(table="tallied")), spark.sql(query.format(table="plain"))


def assert_same(found: pa.Table, wanted: pa.Table) -> None:
    """Rows, their order, and the types of columns."""
    assert wanted.num_rows > 100
    assert found.schema.equals(wanted.schema, check_metadata=True), f"{found.schema} is not {wanted.schema}"
    assert found.equals(wanted)
