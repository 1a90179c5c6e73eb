"""Compares archives with their topics, record by record, where the topics still have the records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.describe.archive_verdict import ArchiveVerdict
from airflow_nrt.engine.archive.logged_splits import LoggedSplits
from airflow_nrt.engine.archive.own_archive import OwnArchive
from airflow_nrt.engine.archive.source_archive import ENTRY, SourceArchive
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.place import BLOCK, INDEX
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.tuning import tune_for
from airflow_nrt.engine.verify.comparison import comparable
from airflow_nrt.engine.verify.evidence import ReadRows, rows_read
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.log.history.row_semantics import plan_of_history
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.home.skipped import as_history_skips
from airflow_nrt.model.plan import Plan, Source

_SAMPLES = 5
_PART, _OFFSET, _ROW, _SIDE = "part", "offset", "record", "side"


def verify_archives(spark: SparkSession, plan: Plan, home: Home) -> list[ArchiveVerdict]:
    """One verdict for each archive that the report writes. Raises InputError if it writes none."""
    archived = [source for source in plan.sources if source.is_archived]
    if not archived:
        raise InputError("the report writes no archive: 'archive' of a source names one")
    session = report_session(spark, plan)
    history = history_of(home.log(), plan)
    plan = as_history_skips(plan_of_history(plan, history), history, home)
    archived = [plan.source(source.name) for source in archived]
    return [_compared(session, plan, home, source, history) for source in archived]


def _compared(spark: SparkSession, plan: Plan, home: Home, source: Source, history: History) -> ArchiveVerdict:
    assert source.archive is not None
    read = [one for one in ranges_of(history.splits(source.name)) if not one.lost]
    there, gone = source_of(source.table).readable(spark, source.table, read)
    topic, archive = LoggedSplits(plan, source, history, home), OwnArchive(source, history, home)
    sides = (_side(spark, plan, topic, history, there), _side(spark, plan, archive, history, archive.pieces))
    begins = given_rows(spark, {_PART: "STRING", "begins": "BIGINT"}, [*_begins(ranges_of(there)).items()])
    records = [
        _records(rows, name).join(F.broadcast(begins), _PART).where(f"{_OFFSET} >= begins")
        for rows, name in zip(sides, ("topic", "archive"))
    ]
    both = reduce(DataFrame.unionAll, records).groupBy(_PART, _OFFSET)
    counts = (F.expr(f"count_if({_SIDE} = '{name}') AS n_{name}") for name in ("topic", "archive"))
    values = (F.expr(f"max(IF({_SIDE} = '{name}', {_ROW}, NULL)) AS {name}") for name in ("topic", "archive"))
    kind = (
        "CASE WHEN n_topic = 1 AND n_archive = 1 THEN IF(topic = archive, 'equal', 'different') "
        "WHEN n_archive < n_topic THEN 'missing' ELSE 'extra' END AS kind"
    )
    classes = both.agg(*counts, *values).selectExpr("*", kind)
    found = {row.kind: row["count"] for row in classes.groupBy("kind").count().collect()}
    unequal = sum(found.values()) - found.get("equal", 0)
    samples = _samples(classes.where("kind <> 'equal'")) if unequal else ()
    for rows in sides:
        rows.kept.unpersist()
    return ArchiveVerdict(
        source.name,
        source.archive.insert.name,
        history.entry,
        found.get("equal", 0),
        found.get("missing", 0),
        found.get("extra", 0),
        found.get("different", 0),
        samples,
        tuple(gone),
        sides[1].problems,
    )


def _side(spark: SparkSession, plan: Plan, side: SourceArchive, history: History, pieces: Sequence[Split]) -> ReadRows:
    return rows_read(spark, plan, side, side.source.name, history, pieces, tune_for(spark, pieces))


def _records(read: ReadRows, side: str) -> DataFrame:
    columns = [one for one in read.source.table.columns if not one.is_computed or one.metadata is not None]
    values = ", ".join(f"{comparable(quote(one.name), one.type)} AS {quote(one.name)}" for one in columns)
    part = source_of(read.source.table).part
    return read.kept.selectExpr(
        f"{part} AS {_PART}",
        f"{BLOCK} + {INDEX} AS {_OFFSET}",
        f"to_json(struct({ENTRY} AS _entry, {values})) AS {_ROW}",
        f"{string_literal(side)} AS {_SIDE}",
    )


def _begins(ranges: Sequence[SourceRange]) -> dict[str, int]:
    """The first offset of each partition that the topic still has."""
    found: dict[str, int] = {}
    for one in ranges:
        if not one.is_empty:
            found[one.part] = min(one.start, found.get(one.part, one.start))
    return found


def _samples(unequal: DataFrame) -> tuple[str, ...]:
    sides = (f"', {side} ', coalesce({side}, 'none')" for side in ("topic", "archive"))
    text = f"concat(kind, ' ', {_PART}, '@', {_OFFSET}, {', '.join(sides)}) AS text"
    first = unequal.orderBy(_PART, _OFFSET).limit(_SAMPLES)
    return tuple(row.text for row in first.selectExpr(text).collect())
