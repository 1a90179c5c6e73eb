"""The log of a table of Delta, in the Java of a session."""

from __future__ import annotations

import json
from typing import Any

from py4j.java_gateway import JavaPackage  # type: ignore[import-untyped]
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.model.connectors.delta import PATH
from airflow_nrt.model.tables import Table


def delta_snapshot(spark: SparkSession, table: Table) -> Any:
    """The newest version, of number -1 if there is no table. It costs no job of Spark if nothing has changed.

    Raises InputError if the session has no Delta.
    """
    jvm: Any = spark._jvm
    logs = java_class(jvm, "org.apache.spark.sql.delta.DeltaLog")
    if isinstance(logs, JavaPackage):
        raise InputError(
            f"table {table.name!r}: the jars of Delta are not in this session of Spark: `airflow-nrt prepare delta` "
            "fetches them before it starts"
        )
    nothing = java_class(jvm, "scala.Option").empty()
    return logs.forTable(spark._jsparkSession, table.options[PATH]).update(False, nothing, nothing)


def delta_mark(snapshot: Any, writer: str) -> int | None:
    """The number of the last commit of this application, None if there is none."""
    found = snapshot.transactions().get(writer)
    return int(found.get()) if found.isDefined() else None


def delta_actions(spark: SparkSession, snapshot: Any, version: int) -> list[dict[str, Any]] | None:
    """What the log says of the commit that made a version, None if it no longer says so."""
    jvm: Any = spark._jvm
    log = snapshot.deltaLog()
    path = java_class(jvm, "org.apache.hadoop.fs.Path")(log.logPath(), f"{version:020}.json")
    try:
        lines = log.store().read(path, log.newDeltaHadoopConf()).mkString("\n")
    except Py4JJavaError as failure:
        if any(one.kind.endswith(("FileNotFoundException", "NoSuchFileException")) for one in chain_of(failure)):
            return None
        raise
    return [json.loads(line) for line in lines.splitlines() if line]


def delta_properties(snapshot: Any) -> dict[str, str]:
    """The properties of a table."""
    found = snapshot.metadata().configuration()
    names, given = found.keysIterator(), {}
    while names.hasNext():
        name = names.next()
        given[name] = found.apply(name)
    return given
