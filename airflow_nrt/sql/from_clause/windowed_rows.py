"""Rows in windows: the windows of a time attribute, as columns, until an aggregation or a write asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.windows import Window
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.functions.clock import PROCTIME_SQL
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import (
    WINDOW_COLUMNS,
    Relation,
    as_rows,
    timed_by_clock,
    timed_by_column,
    window_columns,
)


def windowed(
    findings: Findings,
    zone: str | None,
    relation: Relation,
    alias: str | None,
    timecol: ast.Name,
    windowing: tuple[Window, tuple[str, ...] | None],
    at: Place,
    names: Mapping[str, str] = WINDOW_COLUMNS,
) -> Relation:
    """The rows with a pending window over this time column. `names` are the names of its columns, by role."""
    window, partition = windowing
    column = Scope(relation.columns, alias).time_column(timecol)
    if relation.is_changing and not column.rowtime:
        raise NotThereYet("a window over rows that change by anything but the rowtime of a table", at)
    if not column.rowtime and not column.proctime:
        raise SqlError(_no_time_attribute(column, relation.scan), timecol.at)
    relation = finished(findings, relation)
    if relation.window is not None:
        relation = as_rows(relation)
    if relation.is_changing:
        relation = timed_by_column(relation, column, zone)
    if column.proctime:
        findings.note_columns(relation, [column.typed])
        relation = timed_by_clock(relation, zone, at)
    for name in names.values():
        if name in relation.names:
            raise SqlError(f"column {name!r} of the input is ambiguous with the window's: rename it", at)
    columns = tuple(
        replace(c, rowtime=False, rowtime_path=(), proctime=False, role=None, of_window=False) for c in relation.columns
    )
    return replace(
        relation,
        columns=columns + window_columns(column.type, names),
        pending=replace(window, zone=zone) if column.type.name == "TIMESTAMP_LTZ" else window,
        partition=partition,
        at=at,
        rowtime_type=column.type,
        unique=(),
    )


def with_clock(relation: Relation, name: str, at: Place) -> Relation:
    """The rows with their processing time as a column: "(SELECT *, timestamp_millis(…) AS `_nrt_proctime` FROM …)".

    Raises NotThereYet for rows of many batches.
    """
    if not relation.has_batch:
        raise NotThereYet("processing time above a window or a join by rowtime", at)
    text = f"(SELECT *, {PROCTIME_SQL} AS {quote(name)} FROM {relation.text})"
    kind = DataType("TIMESTAMP_LTZ", precision=3, nullable=False)
    column = ScopeColumn(name, kind, proctime=True)
    return replace(relation, text=text, columns=(*relation.columns, column))


def _no_time_attribute(column: ScopeColumn, scan: str | None) -> str:
    text = f"The window function requires the timecol is a time attribute type, but is {column.type.flink}."
    if not column.type.is_timestamp:
        return text
    if scan is not None:
        return f"{text} Add WATERMARK FOR {column.name} AS {column.name} - INTERVAL '5' SECOND to table {scan}."
    return (
        f"{text} It was computed, so that no watermark follows it: select the time attribute itself, or that of a "
        "window (window_time; in a program col('w').rowtime)."
    )
