"""One query over bounded input, to the end: the same operators as a report, in a stream or in a batch."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.batch import insert_result
from airflow_nrt.engine.rendering import json_lines, read_lines
from airflow_nrt.engine.sources.arrivals import Arrivals
from airflow_nrt.engine.sources.filesystem import GLOB
from airflow_nrt.engine.stream import StreamDriver
from airflow_nrt.report.entries import Lease, SourceFile
from airflow_nrt.report.home import Home
from airflow_nrt.report.log import Writer
from airflow_nrt.report.options import source_option
from airflow_nrt.report.plan import Plan
from airflow_nrt.report.tables import Table


def run_bounded(spark: SparkSession, plan: Plan, mode: str) -> Iterator[str]:
    """The result of the plan's one insert as JSON lines. `mode` is `stream` or `batch`."""
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-") as directory:
        place = Path(directory)
        result = _streamed(spark, plan, place) if mode == "stream" else _computed(spark, plan)
        if result is None:
            return
        fields = plan.inserts[0].query.fields
        json_lines(result, fields).write.text(str(place / "lines"))
        yield from read_lines(place / "lines")


def _streamed(spark: SparkSession, plan: Plan, place: Path) -> DataFrame | None:
    """Absorbs all input in one micro-batch a source, ends the input, and reads what was published."""
    insert = plan.inserts[0]
    sink = Table(insert.sink.name, insert.sink.columns, "filesystem", options=_parquet(place / "result"))
    plan = replace(plan, inserts=(replace(insert, sink=sink),))
    home = Home.create(place / "home", plan)
    writer = Writer.begin(home.log(), Lease("", 0, ""))
    driver = StreamDriver(spark, plan, home, writer)
    for source in plan.sources:
        driver.absorb(source.name, arrived(plan, source.name))
    for source in plan.sources:
        driver.note(source.name, ended=True)
    files = list((place / "result").rglob("*.parquet"))
    return spark.read.parquet(*(str(file).translate(GLOB) for file in files)) if files else None


def _parquet(path: Path) -> dict[str, str]:
    path.mkdir()
    return {"connector": "filesystem", "path": str(path), "format": "parquet"}


def _computed(spark: SparkSession, plan: Plan) -> DataFrame:
    return insert_result(spark, plan, plan.inserts[0], {s.name: arrived(plan, s.name) for s in plan.sources})


def arrived(plan: Plan, source: str) -> list[SourceFile]:
    """All files of a source that are there now."""
    table = plan.source(source).table
    return Arrivals(table.path, source_option(table.options, "source.path.regex-pattern")).poll()
