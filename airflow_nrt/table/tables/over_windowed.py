"""Tables between `over_window` and the select that says what is computed over its row windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Generic

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.expressions.known_functions import calling
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, rewritten
from airflow_nrt.table.checks.arguments import Unfinished
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import WINDOW_PROPERTIES, Expression
from airflow_nrt.table.tables.rows import R, another
from airflow_nrt.table.windows.windows import OverWindow


class OverWindowedTable(Unfinished, Generic[R]):
    """A table with row windows, which `.over(col(alias))` refers to."""

    unfinished = "over_window is no table yet: it goes on with .select(…)"

    def __init__(self, table: R, windows: tuple[OverWindow, ...]) -> None:
        self.table = table
        self.windows = windows
        self._check_windows()

    def select(self, *fields: Expression) -> R:
        chosen = self.table.environment.chosen(fields)
        self._check_aggregates(chosen)
        named = self.table.environment.items(self._without_star(chosen))
        items = tuple(replace(item, expression=rewritten(item.expression, self._bound)) for item in named)
        table = self.table
        for window in self.windows:
            for column in window.below:
                table = table.with_column(self.table.environment.named(column))
        relation, where = table.rows()
        windows = tuple((window.name, self.table.environment.named(window.over)) for window in self.windows)
        return another(self.table, ast.Select(items, relation, here(), where=where, windows=windows))

    def _check_windows(self) -> None:
        """Raises SqlError for two windows of one name, and for a window that is not on a time attribute."""
        scope = Scope(self.table.columns)
        names = [window.name for window in self.windows]
        for window in self.windows:
            if names.count(window.name) > 1:
                raise SqlError(f"two row windows are called {window.name!r}: give one another alias", window.over.at)
            column = scope.find(window.on) if window.on is not None else None
            if column is not None and not (column.rowtime or column.proctime):
                times = [one.name for one in scope.columns if one.rowtime or one.proctime]
                hint = f", as {' or '.join(times)}" if times else ", which WATERMARK or PROCTIME() declares"
                raise SqlError(f"a row window is on a time attribute{hint}: {column.title!r} is none", window.over.at)

    def _bound(self, part: Any) -> ast.Expression | None:
        """The begin or end of a window, if an expression asks for it."""
        if not isinstance(part, ast.Call) or part.name[:1] != "." or part.name[1:] not in WINDOW_PROPERTIES:
            return None
        what, (of,) = part.name[1:], part.arguments
        name = of.parts[0] if isinstance(of, ast.Name) else ""
        window = next((one for one in self.windows if one.name == name), None)
        if window is None:
            raise SqlError(
                f"there is no row window {name!r} here: it comes from .over_window(….alias({name!r}))", part.at
            )
        if what in ("rowtime", "proctime"):
            raise SqlError(f"each row keeps its time: select that column in place of .{what}", part.at)
        bound = window.start if what == "start" else window.end
        if bound is None:
            least = "max" if what == "end" else "min"
            raise SqlError(
                f"{what} is one of TumbleRows of a time, and of SessionRows; of the times of these rows it is "
                f"col('ts').{least}.over(col({name!r}))",
                part.at,
            )
        return bound

    def _check_aggregates(self, fields: tuple[Expression, ...]) -> None:
        """Raises SqlError for an aggregate without a row window: it would be over the whole table."""
        with calling(self.table.environment.planner().functions):
            bare = next((call for one in fields for call in aggregates_in(one.node)), None)
        if bare is not None:
            raise SqlError(f"{bare.name} has no row window here: .over(col({self.windows[0].name!r}))", bare.at)

    def _without_star(self, fields: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """The fields, with the table's own columns for `*`, which would include those below the windows."""
        columns = [Expression(ast.Name((column.name,), here())) for column in self.table.columns]
        return tuple(field for one in fields for field in (columns if isinstance(one.node, ast.Star) else [one]))


def aggregates_in(node: ast.Expression) -> Iterator[ast.Call]:
    """The aggregates in an expression that have no row window."""
    if isinstance(node, ast.Call) and is_aggregate(node):
        yield node
    for part in children(node):
        yield from aggregates_in(part)
