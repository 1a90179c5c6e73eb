"""Prints how many bytes a row more are allocated without each rule that saves objects, as JSON.

python -m tests.engine.java.allocations
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.basics.types import DataType, decimal
from airflow_nrt.engine.aggregates.total import unscaled
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.sources.values import CSV, value_sql
from airflow_nrt.engine.spark.session import start_session
from tests.engine.java.sessions import Allocated, with_rules

ROWS = 100_000
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
    spark = start_session("allocations", "local[1]", {})
    allocated = Allocated(spark)
    with_all = with_rules(spark, SPEED_RULES)

    def saved(rule: str, frame: Callable[[SparkSession], DataFrame]) -> int:
        without = with_rules(spark, [one for one in SPEED_RULES if one.name != rule])
        return (allocated.by(frame(without)) - allocated.by(frame(with_all))) // ROWS

    found = {"CompiledMetrics": saved("CompiledMetrics", watched)}
    for rule, aggregates in (("PlainCasts", BY_NUMBER), ("PlainTexts", BY_BYTES)):
        found |= {f"{rule} {kind}": saved(rule, of_rows(aggregate)) for kind, aggregate in aggregates.items()}
    json.dump(found, sys.stdout)
    spark.stop()
    return 0


def watched(session: SparkSession) -> DataFrame:
    rows = session.range(0, ROWS, 1, 1).selectExpr("id AS v", "id % 7 AS k")
    counted = rows.observe(Observation(), F.count("*").alias("all"), F.max("v").alias("most"))
    return counted.groupBy().agg(F.sum("k"))


def of_rows(aggregate: str) -> Callable[[SparkSession], DataFrame]:
    return lambda session: session.range(0, ROWS, 1, 1).selectExpr(f"{aggregate} AS found")


if __name__ == "__main__":
    sys.exit(main())
