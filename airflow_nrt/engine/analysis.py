"""Spark's own analysis of a plan, without any data: what Spark would reject later is rejected now."""

from __future__ import annotations

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.batch import computed, same_rows
from airflow_nrt.engine.functions import register_functions
from airflow_nrt.engine.sources.filesystem import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.time.accept import accepted, judge
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.instants import END_OF_TIME
from airflow_nrt.report.plan import Plan, Source
from airflow_nrt.report.spelling import quote

_HIDDEN = (
    "_nrt_malformed BOOLEAN", "_nrt_line STRING",
    f"{FILE} STRING", f"{NUMBER} BIGINT", f"{BLOCK} BIGINT", f"{INDEX} BIGINT",
)  # fmt: skip


def analyse(spark: SparkSession, plan: Plan) -> None:
    """Raises InputError with Spark's words if a part of the plan can't be analysed."""
    register_functions(spark, plan)
    for insert in plan.inserts:
        try:
            sources = {source.name: _empty(spark, source) for source in plan.sources}
            computed(plan, insert, same_rows(sources), -END_OF_TIME, END_OF_TIME).schema  # noqa: B018 - analysis happens here
        except (AnalysisException, ParseException) as wrong:
            raise InputError(f"insert into {insert.name}: Spark rejects it: {str(wrong).split(chr(10))[0]}") from None


def _empty(spark: SparkSession, source: Source) -> DataFrame:
    """The source's rows, none of them."""
    columns = [column for column in source.table.physical if column.name in source.physical]
    schema = [f"{quote(column.name)} {column.type.spark}" for column in columns]
    rows = spark.createDataFrame([], ", ".join([*schema, *_HIDDEN]))
    return accepted(judge(absorbed(rows, None, None), source, None), source).selectExpr(
        "*", "CAST(NULL AS BIGINT) AS _nrt_seen"
    )
