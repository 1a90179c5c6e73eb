"""The log of a table of Delta, in the Java of a session."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaPackage  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.delta import PATH
from airflow_nrt.model.tables import Table


def delta_snapshot(spark: SparkSession, table: Table) -> Any:
    """The newest version, of number -1 if there is no table. It costs no job of Spark if nothing has changed.

    Raises InputError if the session has no Delta.
    """
    jvm: Any = spark._jvm
    logs = jvm.org.apache.spark.sql.delta.DeltaLog
    if isinstance(logs, JavaPackage):
        raise InputError(
            f"table {table.name!r}: the jars of Delta are not in this session of Spark: `airflow-nrt prepare delta` "
            "fetches them before it starts"
        )
    nothing = jvm.scala.Option.empty()
    return logs.forTable(spark._jsparkSession, table.options[PATH]).update(False, nothing, nothing)


def delta_properties(snapshot: Any) -> dict[str, str]:
    """The properties of a table."""
    found = snapshot.metadata().configuration()
    names, given = found.keysIterator(), {}
    while names.hasNext():
        name = names.next()
        given[name] = found.apply(name)
    return given
