"""The computed columns of a table, of rows that were read."""

from __future__ import annotations

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.plan import Source
from airflow_nrt.model.row_semantics import AS_IN_FLINK, ROW_SEMANTICS, differs, read_by
from airflow_nrt.model.value_places import NO_PLACE, placed


def computed_columns(source: Source, place: str = NO_PLACE, number: str = str(ROW_SEMANTICS)) -> list[str]:
    """SQL of those that the plan reads: ["(`n` + 1) AS `m`"].

    `place` is SQL of the place of a row, `number` that of the row semantics by which it is read.
    """
    return [
        f"{of_number(placed(column.expression, place), number)} AS {quote(column.name)}"
        for column in source.table.columns
        if column.expression is not None and column.name in source.columns
    ]


def of_number(sql: str, number: str) -> str:
    """SQL for rows by their row semantics: "IF(_nrt_row_semantics >= 3, …, …)" if it differs by them."""
    if not differs(sql):
        return sql
    new, old = (read_by(one, sql) for one in (AS_IN_FLINK, AS_IN_FLINK - 1))
    return f"IF({number} >= {AS_IN_FLINK}, {new}, {old})"
