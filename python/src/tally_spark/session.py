"""Takes a builder of Spark sessions and hands it on with the connector's jar and the options that all tables share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tally_spark.places import connector_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def configure(
    builder: SparkSession.Builder,
    options: Mapping[str, str | int | bool] | None = None,
    *,
    jar: str | Path | None = None,
    more_jars: str | Path | Iterable[str | Path] = (),
) -> SparkSession.Builder:
    """Adds Tally to the sessions of a builder.

    To be called before the first session of the process: Spark takes jars when its Java starts.

    :param options: options of the data source, by their names, for all tables that do not set them:
        ``{"endpoints": "127.0.0.1:7071,127.0.0.1:7072", "push-down": False}``
    :param jar: the connector; without it that of the variable TALLY_CONNECTOR_JAR, or of the checkout around
    :param more_jars: what else the setting ``spark.jars`` is to name, since this call writes it
    """
    more = [more_jars] if isinstance(more_jars, str | Path) else more_jars
    jars = [str(connector_jar(jar)), *map(str, more)]
    builder = builder.config("spark.jars", ",".join(jars))
    for name, value in (options or {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        builder = builder.config(f"spark.datasource.tally.{name}", text)
    return builder
