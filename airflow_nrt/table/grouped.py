"""Tables between `group_by`, `window` or `over_window` and the select that says what is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.walk import rewritten
from airflow_nrt.table.expression import Expression
from airflow_nrt.table.naming import items_of
from airflow_nrt.table.places import here
from airflow_nrt.table.table import Table, check_windows, expressions
from airflow_nrt.table.windows import GroupWindow, OverWindow

_AUXILIARIES = {".start": "START", ".end": "END", ".rowtime": "ROWTIME", ".proctime": "PROCTIME"}


class GroupedTable:
    """A table with its group keys."""

    def __init__(self, table: Table, keys: tuple[Expression, ...], window: GroupWindow | None = None) -> None:
        self.table = table
        self.keys = keys
        self.window = window

    def select(self, *fields: Expression) -> Table:
        chosen = expressions(fields)
        check_windows((one.node for one in chosen), self.window.name if self.window is not None else None)
        # A key keeps its name, whatever it stands for below.
        items = tuple(
            replace(item, alias=item.alias or _own_name(item))
            for item in items_of((one.node, one.names) for one in chosen)
        )
        if self.window is not None and self.window.rows is not None:
            from airflow_nrt.table.row_counts import select_counted

            return select_counted(self.table, self.window, self.keys, items)
        relation, where = self.table.rows()
        group = [self.window.call] if self.window is not None else []
        keys = tuple(ast.Grouping("key", ((key,),), here()) for key in (*group, *(key.node for key in self.keys)))
        named = tuple(replace(item, expression=self._spelled(item.expression)) for item in items)
        return Table(self.table.environment, ast.Select(named, relation, here(), where=where, group=keys))

    def _spelled(self, node: ast.Expression) -> ast.Expression:
        """The expression with keys and properties of the window as GROUP BY has them."""
        aliases: Mapping[str, ast.Expression] = {key.names[0]: key.node for key in self.keys if key.names}

        def change(part: Any) -> Any:
            if isinstance(part, ast.Call) and part.name in _AUXILIARIES and self.window is not None:
                return replace(self.window.call, name=f"{self.window.kind}_{_AUXILIARIES[part.name]}", at=part.at)
            return aliases.get(part.parts[0]) if isinstance(part, ast.Name) and len(part.parts) == 1 else None

        return rewritten(node, change)


def _own_name(item: ast.SelectItem) -> str | None:
    return item.expression.parts[-1] if isinstance(item.expression, ast.Name) else None


class GroupWindowedTable:
    """A table with a window, whose alias must be among the keys."""

    def __init__(self, table: Table, window: GroupWindow) -> None:
        self.table = table
        self.window = window

    def group_by(self, *fields: Expression) -> GroupedTable:
        keys = expressions(fields)
        others = tuple(key for key in keys if key.node != ast.Name((self.window.name,), here()))
        if len(others) != len(keys) - 1:
            raise SqlError(f"group_by takes the window once, as col({self.window.name!r}), beside the keys", here())
        return GroupedTable(self.table, others, self.window)


class OverWindowedTable:
    """A table with row windows, which `.over(col(alias))` refers to."""

    def __init__(self, table: Table, windows: tuple[OverWindow, ...]) -> None:
        self.table = table
        self.windows = windows

    def select(self, *fields: Expression) -> Table:
        chosen = expressions(fields)
        check_windows((one.node for one in chosen), None)
        relation, where = self.table.rows()
        items = items_of((one.node, one.names) for one in chosen)
        windows = tuple((window.name, window.over) for window in self.windows)
        return Table(self.table.environment, ast.Select(items, relation, here(), where=where, windows=windows))
