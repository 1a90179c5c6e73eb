"""Rows that the report can use: line readable, rowtime known, not from the future. The others are rejected.

Source rows in, accepted rows out, with the computed columns, the watermark that each row proposes, and the hidden
columns of the plan. What happens to a malformed line, to a field that is no value and to a NULL rowtime is the table's
option: it stops the driver, or it is counted, where a line is rejected and a field becomes NULL.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import bigint, quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, with_times
from airflow_nrt.engine.sources.faults import FAULT, WHOLE_LINE, WHY, faulty_columns, shortened
from airflow_nrt.engine.sources.long_lines import shown_line
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.spark.paths import written_path
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import BATCH, OP, ROWTIME
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.plan import Source
from airflow_nrt.model.windows import Sql
from airflow_nrt.model.zones import wall_clock_sql

MALFORMED, NO_VALUE = "malformed line", "malformed field"
NULL_ROWTIME, FUTURE = "NULL rowtime", "rowtime in the future"

PROPOSAL = "_nrt_proposal"
REASON = "_nrt_reason"


def judge(
    rows: DataFrame, source: Source, latest: int | str | None, absorbed: str, whole_lines: str = "false"
) -> DataFrame:
    """Source rows with their computed columns, `_nrt_proposal` (ms), and `_nrt_reason`, NULL for accepted rows.

    `latest` is the last rowtime (ms) that is not in the future, or the column that has it; None where the future is not
    guarded. `absorbed` is SQL of `_nrt_absorbed`. `whole_lines` is SQL of whether a line with a malformed field is
    rejected as a whole, as by versions whose ledgers have format 1.
    """
    table = source.table
    computed = [
        f"{column.expression} AS {quote(column.name)}"
        for column in table.columns
        if column.is_computed and column.name in source.columns
    ]
    arrived = [absorbed]
    if computed:
        rows, arrived = rows.selectExpr("*", absorbed).selectExpr("*", *computed), []
    rowtime, proposal = bigint(0), bigint(None)
    if table.watermark is not None:
        # The session's zone is UTC: a TIMESTAMP keeps its clock. Converted once, for it takes longer than it seems.
        rowtime, proposal = f"unix_millis(CAST({table.watermark.rowtime} AS TIMESTAMP))", table.watermark.expression
    timed = rows.selectExpr("*", *arrived, f"{rowtime} AS {ROWTIME}")
    return timed.selectExpr(
        "*", f"{proposal} AS {PROPOSAL}", f"{_reason(source, bigint(latest), whole_lines)} AS {REASON}"
    )


def _reason(source: Source, latest: str, whole_lines: str) -> str:
    options = source.table.options
    ignore = f"{source.table.format}.ignore-parse-errors"
    skip = source_option(options, "scan.null-rowtime") == "skip"
    is_text = ignore in connector_of(source.table).options
    if is_text and source_option(options, ignore):
        lost = f"{_is_none(source)} OR ({whole_lines} AND {FAULT} IS NOT NULL)"
        none = f"WHEN {lost} THEN {string_literal(MALFORMED)} "
    elif is_text:
        none = f"WHEN {FAULT} IS NOT NULL THEN {_stop(_malformed(source, ignore))} "
    else:
        none = ""
    # Of a row that is taken back by its key nothing else need be there.
    timeless = f" AND {OP} <> '-D'" if source.table.is_changelog and source.table.primary_key else ""
    return (
        f"CASE {none}"
        f"WHEN {ROWTIME} IS NULL{timeless} THEN {string_literal(NULL_ROWTIME) if skip else _stop(_timeless(source))} "
        f"WHEN {ROWTIME} > {latest} THEN {string_literal(FUTURE)} END"
    )


def _is_none(source: Source) -> str:
    """Whether a line is no row: of a change, its key says which row it changes."""
    lost = f"{FAULT} = {string_literal(WHOLE_LINE)}"
    keys = ", ".join(map(string_literal, source.table.primary_key)) if source.table.is_changelog else ""
    return f"({lost} OR arrays_overlap({faulty_columns()}, array({keys})))" if keys else lost


def _malformed(source: Source, ignore: str) -> tuple[str, ...]:
    way_out = (
        f". Correct it, or set '{ignore}' = 'true' to read such a field as NULL, to reject such a line, and to count"
    )
    return string_literal(f"a malformed line in table {source.name}: "), WHY, string_literal(f"{way_out} them")


def _timeless(source: Source) -> tuple[str, ...]:
    said = f"RowTime field should not be null: a row of table {source.name} has none"
    way_out = ". Correct it, or set 'scan.null-rowtime' = 'skip' to reject and count such rows"
    return string_literal(said), f"coalesce(concat(': ', {WHY}), '')", string_literal(way_out)


def _stop(message: tuple[str, ...]) -> str:
    """SQL that ends the job with this message, the file and the line."""
    line = f"coalesce(concat(': ', {shortened(shown_line())}), '')"
    return f"raise_error(concat('{STOP_MARK}', {', '.join(message)}, ' (', {written_path(FILE)}, {line}, ')'))"


def metered(judged: DataFrame) -> tuple[DataFrame, Observation]:
    """The judged rows, counted as they pass: `rows`, `rejected`, and the greatest `proposal` of an accepted row.

    Spark moves no filter below the counting. That matters: moved below, the filter on the reason would repeat the
    parsing of a line for each column that it looks at.
    """
    counts = Observation()
    watched = judged.observe(
        counts,
        F.count("*").alias("rows"),
        F.max(F.when(F.col(REASON).isNull(), F.col(PROPOSAL))).alias("proposal"),
        F.count(F.coalesce(REASON, FAULT)).alias("rejected"),
    )
    return watched, counts


def accepted(judged: DataFrame, source: Source, *more: str) -> DataFrame:
    """The rows without a reason against them, with hidden columns and `more`; `_nrt_ts` on the clock of the windows."""
    place = f"struct({NUMBER} AS file, {BLOCK} AS block, {INDEX} AS row, {FILE} AS path)"
    hidden = (f"{_shown(source)} AS _nrt_row", f"{place} AS _nrt_pos", f"CAST(NULL AS BIGINT) AS {BATCH}")
    kept = judged.where(f"{REASON} IS NULL").selectExpr("*", *hidden, *more)
    if source.zone is None:
        return kept
    return kept.withColumn(ROWTIME, F.expr(str(wall_clock_sql(Sql(ROWTIME), source.zone))))


def rejected(judged: DataFrame, source: Source) -> DataFrame:
    """What is left out, for the ledger: a record of each other row, and of each field of an accepted one that was no
    value: reason, column, why, file, and the line or the row as JSON."""
    at_fault = judged.where(f"{REASON} IS NOT NULL OR {FAULT} IS NOT NULL")
    columns = f"IF({REASON} IS NULL, {faulty_columns()}, array(nullif({faulty_columns()}[0], '')))"
    return at_fault.selectExpr("*", f"explode({columns}) AS column").selectExpr(
        f"{string_literal(source.name)} AS source",
        f"coalesce({REASON}, {string_literal(NO_VALUE)}) AS reason",
        "column",
        f"{WHY} AS why",
        f"{written_path(FILE)} AS file",
        f"coalesce({shown_line()}, to_json({_shown(source)})) AS line",
    )


def _shown(source: Source) -> str:
    """A row as the ledgers have it."""
    kinds = {name: source.table.column(name).type for name in source.columns}
    columns = (f"{with_times(quote(name), kind, as_field)} AS {quote(name)}" for name, kind in kinds.items())
    return f"struct({', '.join(columns)})"
