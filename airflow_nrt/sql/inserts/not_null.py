"""NULL for a sink column that is NOT NULL: the job fails, or the row is left out, as in Flink."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.model.options.known import NOT_NULL
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.failing import errors_are_null
from airflow_nrt.sql.expressions.typed import Typed, may_not_fit
from airflow_nrt.sql.parse import parsed


def drops_null(statements: Iterable[parsed.Statement], overrides: Mapping[str, str]) -> bool:
    settings = {one.key: one.value for one in statements if isinstance(one, parsed.SetOption)}
    return {**settings, **overrides}.get(NOT_NULL, "").lower() == "drop"


def written(value: Typed, sink: Table, column: Column, drops: bool) -> str:
    """SQL of a value as the sink takes it."""
    sql = cast_to(value, column.type)
    if drops or not _can_fail(value, column):
        return sql
    none = "a NULL for it"
    if may_not_fit(value.type, column.type):
        none = f"{none}, or a number that does not fit {column.type.flink}"
    message = (
        f"column {column.name!r} of table {sink.name!r} is NOT NULL, and the query has {none}: leave such rows "
        f"out with WHERE, or SET '{NOT_NULL}' = 'drop'"
    )
    return f"coalesce({sql}, CAST(raise_error({string_literal(message)}) AS {column.type.spark}))"


def kept(query: str, values: Sequence[Typed], columns: Sequence[Column], drops: bool) -> str:
    """The query without the rows that the sink does not take."""
    checked = [quote(c.name) for v, c in zip(values, columns) if drops and _can_fail(v, c)]
    conditions = " AND ".join(f"{name} IS NOT NULL" for name in checked)
    return f"SELECT * FROM ({query}) WHERE {conditions}" if checked else query


def _can_fail(value: Typed, column: Column) -> bool:
    may_be_null = value.type.nullable or may_not_fit(value.type, column.type) or errors_are_null()
    return not column.type.nullable and may_be_null
