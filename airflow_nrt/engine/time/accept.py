"""Rows that the report can use: line readable, rowtime known, not from the future. The others are rejected.

Source rows in, accepted rows out, with the computed columns, the watermark that each row proposes, and the hidden
columns of the plan. What happens to a malformed line and to a NULL rowtime is the table's option: it is rejected and
counted, or it stops the driver. It never becomes a row of NULLs.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.report.options import source_option
from airflow_nrt.report.plan import Source
from airflow_nrt.report.spelling import quote, string_literal

MALFORMED, NULL_ROWTIME, FUTURE = "malformed line", "NULL rowtime", "rowtime in the future"

PROPOSAL = "_nrt_proposal"
REASON = "_nrt_reason"
STOP_MARK = "airflow-nrt stops: "
"""Begins the message of a row that stops the driver, so that the driver recognises its own words in Spark's."""


def judge(rows: DataFrame, source: Source, latest: int | Column | None) -> DataFrame:
    """Source rows with computed columns, `_nrt_row`, `_nrt_proposal` (ms) and `_nrt_reason`, NULL for accepted rows.

    `latest` is the last rowtime (ms) that is not in the future; None where the future is not guarded.
    """
    table = source.table
    computed = [
        f"{column.expression} AS {quote(column.name)}"
        for column in table.columns
        if column.is_computed and column.name in source.columns
    ]
    rows = rows.selectExpr("*", *computed)
    if table.watermark is not None:
        rowtime = f"unix_millis(CAST({quote(table.watermark.column)} AS TIMESTAMP))"
        rows = rows.selectExpr("*", f"{table.watermark.expression} AS {PROPOSAL}", f"{rowtime} AS _nrt_rowtime")
    else:
        rows = rows.selectExpr("*", f"CAST(NULL AS BIGINT) AS {PROPOSAL}", "CAST(0 AS BIGINT) AS _nrt_rowtime")
    struct = ", ".join(quote(name) for name in source.columns)
    rows = rows.withColumn("_nrt_latest", F.lit(None).cast("bigint") if latest is None else _as_column(latest))
    return rows.selectExpr("*", f"struct({struct}) AS _nrt_row", f"{_reason(source)} AS {REASON}")


def _as_column(latest: int | Column) -> Column:
    return latest if isinstance(latest, Column) else F.lit(latest).cast("bigint")


def _reason(source: Source) -> str:
    options = source.table.options
    ignore = f"{source.table.format}.ignore-parse-errors"
    tolerant = source.table.format == "parquet" or source_option(options, ignore)
    malformed = (
        string_literal(MALFORMED)
        if tolerant
        else _stop(
            f"a malformed line in table {source.name}: correct it, or set '{ignore}' = 'true' to reject and count them",
            "_nrt_line",
        )
    )
    skip = source_option(options, "scan.null-rowtime") == "skip"
    missing = (
        string_literal(NULL_ROWTIME)
        if skip
        else _stop(
            f"RowTime field should not be null: a row of table {source.name} has none. Correct it, or set "
            "'scan.null-rowtime' = 'skip' to reject and count such rows",
            "_nrt_line",
        )
    )
    return (
        f"CASE WHEN _nrt_malformed THEN {malformed} WHEN _nrt_rowtime IS NULL THEN {missing} "
        f"WHEN _nrt_rowtime > _nrt_latest THEN {string_literal(FUTURE)} END"
    )


def _stop(text: str, line: str) -> str:
    """SQL that ends the job with this message, the file and the line."""
    return f"raise_error(concat({string_literal(STOP_MARK + text)}, ' (', _nrt_file, ': ', coalesce({line}, ''), ')'))"


def accepted(judged: DataFrame) -> DataFrame:
    """The rows without a reason against them."""
    return judged.where(f"{REASON} IS NULL")


def rejected(judged: DataFrame, source: Source) -> DataFrame:
    """The others, for the ledger: reason, file, and the line or the row as JSON."""
    return judged.where(f"{REASON} IS NOT NULL").selectExpr(
        f"{string_literal(source.name)} AS source",
        f"{REASON} AS reason",
        "_nrt_file AS file",
        "coalesce(_nrt_line, to_json(_nrt_row)) AS line",
    )
