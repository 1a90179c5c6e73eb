"""The names that an expression can use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.known import nearest
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True)
class ScopeColumn:
    """A column that a query can read.

    `role` is `start`, `end` or `time` for a window column. `rowtime` marks a time attribute, `proctime` one
    of processing time.
    `rowtime_path` leads to the time attribute inside a ROW column; it is empty where there is none.
    `of_window` holds if the value depends on nothing but the window. In a join `table` is the alias of its side and
    `shown` its name there; there a `merged` one is found by the name of its table alone, for a common column stands for
    it. The domain of a `constant` column does not grow.
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
    def rowtime_field(self) -> str | None:
        """The time attribute inside a ROW column, in Spark SQL."""
        return ".".join(map(quote, (self.name, *self.rowtime_path))) if self.rowtime_path else None


def field_type(kind: DataType, name: str, at: Place) -> DataType:
    """The type of a field of a ROW. Raises SqlError with the nearest name."""
    fields = dict(kind.children) if kind.name == "ROW" else {}
    if name not in fields:
        raise SqlError(f"{kind.flink} has no field {name!r}{nearest(name, fields)}", at)
    return fields[name].with_nullable(kind.nullable or fields[name].nullable)


class Scope:
    """The columns of one relation under its alias. As in Flink, upper and lower case differ.

    `has_batch` says whether its rows are those of a source, each with the batch that it was absorbed in.
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
        found = [column for column in here if column.name == wanted] or [c for c in here if c.title == wanted]
        if len(found) > 1:
            raise SqlError(f"column {wanted!r} is ambiguous", name.at)
        if not found:
            others = self._tables[name.parts[0]] if index else [one for one in self.columns if not one.merged]
            titles = [column.title for column in others]
            hint = nearest(wanted, titles) or f"; there are {', '.join(titles)}"
            raise SqlError(f"there is no column {wanted!r}{hint}", name.at)
        return found[0]

    def located(self, name: ast.Name) -> tuple[ScopeColumn, tuple[str, ...]]:
        """The column that a name means, and the field of it. Raises SqlError."""
        return self.find(name), name.parts[self._index(name) + 1 :]

    def has(self, name: ast.Name) -> bool:
        """Whether a name means a column here."""
        return bool(self._called(name, self._index(name)))

    def is_here(self, name: ast.Name) -> bool:
        """Whether a name would mean a column here, if there were one: no other table stands in front of it."""
        return len(name.parts) == 1 or name.parts[0] in self._tables

    def time_column(self, name: ast.Name) -> ScopeColumn:
        """What DESCRIPTOR names: a column, or a field of a ROW column as if it were one. Raises SqlError."""
        column = self.find(name)
        path = name.parts[self._index(name) + 1 :]
        if not path:
            return column
        kind = self.resolve(name).type
        return ScopeColumn(".".join((column.name, *path)), kind, rowtime=path == column.rowtime_path)

    def resolve(self, name: ast.Name) -> Typed:
        """A column, or a field of a ROW column."""
        column = self.find(name)
        sql, kind = quote(column.name), column.type
        for part in name.parts[self._index(name) + 1 :]:
            sql, kind = f"{sql}.{quote(part)}", field_type(kind, part, name.at)
        return Typed(sql, kind, columns=frozenset({column.name}))

    def _called(self, name: ast.Name, index: int) -> list[ScopeColumn]:
        """Those that are called so, of the table in front of the name if there is one."""
        wanted = name.parts[index]
        called = self._names.get(wanted, [])
        if index:
            return [column for column in called if self._table_of(column) == name.parts[0]]
        return [column for column in called if not column.merged or column.name == wanted]

    def _table_of(self, column: ScopeColumn) -> str | None:
        return self.alias if column.table is None else column.table

    @cached_property
    def _names(self) -> dict[str, list[ScopeColumn]]:
        """By name, and by title."""
        found: dict[str, list[ScopeColumn]] = {}
        for column in self.columns:
            for name in {column.name, column.title}:
                found.setdefault(name, []).append(column)
        return found

    @cached_property
    def _tables(self) -> dict[str | None, list[ScopeColumn]]:
        found: dict[str | None, list[ScopeColumn]] = {}
        for column in self.columns:
            found.setdefault(self._table_of(column), []).append(column)
        return found

    def _index(self, name: ast.Name) -> int:
        """Where in a dotted name the column stands: behind the alias, if it begins with one."""
        return 1 if len(name.parts) > 1 and name.parts[0] in self._tables else 0
