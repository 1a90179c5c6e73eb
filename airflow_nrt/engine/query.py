"""One query over bounded input, to the end: the same operators as a report, in a stream or in a batch."""

from __future__ import annotations

import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.batch.batch import insert_result
from airflow_nrt.engine.driver.feed import take_batch
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.rendering import change_lines, json_lines, read_lines
from airflow_nrt.engine.sinks.changelog import ORDER, in_update_form
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.sources.times_of_day import of_parquet
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.engine.spark.query_frames import run_sql
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.tables import Table


def run_bounded(spark: SparkSession, plan: Plan, mode: str) -> Iterator[str]:
    """The result of a query as JSON lines. `mode` is `stream` or `batch`."""
    if plan.inserts[0].changes and mode == "stream":
        yield from folded(run_changelog(spark, plan, mode))
        return
    spark = report_session(spark, plan)
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-") as directory:
        place = Path(directory)
        if mode == "stream" and plan.sources:
            stream_to_end(spark, plan, place)
            yield from streamed_lines(spark, plan, place)
        else:
            yield from _lines(_computed(spark, plan), plan, place)


def run_changelog(spark: SparkSession, plan: Plan, mode: str) -> Iterator[str]:
    """The changes of that result as JSON lines, in their order: `{"op": "+I", "row": {…}}`."""
    spark = report_session(spark, plan)
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-") as directory:
        place = Path(directory)
        if mode == "stream" and plan.sources:
            stream_to_end(spark, plan, place)
            yield from streamed_changes(spark, plan, place)
        else:
            yield from _change_lines(_computed(spark, plan), plan, place, "'+I'")


def streamed_changes(spark: SparkSession, plan: Plan, place: Path) -> Iterator[str]:
    """The result of `stream_to_end` as changes, as JSON lines."""
    result = _published(spark, plan, place)
    if result is not None:
        insert = plan.inserts[0]
        if insert.changes and insert.sink.primary_key:
            result = in_update_form(result, insert.query.fields, insert.sink.primary_key)
        ordered = result.orderBy(*(F.expr(one) for one in ORDER)) if insert.changes else result
        yield from _change_lines(ordered, plan, place, OP if insert.changes else "'+I'")


def folded(changes: Iterable[str]) -> Iterator[str]:
    """The final table of a changelog, as JSON lines. Only this table is in memory."""
    table: dict[str, int] = {}
    for line in changes:
        change = json.loads(line)
        row = json.dumps(change["row"], ensure_ascii=False, separators=(",", ":"))
        count = table.pop(row, 0) + (1 if change["op"].startswith("+") else -1)
        if count:
            table[row] = count
    for row, count in table.items():
        yield from [row] * count


def streamed_lines(spark: SparkSession, plan: Plan, place: Path) -> Iterator[str]:
    """The result of `stream_to_end` as JSON lines."""
    result = _published(spark, plan, place)
    if result is not None:
        yield from _lines(result, plan, place)


def _published(spark: SparkSession, plan: Plan, place: Path) -> DataFrame | None:
    files = list((place / "result").rglob("*.parquet"))
    if not files:
        return None
    # Spark would start a job to read the schema.
    rows = spark.read.schema(_schema(files[0])).parquet(*(str(file).translate(GLOB) for file in files))
    timed = {field.name: field.type for field in plan.inserts[0].query.fields if field.type.holds("TIME")}
    return rows.withColumns({name: F.expr(of_parquet(quote(name), kind)) for name, kind in timed.items()})


def _schema(file: Path) -> StructType:
    """The schema with which Spark wrote a file."""
    return StructType.fromJson(json.loads(pq.read_schema(file).metadata[b"org.apache.spark.sql.parquet.row.metadata"]))


def _sorted(result: DataFrame, plan: Plan) -> DataFrame:
    order = plan.inserts[0].order
    return run_sql(f"SELECT * FROM result ORDER BY {', '.join(order)}", {"result": result}) if order else result


def _change_lines(result: DataFrame, plan: Plan, place: Path, op: str) -> Iterator[str]:
    change_lines(result, plan.inserts[0].query.fields, op).write.text(str(place / "lines"))
    return read_lines(place / "lines")


def _lines(result: DataFrame, plan: Plan, place: Path) -> Iterator[str]:
    json_lines(_sorted(result, plan), plan.inserts[0].query.fields).write.text(str(place / "lines"))
    return read_lines(place / "lines")


def stream_to_end(spark: SparkSession, plan: Plan, place: Path) -> tuple[Plan, Home]:
    """Absorbs all input, in batches of at most the source's `source.max-batch-size`, and ends the input.

    The result goes to `place/result` in parquet, the home is `place/home`; gives the plan with that sink, and the home.
    `spark` is a session of the report.
    """
    declared = plan.inserts[0].sink
    options = _parquet(place / "result")
    # Without a key the sink is a changelog, so that changes are kept.
    key = () if plan.inserts[0].changes else declared.primary_key
    sink = Table(declared.name, declared.columns, "filesystem", primary_key=key, options=options)
    # Rows are sorted at the end.
    plan = replace(plan, inserts=tuple(replace(insert, sink=sink, order=()) for insert in plan.inserts))
    home = Home.create(place / "home", plan)
    driver = StreamDriver(spark, plan, home, Writer.begin(home.log(), Lease("", 0, "")))
    for source in plan.sources:
        waiting = deque(arrived(spark, source.table))
        most = source_option(source.table.options, "source.max-batch-size")
        while waiting:
            batch = take_batch(waiting, most)
            driver.absorb(source.name, batch, ends=not waiting)
    for source in plan.sources:
        driver.note(source.name, ended=True)
    return plan, home


def _parquet(path: Path) -> dict[str, str]:
    path.mkdir()
    return {"connector": "filesystem", "path": str(path), "format": "parquet"}


def _computed(spark: SparkSession, plan: Plan) -> DataFrame:
    if not plan.sources:
        # Constants alone: there is nothing to read.
        return spark.sql(plan.inserts[0].query.sql)
    if plan.waits_for_clock:
        raise InputError(
            "Processing time Window TableFunction is not supported yet in batch: no time passes there. Run it as a "
            "stream (--mode stream), or use a rowtime"
        )
    splits = {source.name: arrived(spark, source.table) for source in plan.sources}
    results = [insert_result(spark, plan, insert, splits) for insert in plan.inserts]
    if len(results) == 1:
        # Returned whole, because it may be sorted by hidden columns.
        return results[0]
    names = [quote(field.name) for field in plan.inserts[0].query.fields]
    return reduce(DataFrame.unionAll, [result.select(*names) for result in results])
