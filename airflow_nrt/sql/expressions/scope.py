"""The names that an expression can use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from airflow_nrt.basics.nearest import nearest
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.typed import TimeAttribute, Typed
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True)
class ScopeColumn:
    """A column that a query can read.

    `role` is `start`, `end` or `time` for a window column. `rowtime` marks a time attribute, `proctime` one
    of processing time.
    `rowtime_path` leads to the time attribute inside a ROW column. It is empty if there is none.
    `of_window` is true if the value depends on the window alone.
    In a join, `table` is the alias of the column's side and `shown` its name there. A `merged` column is found only by
    its qualified name, because a column of USING or NATURAL has its plain name.
    The domain of a `constant` column does not grow.
    """

    name: str
    type: DataType
    rowtime: bool = False
    role: str | None = None
    of_window: bool = False
    rowtime_path: tuple[str, ...] = ()
    table: str | None = None
    shown: str | None = None
    proctime: bool = False
    constant: bool = False
    merged: bool = False

    @property
    def title(self) -> str:
        """The name that a query writes."""
        return self.shown or self.name

    @property
    def typed(self) -> Typed:
        """The column as an expression."""
        time = TimeAttribute.ROWTIME if self.rowtime else TimeAttribute.PROCTIME if self.proctime else None
        return Typed.of_column(self.name, self.type, time)

    @property
    def rowtime_field(self) -> str | None:
        """The time attribute inside a ROW column, in Spark SQL: "`event`.`log_ts`"."""
        return ".".join(map(quote, (self.name, *self.rowtime_path))) if self.rowtime_path else None


def field_type(kind: DataType, name: str, at: Place) -> DataType:
    """The type of a field of a ROW. Raises SqlError with the nearest name."""
    fields = dict(kind.children) if kind.name == "ROW" else {}
    if name not in fields:
        raise SqlError(f"{kind.flink} has no field {name!r}{nearest(name, fields)}", at)
    return fields[name].with_nullable(kind.nullable or fields[name].nullable)


class Scope:
    """The columns of one relation under its alias. As in Flink, upper and lower case differ.

    With `has_batch` its rows are those of a source, each with the batch that absorbed it.
    """

    def __init__(self, columns: Sequence[ScopeColumn], alias: str | None = None, has_batch: bool = False) -> None:
        self.has_batch = has_batch
        self.columns = tuple(columns)
        self.alias = alias

    def find(self, name: ast.Name) -> ScopeColumn:
        """The column that a name means. Raises SqlError with the nearest name."""
        index = self._index(name)
        wanted = name.parts[index]
        here = self._called(name, index)
        if not index and len(name.parts) > 1 and wanted not in {column.title for column in here}:
            raise SqlError(f"there is no table or column {wanted!r} here", name.at)
        matches = [column for column in here if column.name == wanted] or [c for c in here if c.title == wanted]
        if len(matches) > 1:
            raise SqlError(f"column {wanted!r} is ambiguous", name.at)
        if not matches:
            others = self._tables[name.parts[0]] if index else [one for one in self.columns if not one.merged]
            titles = [column.title for column in others]
            hint = nearest(wanted, titles) or f"; there are {', '.join(titles)}"
            raise SqlError(f"there is no column {wanted!r}{hint}", name.at)
        return matches[0]

    def located(self, name: ast.Name) -> tuple[ScopeColumn, tuple[str, ...]]:
        """The column that a name means, and the path to a field in it. Raises SqlError."""
        return self.find(name), name.parts[self._index(name) + 1 :]

    def has(self, name: ast.Name) -> bool:
        """Whether a name means a column here."""
        return bool(self._called(name, self._index(name)))

    def is_here(self, name: ast.Name) -> bool:
        """Whether a name can only mean a column of this scope: no other table qualifies it."""
        return len(name.parts) == 1 or name.parts[0] in self._tables

    def is_time(self, node: ast.Expression) -> bool:
        """Whether an expression is a time attribute."""
        column = self.time_column(node) if isinstance(node, ast.Name) and self.has(node) else None
        return column is not None and (column.rowtime or column.proctime)

    def time_column(self, name: ast.Name) -> ScopeColumn:
        """The column that DESCRIPTOR names, or a field of a ROW column as a column. Raises SqlError."""
        column = self.find(name)
        path = name.parts[self._index(name) + 1 :]
        if not path:
            return column
        kind = self.resolve(name).type
        return ScopeColumn(".".join((column.name, *path)), kind, rowtime=path == column.rowtime_path)

    def resolve(self, name: ast.Name) -> Typed:
        """A column, or a field of a ROW column: "`event`.`log_ts`"."""
        column, path = self.located(name)
        if not path:
            return column.typed
        sql, kind = quote(column.name), column.type
        for part in path:
            sql, kind = f"{sql}.{quote(part)}", field_type(kind, part, name.at)
        time = TimeAttribute.ROWTIME if path == column.rowtime_path else None
        return Typed(sql, kind, columns=frozenset({column.name}), time_attribute=time)

    def _called(self, name: ast.Name, index: int) -> list[ScopeColumn]:
        """The columns of this name. If it is qualified, only those of that table."""
        wanted = name.parts[index]
        called = self._names.get(wanted, [])
        if index:
            return [column for column in called if self._table_of(column) == name.parts[0]]
        return [column for column in called if not column.merged or column.name == wanted]

    def _table_of(self, column: ScopeColumn) -> str | None:
        return self.alias if column.table is None else column.table

    @cached_property
    def _names(self) -> dict[str, list[ScopeColumn]]:
        """The columns by name, and by title."""
        by_name: dict[str, list[ScopeColumn]] = {}
        for column in self.columns:
            for name in {column.name, column.title}:
                by_name.setdefault(name, []).append(column)
        return by_name

    @cached_property
    def _tables(self) -> dict[str | None, list[ScopeColumn]]:
        by_table: dict[str | None, list[ScopeColumn]] = {}
        for column in self.columns:
            by_table.setdefault(self._table_of(column), []).append(column)
        return by_table

    def _index(self, name: ast.Name) -> int:
        """The index of the column in a dotted name: 1 if the name begins with an alias."""
        return 1 if len(name.parts) > 1 and name.parts[0] in self._tables else 0
