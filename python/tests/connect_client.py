"""Run with pyspark-client, which has no Java and no jar: asks a server of Spark Connect, and writes what it answers.

Takes JSON from its standard input: where the server is, the options of the table, queries over the view ``tallied``,
and the folder for a pickled pandas frame and an Arrow file of each query.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import DoubleType


@pandas_udf(DoubleType())  # type: ignore[call-overload,untyped-decorator]  # its types know no type hints
def hours(minutes: pd.Series) -> pd.Series:
    """Runs in Python on the server's side."""
    return minutes / 60


def main() -> None:
    """Does what was asked."""
    order = json.load(sys.stdin)
    folder = Path(order["folder"])
    spark = SparkSession.builder.remote(order["remote"]).getOrCreate()
    spark.udf.register("hours", hours)
    spark.read.format("tally").options(**order["options"]).load().createOrReplaceTempView("tallied")
    for name, query in order["queries"].items():
        frame = spark.sql(query)
        of_pandas: Any = frame.toPandas()
        of_pandas.to_pickle(folder / f"{name}.pickle")
        table = frame.toArrow()
        with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    spark.stop()


if __name__ == "__main__":
    main()
