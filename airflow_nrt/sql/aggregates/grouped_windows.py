"""The older form of windows: `GROUP BY TUMBLE(ts, size)` with `TUMBLE_START(ts, size)` and the like.

It is rewritten as a windowing function below the aggregation, with the same windows and the same lateness. It adds no
columns that a query can name: its window columns have internal names, so that the input may have columns of any name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.window_functions import WINDOW_FUNCTIONS
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, rewritten

T = TypeVar("T")

_AUXILIARIES = {"START": "start", "END": "end", "ROWTIME": "time", "PROCTIME": "time"}
OWN_NAMES = {role: f"_nrt_window_{role}" for role in ("start", "end", "time")}
"""The names of the columns of such a window, by role."""
CLOCK_COLUMN = "_nrt_proctime"
"""The time column of a window whose time is PROCTIME()."""
_TIMES = ("ROWTIME", "PROCTIME")


@dataclass(frozen=True)
class GroupedWindow:
    """The SELECT with window columns instead of calls, and the `call` in GROUP BY with its time column.

    `times` are its calls of TUMBLE_ROWTIME and the like, which return a time attribute.
    """

    select: ast.Select
    call: ast.Call
    timecol: ast.Name
    times: tuple[ast.Call, ...] = ()

    @property
    def reads_clock(self) -> bool:
        """Whether its time is no column of the rows: `TUMBLE(PROCTIME(), …)`."""
        return _is_clock(self.call.arguments[0])

    def check_times(self, by_clock: bool) -> None:
        """Raises SqlError for the rowtime of a window over processing time, or the other way round."""
        for call in self.times:
            if by_clock and call.name.endswith("_ROWTIME"):
                raise SqlError("A proctime window cannot provide a rowtime attribute.", call.at)
            if not by_clock and call.name.endswith("_PROCTIME"):
                raise NotThereYet(f"{call.name} of a window over a rowtime", call.at)


def grouped_window(node: ast.Select) -> GroupedWindow | None:
    """The window in the GROUP BY of a SELECT, None if it has none. Raises SqlError."""
    calls = [key for group in node.group or () for keys in group.sets for key in keys if _is_window(key)]
    if not calls:
        return None
    call = calls[0]
    assert isinstance(call, ast.Call)
    if any(other != call for other in calls):
        raise SqlError("GROUP BY takes one window", calls[-1].at)
    function = WINDOW_FUNCTIONS[call.name]
    timecol = call.arguments[0] if call.arguments else None
    if _is_clock(timecol):
        timecol = ast.Name((CLOCK_COLUMN,), call.at)
    if not len(function.lengths) <= len(call.arguments) - 1 <= len(function.intervals) or not isinstance(
        timecol, ast.Name
    ):
        raise SqlError(f"{call.name} in GROUP BY takes a time column and its intervals", call.at)
    groups = []
    for group in node.group or ():
        keys = [part for keys in group.sets for part in keys]
        if group.kind == "key" and keys == [call]:
            groups += [ast.Grouping("key", ((_window_name(role, call),),), call.at) for role in ("START", "END")]
        else:
            groups.append(group)
    items = tuple(
        replace(item, alias=item.alias or (f"EXPR${index}" if is_auxiliary(item.expression) else None))
        for index, item in enumerate(node.items)
    )
    select = replace(
        node, items=_named(items, call), group=_named(tuple(groups), call), having=_named(node.having, call)
    )
    time_key = ast.Grouping("key", ((_window_name("ROWTIME", call),),), call.at)
    times = tuple(
        part
        for item in node.items
        for part in _parts(item.expression)
        if isinstance(part, ast.Call) and is_auxiliary(part, *_TIMES)
    )
    if times:
        select = replace(select, group=(*(select.group or ()), time_key))
    return GroupedWindow(select, call, timecol, times)


def _is_clock(node: ast.Expression | None) -> bool:
    return isinstance(node, ast.Call) and node.name == "PROCTIME" and not node.arguments


def _is_window(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.name in WINDOW_FUNCTIONS


def is_auxiliary(node: ast.Expression, *kinds: str) -> bool:
    """Whether it is a call such as TUMBLE_START."""
    if not isinstance(node, ast.Call):
        return False
    window, _, what = node.name.rpartition("_")
    return window in WINDOW_FUNCTIONS and what in (kinds or _AUXILIARIES)


def _parts(node: ast.Expression) -> Iterator[ast.Expression]:
    yield node
    for child in children(node):
        yield from _parts(child)


def _window_name(what: str, call: ast.Call) -> ast.Name:
    return ast.Name((OWN_NAMES[_AUXILIARIES[what]],), call.at)


def _named(node: T, call: ast.Call) -> T:
    """The node with window columns in place of auxiliary calls. Raises SqlError if their arguments differ."""

    def change(part: Any) -> Any:
        if not isinstance(part, ast.Call) or not is_auxiliary(part):
            return None
        window, _, what = part.name.rpartition("_")
        if window != call.name or part.arguments != call.arguments:
            raise SqlError(f"{part.name} must repeat the arguments of {call.name} in GROUP BY", part.at)
        return _window_name(what, call)

    return rewritten(node, change)
