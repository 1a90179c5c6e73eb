"""The batch driver: the same operators, once over all rows of an interval, nothing stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import run_query
from airflow_nrt.engine.sources.filesystem import read_files
from airflow_nrt.engine.time.accept import accepted, judge, metered
from airflow_nrt.engine.windows.aggregate import compute
from airflow_nrt.engine.windows.partials import layout_of
from airflow_nrt.report.entries import SourceFile
from airflow_nrt.report.instants import END_OF_TIME
from airflow_nrt.report.plan import Insert, Plan


def insert_result(
    spark: SparkSession,
    plan: Plan,
    insert: Insert,
    files: Mapping[str, Sequence[SourceFile]],
    after: int = -END_OF_TIME,
    until: int = END_OF_TIME,
) -> DataFrame:
    """The rows of an insert over these files: of all windows with `after < end <= until`, with `_nrt_end`."""
    names = [source.name for source in plan.sources if source.name in files]
    return computed(plan, insert, {name: source_rows(spark, plan, name, files[name]) for name in names}, after, until)


def computed(plan: Plan, insert: Insert, sources: Mapping[str, DataFrame], after: int, until: int) -> DataFrame:
    """The same over accepted rows of the sources, with the `_nrt_seen` by which some of them are late."""
    if insert.operator is None:
        return run_query(insert.query, sources)
    operator = plan.operator(insert.operator)
    return run_query(insert.query, {operator.name: compute(layout_of(operator), sources, after, until)})


def source_rows(spark: SparkSession, plan: Plan, name: str, files: Sequence[SourceFile]) -> DataFrame:
    """The accepted rows of these files, none of them late."""
    source = plan.source(name)
    numbers = {file.path: n for n, file in enumerate(files)} if needs_position(plan, name) else None
    judged, _ = metered(judge(read_files(spark, source, files, numbers), source, None))
    return accepted(judged, source).withColumn("_nrt_seen", F.lit(None).cast("bigint"))


def needs_position(plan: Plan, source: str) -> bool:
    """Whether a result depends on where the rows of this source stood on arrival."""
    return any(layout_of(operator).needs_position for operator in plan.readers(source))
