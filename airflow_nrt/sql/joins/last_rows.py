"""A view of the last row of each key by rowtime, as a versioned table:

    SELECT … FROM (SELECT …, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM t) WHERE n = 1

Each row was the last one of its key from its time on, until the next one came. So its versions are all rows of `t`.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.types import BIGINT
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.logical.top_n import limit_of
from airflow_nrt.sql.over.row_windows import is_row_number
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import conjuncts


def all_versions(view: ast.Query, at: Place) -> tuple[ast.Select, tuple[str, ...]]:
    """The query of all versions that a view of last rows has ever had, and its key. The row number of each is 1.

    Raises NotThereYet for any other view.
    """
    derived = view.relation if isinstance(view, ast.Select) else None
    ranked = derived.query if isinstance(derived, ast.Derived) else None
    if isinstance(view, ast.Select) and isinstance(derived, ast.Derived) and isinstance(ranked, ast.Select):
        numbers = [item for item in ranked.items if is_row_number(item.expression)]
        names = _names(numbers[0].expression) if len(numbers) == 1 else ()
        selects_only = _is_plain(view) and _is_plain(ranked) and not derived.columns
        if names and selects_only and _is_first(view, derived, numbers[0]) and _keeps(names, view, ranked):
            one = ast.Cast(ast.Literal("number", "1", at), BIGINT, True, at)
            items = tuple(replace(item, expression=one) if item is numbers[0] else item for item in ranked.items)
            rows = replace(derived, query=replace(ranked, items=items))
            return replace(view, relation=rows, where=None), names[:-1]
    raise NotThereYet(
        "FOR SYSTEM_TIME AS OF a view that is not the last row of each key",
        at,
        "a view of ROW_NUMBER() OVER (PARTITION BY key ORDER BY rowtime DESC) = 1 is there",
    )


def _names(call: ast.Expression) -> tuple[str, ...]:
    """The key and the time by which a ranking finds the last rows. None if it does not, or by other than columns."""
    assert isinstance(call, ast.Call) and call.over is not None
    by = (*call.over.partition, *(item.expression for item in call.over.order))
    is_last = len(call.over.order) == 1 and call.over.order[0].descending and bool(call.over.partition)
    names = tuple(one.parts[-1] for one in by if isinstance(one, ast.Name))
    return names if is_last and len(names) == len(by) else ()


def _is_plain(select: ast.Select) -> bool:
    """Whether it has only columns, FROM and WHERE."""
    return replace(select, items=(), relation=None, where=None, hints=()) == ast.Select((), None, select.at)


def _is_first(view: ast.Select, derived: ast.Derived, number: ast.SelectItem) -> bool:
    """Whether the WHERE of the view is nothing but `n = 1`."""
    parts = [] if view.where is None else list(conjuncts(view.where))
    return len(parts) == 1 and limit_of(parts[0], number.alias or "", derived.alias) == 1


def _keeps(names: tuple[str, ...], *selects: ast.Select) -> bool:
    """Whether all of these pass on columns under their names."""
    return all(any(_passes(item, name) for item in one.items) for one in selects for name in names)


def _passes(item: ast.SelectItem, name: str) -> bool:
    match item.expression:
        case ast.Star():
            return name not in item.expression.without
        case ast.Name(parts):
            return parts[-1] == name and item.alias in (None, name)
    return False
