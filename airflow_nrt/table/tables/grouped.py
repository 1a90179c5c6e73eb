"""Tables between `group_by`, `window` or `over_window` and the select that says what is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Generic

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.expressions.known_functions import calling
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten
from airflow_nrt.table.checks.arguments import Unfinished
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.tables.aggregated import AggregatedTable
from airflow_nrt.table.tables.row_counts import select_counted
from airflow_nrt.table.tables.row_functions import called
from airflow_nrt.table.tables.rows import R, another, check_windows
from airflow_nrt.table.windows.windows import GroupWindow

_AUXILIARIES = {".start": "START", ".end": "END", ".rowtime": "ROWTIME", ".proctime": "PROCTIME"}


class GroupedTable(Unfinished, Generic[R]):
    """A table with its group keys."""

    unfinished = "group_by is no table yet: it goes on with .select(…), .aggregate(…) or .flat_aggregate(…)"

    def __init__(self, table: R, keys: tuple[Expression, ...], window: GroupWindow | None = None) -> None:
        self.table = table
        self.keys = keys
        self.window = window

    def select(self, *fields: Expression) -> R:
        chosen = self.table.environment.chosen(fields)
        check_windows((one.node for one in chosen), self.window.name if self.window is not None else None)
        # A key keeps its name, whatever the name means below.
        items = tuple(
            replace(item, alias=item.alias or _own_name(item)) for item in self.table.environment.items(chosen)
        )
        if self.window is not None and self.window.rows is not None:
            return select_counted(self.table, self.window, self.keys, items)
        relation, where = self.table.rows()
        group = [self.window.call] if self.window is not None else []
        keys = (
            tuple(ast.Grouping("key", ((key,),), here()) for key in (*group, *(key.node for key in self.keys))) or None
        )
        with calling(self.table.environment.planner().functions):
            named = tuple(replace(item, expression=self._spelled(item.expression)) for item in items)
        return another(self.table, ast.Select(named, relation, here(), where=where, group=keys))

    def aggregate(self, func: Any) -> AggregatedTable[R]:
        """An aggregate whose fields become columns."""
        return self._aggregated(func, "udaf", "aggregate")

    def flat_aggregate(self, func: Any) -> AggregatedTable[R]:
        """An aggregate that gives any number of rows for each group. PyFlink has it only without windows."""
        return self._aggregated(func, "udtaf", "flat_aggregate")

    def _aggregated(self, func: Any, kind: str, method: str) -> AggregatedTable[R]:
        call, function = called(self.table, func, (kind,), method)
        return AggregatedTable(self.table, self.keys, self.select, call, function, method)

    def _spelled(self, node: ast.Expression) -> ast.Expression:
        """The expression, with keys and properties of the window in the form of GROUP BY.

        An aggregate reads the rows below, where the alias of a key may be the name of another column.
        """
        aliases: Mapping[str, ast.Expression] = {key.names[0]: key.node for key in self.keys if key.names}

        def of_window(part: Any) -> Any:
            if isinstance(part, ast.Call) and part.name in _AUXILIARIES and self.window is not None:
                return replace(self.window.call, name=f"{self.window.kind}_{_AUXILIARIES[part.name]}", at=part.at)
            return None

        def change(part: Any) -> Any:
            if isinstance(part, ast.Call) and is_aggregate(part):
                return rewritten(part, of_window)
            if isinstance(part, ast.Name) and len(part.parts) == 1:
                return aliases.get(part.parts[0])
            return of_window(part)

        return rewritten(node, change)


def _own_name(item: ast.SelectItem) -> str | None:
    return item.expression.parts[-1] if isinstance(item.expression, ast.Name) else None


class GroupWindowedTable(Unfinished, Generic[R]):
    """A table with a window, whose alias must be among the keys."""

    unfinished = "window is no table yet: it goes on with .group_by(col('w'))"

    def __init__(self, table: R, window: GroupWindow) -> None:
        self.table = table
        self.window = window

    def group_by(self, *fields: Expression) -> GroupedTable[R]:
        keys = self.table.environment.expressions(fields)
        others = tuple(key for key in keys if key.node != ast.Name((self.window.name,), here()))
        if len(others) != len(keys) - 1:
            raise SqlError(f"group_by takes the window once, as col({self.window.name!r}), beside the keys", here())
        return GroupedTable(self.table, others, self.window)
