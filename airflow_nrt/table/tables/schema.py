"""The columns of a table, for a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airflow_nrt.basics.types import DataType
    from airflow_nrt.sql.expressions.scope import ScopeColumn


@dataclass(frozen=True)
class TableSchema:
    columns: tuple[ScopeColumn, ...]

    def get_field_names(self) -> list[str]:
        return [column.title for column in self.columns]

    def get_field_data_types(self) -> list[DataType]:
        return [column.type for column in self.columns]

    def get_field_count(self) -> int:
        return len(self.columns)

    get_column_names, get_column_data_types, get_column_count = get_field_names, get_field_data_types, get_field_count

    def __str__(self) -> str:
        lines = [f"  `{column.title}` {column.type}{_time_attribute(column)}" for column in self.columns]
        return "(\n" + ",\n".join(lines) + "\n)"


def _time_attribute(column: ScopeColumn) -> str:
    return " *ROWTIME*" if column.rowtime else " *PROCTIME*" if column.proctime else ""
