"""The older form of windows: `GROUP BY TUMBLE(ts, size)` with `TUMBLE_START(ts, size)` and its kin.

It is written anew as the windowing function below the aggregation: the same windows, the same lateness. But it adds no
columns that a query can name: those of its window have names of their own, so that the input may have any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, rewritten

T = TypeVar("T")

_ARGUMENTS = {"TUMBLE": (2, 3), "HOP": (3, 4), "CUMULATE": (3, 4), "SESSION": (2, 2)}
_AUXILIARIES = {"START": "start", "END": "end", "ROWTIME": "time", "PROCTIME": "time"}
OWN_NAMES = {role: f"_nrt_window_{role}" for role in ("start", "end", "time")}
"""By role, how the columns of such a window are called."""
_TIMES = ("ROWTIME", "PROCTIME")


@dataclass(frozen=True)
class GroupedWindow:
    """The select with names of window columns, and the windowing function as a call on its time column.

    `times` are its calls for a time attribute of the window.
    """

    select: ast.Select
    call: ast.Call
    timecol: ast.Name
    times: tuple[ast.Call, ...] = ()

    def check_times(self, by_clock: bool) -> None:
        """Raises SqlError if a rowtime is asked of a window over processing time, or the other way round."""
        for call in self.times:
            if by_clock and call.name.endswith("_ROWTIME"):
                raise SqlError("A proctime window cannot provide a rowtime attribute.", call.at)
            if not by_clock and call.name.endswith("_PROCTIME"):
                raise NotThereYet(f"{call.name} of a window over a rowtime", call.at)


def grouped_window(node: ast.Select) -> GroupedWindow | None:
    """What a SELECT with a window in its GROUP BY means; None if it has none."""
    calls = [key for group in node.group or () for keys in group.sets for key in keys if _is_window(key)]
    if not calls:
        return None
    call = calls[0]
    assert isinstance(call, ast.Call)
    if any(other != call for other in calls):
        raise SqlError("GROUP BY takes one window", calls[-1].at)
    least, most = _ARGUMENTS[call.name]
    timecol = call.arguments[0] if call.arguments else None
    if not least <= len(call.arguments) <= most or not isinstance(timecol, ast.Name):
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


def _is_window(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.name in _ARGUMENTS


def is_auxiliary(node: ast.Expression, *kinds: str) -> bool:
    """Whether it is a call such as TUMBLE_START."""
    if not isinstance(node, ast.Call):
        return False
    window, _, what = node.name.rpartition("_")
    return window in _ARGUMENTS and what in (kinds or _AUXILIARIES)


def _parts(node: ast.Expression) -> Iterator[ast.Expression]:
    yield node
    for child in children(node):
        yield from _parts(child)


def _window_name(what: str, call: ast.Call) -> ast.Name:
    return ast.Name((OWN_NAMES[_AUXILIARIES[what]],), call.at)


def _named(node: T, call: ast.Call) -> T:
    """The same with window columns in place of the auxiliary calls."""

    def change(part: Any) -> Any:
        if not isinstance(part, ast.Call) or not is_auxiliary(part):
            return None
        window, _, what = part.name.rpartition("_")
        if window != call.name or part.arguments != call.arguments:
            raise SqlError(f"{part.name} must repeat the arguments of {call.name} in GROUP BY", part.at)
        return _window_name(what, call)

    return rewritten(node, change)
