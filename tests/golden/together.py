"""Many queries over the same tables together: an INSERT each of one streamed report, or batches that read once.

The rows of each query are those that `airflow-nrt query` gives. What a report does not do stays with that command
alone: it folds a changelog, and sorts at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.batch.batch import computed, same_rows, source_rows
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.rendering import json_lines
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.sources.files.parquet import in_parquet
from airflow_nrt.engine.spark.tuning import tune_for
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.sql.errors import Place, Problems
from airflow_nrt.sql.parse.statements import parse_query, parse_script
from airflow_nrt.sql.planner import Planner, plan_query

Lines = dict[str, list[str]]
"""By query, its rows as JSON lines."""


def run_together(spark: SparkSession, ddl: str, queries: Mapping[str, str], base: Path, mode: str) -> Lines:
    """The rows of these queries, whose names are names of tables. `mode` is `stream` or `batch`.

    Raises what any one of them raises.
    """
    plan = plan_together(ddl, queries, base)
    if mode == "stream":
        return _streamed(spark, plan)
    return _computed(spark, plan, {name: plan_query(ddl, query, base) for name, query in queries.items()})


def plan_together(ddl: str, queries: Mapping[str, str], base: Path) -> Plan:
    """The plan of a report with an insert a query, into a table of its name. Raises SqlError, or SqlErrors."""
    problems, planner = Problems(), Planner(base)
    planner.add_all(parse_script(ddl, problems), problems, {}, Place(1, 1, 0))
    problems.raise_any(ddl)
    for name, query in queries.items():
        problems.attempt(partial(planner.add_query, parse_query(query), name))
        problems.raise_any(query)
    return planner.plan(ddl, "together")


def _streamed(spark: SparkSession, plan: Plan) -> Lines:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        plan = replace(plan, inserts=tuple(_into_files(insert, place) for insert in plan.inserts))
        home = Home.create(place / "home", plan)
        session = report_session(spark, plan)
        driver = StreamDriver(session, plan, home, Writer.begin(home.log(), Lease("", 0, "")))
        for source in plan.sources:
            driver.absorb(source.name, arrived(spark, source.table), ends=True)
        return {insert.name: _published(spark, insert) for insert in plan.inserts}


def _into_files(insert: Insert, place: Path) -> Insert:
    """The insert into parquet below `place`."""
    options = {"connector": "filesystem", "path": str(place / insert.name), "format": "parquet"}
    (place / insert.name).mkdir()
    return replace(insert, sink=replace(insert.sink, connector="filesystem", options=options))


def _published(spark: SparkSession, insert: Insert) -> list[str]:
    files = [str(file) for file in Path(insert.sink.path).rglob("*.parquet")]
    lines = []
    # With its columns known, no job reads the schema of a file.
    for alike in in_parquet(files, insert.sink.columns) if files else ():
        schema = ", ".join(f"{quote(column.name)} {column.type.spark}" for column in alike.columns)
        rows = spark.read.schema(schema).parquet(*alike.paths).selectExpr(*alike.values)
        lines += [row.value for row in json_lines(rows, insert.query.fields).collect()]
    return lines


def _computed(spark: SparkSession, together: Plan, alone: Mapping[str, Plan]) -> Lines:
    """Each query by its own plan, because an insert computes all of an operator that it shares with others."""
    spark = report_session(spark, together)
    splits = {source.name: arrived(spark, source.table) for source in together.sources}
    tasks = tune_for(spark, [split for some in splits.values() for split in some])
    rows = {name: source_rows(spark, together, name, some, now_ms(), tasks).persist() for name, some in splits.items()}

    def lines(plan: Plan) -> list[str]:
        (insert,) = plan.inserts
        result = computed(plan, insert, same_rows(rows), -END_OF_TIME, END_OF_TIME, tasks)
        return [row.value for row in json_lines(result, insert.query.fields).collect()]

    try:
        return {name: lines(plan) for name, plan in alone.items()}
    finally:
        for frame in rows.values():
            frame.unpersist()
