"""UNION, INTERSECT and EXCEPT of distinct rows, written anew as what they mean: a GROUP BY over both sides.

Each side's rows are marked; a row is in both sides if both marks are among its group.
"""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import NotThereYet, Place

_MARKS = ("SET$LEFT", "SET$RIGHT")


def as_grouping(node: ast.SetOperation, names: Sequence[str]) -> ast.Select:
    """The operation as a SELECT of columns with these names. Raises NotThereYet for repeated rows."""
    at = node.at
    if node.all:
        raise NotThereYet(f"{node.operator} ALL", at)
    marked = node.operator != "UNION"
    sides = [_marked(side, n, at) if marked else side for n, side in enumerate((node.left, node.right))]
    columns = [ast.Name((name,), at) for name in names]
    return ast.Select(
        tuple(ast.SelectItem(column, None) for column in columns),
        ast.Derived(ast.SetOperation("UNION", True, sides[0], sides[1], at), at),
        at,
        group=tuple(ast.Grouping("key", ((column,),), at) for column in columns),
        having=_having(node.operator, at) if marked else None,
    )


def _marked(side: ast.Query, position: int, at: Place) -> ast.Select:
    marks = (ast.SelectItem(_number(n == position, at), name) for n, name in enumerate(_MARKS))
    return ast.Select((ast.SelectItem(ast.Star(None, at), None), *marks), ast.Derived(side, at), at)


def _having(operator: str, at: Place) -> ast.Expression:
    left, right = (ast.Call("MAX", (ast.Name((mark,), at),), at) for mark in _MARKS)
    in_right = ast.Binary("=", right, _number(operator == "INTERSECT", at), at)
    return ast.Binary("AND", ast.Binary("=", left, _number(True, at), at), in_right, at)


def _number(truth: bool, at: Place) -> ast.Literal:
    return ast.Literal("number", "1" if truth else "0", at)
