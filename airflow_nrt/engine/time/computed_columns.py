"""The computed columns of a table, of rows that were read."""

from __future__ import annotations

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.plan import Source
from airflow_nrt.model.row_semantics import ROW_SEMANTICS, readings
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
    (_, _, found), *later = readings(sql)
    for first, _, text in later:
        found = f"IF({number} >= {first}, {text}, {found})"
    return found
