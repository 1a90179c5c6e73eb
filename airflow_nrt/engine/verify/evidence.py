"""Checks the claims of the log against the source: files, watermarks, late rows.

The verifier does not trust the stream. Every file that was read must be unchanged. Every watermark must follow from the
one before and the rows of its batch. Every row of the late ledger must be in the source as often as claimed, and must
be late by its batch's watermark; and no late row may be missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME, format_reached
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.describe.verdict import LedgerVerdict
from airflow_nrt.engine.archive.source_archive import BACKFILL, ENTRY, SourceArchive, all_of
from airflow_nrt.engine.batch.batch import needs_position
from airflow_nrt.engine.failures.known_causes import FILE_GONE
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import LATE
from airflow_nrt.engine.time.accept_or_reject import PROPOSAL, REASON, accepted, judge
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.engine.time.future import latest_rowtime
from airflow_nrt.engine.verify.removed_records import without_lost_batches
from airflow_nrt.engine.windows.arrival_numbers import input_rows, numbered
from airflow_nrt.engine.windows.execution import execution_of
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX
from airflow_nrt.home.log.entries import SourceState
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.position.partition_watermarks import WHOLE, proposed, with_proposals
from airflow_nrt.home.log.splits import Split
from airflow_nrt.home.written.ledger_files import ledger_files
from airflow_nrt.model.internal_columns import ABSORBED, BATCH, NUMBERED, OP, ROWTIME
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.row_semantics import READ_BY

_COMPARED = ("row", "file", "rowtime", "watermark", "missed_from", "missed_until", "dropped")
SAMPLES = 5
_ATTEMPTS = 5
"""Each after an hour that was merged while its files were read."""


@dataclass(frozen=True)
class ReadRows:
    """The accepted rows of a source's archive, each with its entry.

    `splits` are those of the log whose rows are all here, `partial` the entries of which only some are. The rows are
    cached as `kept`, which the caller unpersists. Some that were asked for are `lacking`, as the problems say. So many
    files were `published_again` since by the report whose results they are.
    """

    source: Source
    frame: DataFrame
    kept: DataFrame
    splits: tuple[Split, ...]
    partial: frozenset[int]
    problems: tuple[str, ...]
    lacking: bool
    published_again: int = 0


def rows_read(
    spark: SparkSession,
    plan: Plan,
    archive: SourceArchive,
    name: str,
    history: History,
    pieces: Sequence[Split],
    tasks: Tasks,
) -> ReadRows:
    """The rows of these pieces as the stream read them, with `_nrt_entry`; it rejected the same rows."""
    read = partial(_rows_read, spark, plan, archive, name, history, pieces, tasks)
    if not archive.files_move:
        return read()
    for _ in range(_ATTEMPTS - 1):
        try:
            return _at_once(read)
        except Exception as failure:
            if not isinstance(failure, FileNotFoundError) and FILE_GONE.of(chain_of(failure)) is None:
                raise
    return _at_once(read)


def _at_once(read: Callable[[], ReadRows]) -> ReadRows:
    """The rows, when all of them are cached."""
    rows = read()
    try:
        rows.kept.count()
    except Exception:
        rows.kept.unpersist()
        raise
    return rows


def _rows_read(
    spark: SparkSession,
    plan: Plan,
    archive: SourceArchive,
    name: str,
    history: History,
    pieces: Sequence[Split],
    tasks: Tasks,
) -> ReadRows:
    source = plan.source(name)
    watermarks = history.watermarks_before(name)
    batches = {n: commit for n, commit in history.batches.items() if commit.source == name}
    facts = [
        (
            n,
            latest_rowtime(spark, plan, source, commit.clock),
            commit.clock,
            watermarks.get(n),
            int(commit.ledger_format == 1),
            commit.position.sources[name].row_semantics,
        )
        for n, commit in batches.items()
    ]
    of_batch = (ENTRY, "_nrt_latest", "_nrt_at", "_nrt_before", "_nrt_whole_lines", READ_BY)
    backfilled = (BACKFILL, None, None, None, 0, history.backfill_semantics)
    known = given_rows(spark, dict.fromkeys(of_batch, "BIGINT"), [*facts, backfilled])
    wanted = [*source.columns, ENTRY, READ_BY, ABSORBED, ROWTIME, PROPOSAL, REASON, FILE, NUMBER, BLOCK, INDEX]
    wanted += [OP] if source.table.is_changelog else []
    reads, frames = [], []
    for under, some in archive.by_policy(pieces):
        reads.append(under.read(spark, some, tasks, needs_position(plan, name)))
        judged = judge(
            reads[-1].frame.join(F.broadcast(known), ENTRY),
            under.judged_as,
            "_nrt_latest",
            absorbed("_nrt_at", "_nrt_before"),
            "_nrt_whole_lines = 1",
            READ_BY,
        )
        frames.append(judged.select(*wanted).where(f"{REASON} IS NULL"))
    read = all_of(reads)
    # Cached, because several comparisons read these rows.
    kept = reduce(DataFrame.unionAll, frames).persist()
    frame = accepted(kept, source)
    read = without_lost_batches(read, kept, source, history)
    return ReadRows(source, frame, kept, read.whole, read.partial, read.problems, read.lacking, read.published_again)


def check_watermarks(history: History, name: str, read: ReadRows) -> list[str]:
    """Recomputes the source's watermark batch by batch, for batches whose splits were all read here."""
    here = {split.name for split in read.splits}
    part = F.expr(source_of(read.source.table).part or string_literal(WHOLE)).alias("part")
    proposals: dict[int, dict[str, int | None]] = defaultdict(dict)
    for entry, of, proposal in read.frame.groupBy(ENTRY, part).agg(F.max(PROPOSAL)).collect():
        proposals[entry][of] = proposal
    problems = []
    for n, commit in history.batches.items():
        if commit.source != name or not all(split.corrupt or split.name in here for split in commit.splits):
            continue
        if all(split.corrupt for split in commit.splits):
            # No row of it was read.
            continue
        before, claimed = history.before[n].get(name, SourceState()), commit.position.sources[name]
        parts = dict.fromkeys(source_of(read.source.table).parts(commit.splits))
        follows = with_proposals(before, proposed(commit.splits, {**parts, **proposals[n]}))
        if (claimed.watermark, claimed.parts) != (follows.watermark, follows.parts):
            problems.append(
                f"log entry {n}: source {name} claims watermark {_marks(claimed)}, the rows of its batch make it "
                f"{_marks(follows)}"
            )
    return problems


def _marks(state: SourceState) -> str:
    parts = ", ".join(f"{part} {format_reached(of.watermark)}" for part, of in state.parts.items())
    return f"{format_reached(state.watermark)} ({parts})" if parts else format_reached(state.watermark)


def with_watermark(read: DataFrame, history: History, operator: str) -> DataFrame:
    """The rows with `_nrt_batch`, and `_nrt_seen`, the operator's watermark at the beginning of that batch."""
    unread = END_OF_TIME if history.is_streamed else None
    watermarks = [(BACKFILL, unread), *((n, commit.seen.get(operator)) for n, commit in history.batches.items())]
    by_batch = given_rows(read.sparkSession, {ENTRY: "BIGINT", "_nrt_seen": "BIGINT"}, watermarks)
    return read.join(F.broadcast(by_batch), ENTRY).withColumn(BATCH, F.col(ENTRY))


def fired_rows(plan: Plan, insert: Insert, history: History, rows: DataFrame, entry: int) -> DataFrame:
    """The rows of `rows_read` up to an entry, without rows of a slot that has fired which have still to fire."""
    rows = rows.where(f"{ENTRY} <= {entry}")
    unfired = None
    if insert.window is not None and not insert.window.ends_on_grid:
        once = insert.timing.publishes_once
        unfired = history.unfired_batch(plan.absorbing(insert), entry) if once else history.open_batch(entry)
    return rows if unfired is None else rows.where(f"{ENTRY} <> {unfired}")


def check_ledger(
    home: Home, history: History, layout: Layout, name: str, sources: Mapping[str, ReadRows]
) -> LedgerVerdict:
    """The late ledger of one operator and source against the rows, as multisets."""
    read = sources[name]
    operator = layout.operator.name
    streamed = _of_whole_batches(read.frame, read)
    nothing = {n: sources[n].frame.where("false") for n in layout.operator.input.inputs}
    others = {n: with_watermark(frame, history, operator) for n, frame in nothing.items()}
    views = {**others, name: with_watermark(streamed, history, operator)}
    if layout.operator.numbering is not None:
        # All rows decide on the numbers of those of whole batches.
        every = {name: with_watermark(read.frame, history, operator)}
        views = {NUMBERED: _of_whole_batches(numbered(layout, every, None), read, BATCH)}
    marked = execution_of(layout).mark_late(layout, input_rows(layout, views))
    columns = [f"get_json_object({LATE}, '$.{column}') AS {column}" for column in _COMPARED]
    late = marked.where(f"{LATE} IS NOT NULL").selectExpr(*columns)
    here = {split.name for split in read.splits}
    connector = source_of(read.source.table)
    elsewhere = [connector.in_ledger(split) for split in history.splits(name) if split.name not in here]
    claims = _claims(read.frame.sparkSession, home, history, operator, name, elsewhere)
    if claims is None:
        found = late.count()
        samples = _samples(late) if found else ()
        return LedgerVerdict(operator, 0, found, 0, found, samples)
    sides = claims.selectExpr("*", "1 AS claimed", "0 AS found").unionAll(late.selectExpr("*", "0", "1"))
    counted = sides.groupBy(*_COMPARED).agg(F.sum("claimed").alias("claimed"), F.sum("found").alias("found"))
    total = counted.agg(
        F.sum("claimed"),
        F.sum("found"),
        F.sum(F.expr("greatest(claimed - found, 0)")),
        F.sum(F.expr("greatest(found - claimed, 0)")),
    ).first()
    assert total is not None
    claimed, found, invented, lacking = (int(value or 0) for value in total)
    samples = _samples(counted.where("claimed <> found")) if invented or lacking else ()
    return LedgerVerdict(operator, claimed, found, invented, lacking, samples)


def _of_whole_batches(rows: DataFrame, read: ReadRows, entry: str = ENTRY) -> DataFrame:
    """The rows of batches of which all rows are here: what the ledger claims of others can't be compared.

    `entry` is the column with the number of a row's batch.
    """
    streamed = rows.where(f"{entry} <> {BACKFILL}")
    if not read.partial:
        return streamed
    partial = given_rows(streamed.sparkSession, {entry: "BIGINT"}, [(n,) for n in sorted(read.partial)])
    return streamed.join(F.broadcast(partial), entry, "left_anti")


def _claims(
    spark: SparkSession, home: Home, history: History, operator: str, source: str, elsewhere: Sequence[str]
) -> DataFrame | None:
    """The ledger's records for rows of a source, without those of files that this verification does not read.

    Records for files that are not in the log stay: they are invented.
    """
    commits = [
        commit
        for commit in history.batches.values()
        if commit.source == source and any(one.operator == operator for one in commit.late)
    ]
    name = f"{LATE_PREFIX}{operator}"
    files = [file for commit in commits for file in ledger_files(home.root, commit).get(name, ())]
    present = [str(file).translate(GLOB) for file in files if file.exists()]
    if not present:
        return None
    columns = [f"get_json_object(value, '$.{column}') AS {column}" for column in _COMPARED]
    others = given_rows(spark, {"file": "STRING"}, [(name,) for name in elsewhere])
    records = spark.read.text(present).selectExpr(*columns)
    return records.join(F.broadcast(others), "file", "left_anti").select(*_COMPARED)


def _samples(rows: DataFrame) -> tuple[str, ...]:
    shown = rows.selectExpr("concat(file, ': ', row) AS text").limit(SAMPLES).collect()
    return tuple(row.text for row in shown)
