"""UNION, INTERSECT and EXCEPT, rewritten as a GROUP BY over both sides.

The rows of each side are marked. A row is in both sides if its group has both marks. With ALL, equal rows of a side are
numbered, so that they differ: the second row of one side is in the other if that has a second one, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.updating.limit import EQUAL

_MARKS, _NUMBER = ("SET$LEFT", "SET$RIGHT"), "SET$NUMBER"


def as_grouping(node: ast.SetOperation, names: Sequence[str]) -> ast.Select:
    """The operation as a SELECT of columns with these names. It is no UNION ALL."""
    at = node.at
    marked = node.operator != "UNION"
    sides = [_numbered(side, names, at) if node.all else side for side in (node.left, node.right)]
    sides = [_marked(side, n, at) if marked else side for n, side in enumerate(sides)]
    columns = [ast.Name((name,), at) for name in names]
    keys = [*columns, *([ast.Name((_NUMBER,), at)] if node.all else [])]
    return ast.Select(
        tuple(ast.SelectItem(column, None) for column in columns),
        ast.Derived(ast.SetOperation("UNION", True, sides[0], sides[1], at, written=node.words), at),
        at,
        group=tuple(ast.Grouping("key", ((key,),), at) for key in keys),
        having=_having(node.operator, at) if marked else None,
    )


def _numbered(side: ast.Query, names: Sequence[str], at: Place) -> ast.Select:
    columns = tuple(ast.Name((name,), at) for name in names)
    number = ast.Call("ROW_NUMBER", (), at, over=ast.Over(columns, (EQUAL,), None, None, at))
    items = (*(ast.SelectItem(column, None) for column in columns), ast.SelectItem(number, _NUMBER))
    return ast.Select(items, ast.Derived(side, at, None, tuple(names)), at)


def _marked(side: ast.Query, position: int, at: Place) -> ast.Select:
    marks = (ast.SelectItem(_number(n == position, at), name) for n, name in enumerate(_MARKS))
    return ast.Select((ast.SelectItem(ast.Star(None, at), None), *marks), ast.Derived(side, at), at)


def _having(operator: str, at: Place) -> ast.Expression:
    left, right = (ast.Call("MAX", (ast.Name((mark,), at),), at) for mark in _MARKS)
    in_right = ast.Binary("=", right, _number(operator == "INTERSECT", at), at)
    return ast.Binary("AND", ast.Binary("=", left, _number(True, at), at), in_right, at)


def _number(truth: bool, at: Place) -> ast.Literal:
    return ast.Literal("number", "1" if truth else "0", at)
