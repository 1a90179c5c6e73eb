"""A report that writes into a table of a lakehouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.spark_needs import EXTENSIONS
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable
from airflow_nrt.engine.sinks.lakehouse.lakehouse import Lakehouse
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, ORDERS

TUMBLED = COUNTS.replace("CUMULATE", "TUMBLE").replace(", INTERVAL '30' MINUTES", "")


@dataclass(frozen=True)
class Format:
    """A format of tables, and the options by which a report names the table `name` below a directory."""

    name: str
    options: str

    def plan(
        self,
        place: Path,
        table: str,
        columns: str = CURVE,
        query: str = COUNTS,
        parts: str = "",
        create: bool = True,
        **more: str,
    ) -> Plan:
        """Writes the results of `query` into a table. Options are written with `_` for `.` and `__` for `-`."""
        given = {name.replace("__", "-").replace("_", "."): text for name, text in more.items()}
        given |= {"sink.create-table": "true"} if create else {}
        written = "".join(f", '{name}' = '{text}'" for name, text in given.items())
        where = self.options.format(table=table)
        script = f"""{ORDERS}
            CREATE TABLE curve ({columns}) {parts} WITH ('connector' = '{self.name}', {where}{written});
            INSERT INTO curve {query};
        """
        return plan_script(script, {}, "orders_curve", place)


def begin_with(spark: SparkSession, plan: Plan) -> None:
    """Gives the session of tests what the session of a driver begins with; extensions it has already."""
    for name, text in plan.spark_settings.items():
        if name != EXTENSIONS:
            spark.conf.set(name, text)


def table_of(spark: SparkSession, plan: Plan) -> LakeTable:
    (insert,) = plan.inserts
    sink = sink_of(insert)
    assert isinstance(sink, Lakehouse)
    return sink.table_of(spark, insert)


def entries(spark: SparkSession, plan: Plan, writer: str) -> list[int | None]:
    """The log entries that the commits of a table have published, newest first; None for commits of others."""
    past = table_of(spark, plan).past(writer)
    return [] if past is None else [one.entry for one in past.commits()]


def rows(spark: SparkSession, plan: Plan, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in table_of(spark, plan).rows().selectExpr(*columns).collect())


def curve(spark: SparkSession, plan: Plan) -> list[tuple[str, int, int, str]]:
    """Window, shop, number of orders, money."""
    found: Sequence[Any] = rows(spark, plan, "window_end", "shop", "n", "gmv")
    return [(f"{end:%H:%M}", shop, n, str(gmv)) for end, shop, n, gmv in found]
