"""NULL for a sink column that is NOT NULL: the job fails, or the row is left out, as in Flink."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import NOT_NULL
from airflow_nrt.model.required_columns import RequiredColumns
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.sql.expressions.failing import errors_are_null
from airflow_nrt.sql.expressions.typed import Typed, may_not_fit
from airflow_nrt.sql.parse import parsed


def drops_null(statements: Iterable[parsed.Statement], overrides: Mapping[str, str]) -> bool:
    settings = {one.key: one.value for one in statements if isinstance(one, parsed.SetOption)}
    return {**settings, **overrides}.get(NOT_NULL, "").lower() == "drop"


def required(
    sink: Table, query: Query, hidden: Sequence[str], written: Sequence[tuple[Typed, Column]], drops: bool
) -> RequiredColumns | None:
    """The columns of a sink for which the query may give a NULL that it does not take; None if there are none.

    `written` are the values that the query gives, each with its column. A column of the PRIMARY KEY is NOT NULL.
    """
    nullable = [column for value, column in written if _may_be_null(value, column)]
    declared = tuple(column.name for column in nullable if not column.type.nullable)
    keys = tuple(one.name for one in nullable if one.name in sink.primary_key and one.name not in declared)
    if not declared and not keys:
        return None
    return RequiredColumns(sink.name, query, tuple(hidden), declared, keys, drops)


def _may_be_null(value: Typed, column: Column) -> bool:
    return value.type.nullable or may_not_fit(value.type, column.type) or errors_are_null()
