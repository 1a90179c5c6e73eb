"""Prints as JSON what rules for speed gain: how many bytes a row less are allocated, how often code is compiled.

python -m tests.engine.java.gains
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.basics.types import DataType, decimal
from airflow_nrt.engine.aggregates.total import unscaled
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sources.formats.values import CSV, value_sql
from airflow_nrt.engine.spark.session import start_session
from tests.engine.java.sessions import Allocated, with_rules

ROWS, BATCHES = 100_000, 4
STAMPS = "concat('2024-06-18 08:40:0', id % 10, '.123')"
AMOUNTS = "concat(id, '.50')"
LINES = "concat(id, ',a,12.50')"
BY_BYTES = {
    "a time": f"max({value_sql(STAMPS, DataType('TIMESTAMP', 3), CSV)})",
    "an amount": f"max({value_sql(AMOUNTS, decimal(10, 2), CSV)})",
    "a line": f"max(split({LINES}, ',', -1)[1])",
    "a time that is written": "max(date_format(timestamp_micros(id), 'yyyy-MM-dd HH:mm:ss.SSS'))",
}
BY_NUMBER = {
    "a clock": "max(CAST(CAST(timestamp_micros(id) AS TIMESTAMP_NTZ) AS TIMESTAMP))",
    "an amount": f"sum({unscaled('CAST(id AS DECIMAL(15, 2))', decimal(15, 2))})",
}


def main() -> int:
    ensure_java()
    spark = start_session("gains", "local[1]", {})
    allocated = Allocated(spark)
    with_all = with_rules(spark, SPEED_RULES)

    def without(rule: str) -> SparkSession:
        return with_rules(spark, [one for one in SPEED_RULES if one.name != rule])

    def saved(rule: str, frame: Callable[[SparkSession], DataFrame]) -> int:
        return (allocated.by(frame(without(rule))) - allocated.by(frame(with_all))) // ROWS

    moments = without("MomentsByReference")
    found = {"MomentsByReference": compiled_by(with_all), "no MomentsByReference": compiled_by(moments)}
    for rule, aggregates in (("PlainCasts", BY_NUMBER), ("PlainTexts", BY_BYTES)):
        found |= {f"{rule} {kind}": saved(rule, of_rows(aggregate)) for kind, aggregate in aggregates.items()}
    json.dump(found, sys.stdout)
    spark.stop()
    return 0


def compiled_by(session: SparkSession) -> int:
    """How often batches after the first compile code, if they differ in a moment."""
    before = 0
    for batch in range(BATCHES + 1):
        moment = 1_718_700_000_000 + batch * 600_000
        since = session.range(1000).selectExpr(f"id + {moment}L AS v").where(f"v >= {moment + 500}L")
        assert since.groupBy(F.expr("v % 10 AS k")).count().selectExpr("sum(count) AS n").first()["n"] == 500  # type: ignore[index]
        before = before if batch else compilations(session)
    return compilations(session) - before


def compilations(spark: Any) -> int:
    name = "org.apache.spark.metrics.source.CodegenMetrics"
    return int(java_class(spark._jvm, name).METRIC_COMPILATION_TIME().getCount())


def of_rows(aggregate: str) -> Callable[[SparkSession], DataFrame]:
    return lambda session: session.range(0, ROWS, 1, 1).selectExpr(f"{aggregate} AS found")


if __name__ == "__main__":
    sys.exit(main())
