"""QUALIFY, rewritten as a WHERE over the SELECT, which has the calls with OVER of the condition as columns, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import column_of_call
from airflow_nrt.sql.parse.walk import rewritten

_CALL = "QUALIFY$"
"""How the names of these columns begin. A number follows."""


def qualified(select: ast.Select, condition: ast.Expression) -> ast.Select:
    """SELECT DISTINCT … FROM (SELECT …, ROW_NUMBER() OVER (…) AS QUALIFY$0 FROM …) WHERE QUALIFY$0 <= 3

    without QUALIFY$0 among its columns. The condition may also name the columns of the SELECT.
    """
    calls: dict[ast.Call, str] = {}

    def column(node: Any) -> ast.Name | None:
        if not isinstance(node, ast.Call) or node.over is None:
            return None
        return column_of_call(calls.setdefault(node, f"{_CALL}{len(calls)}"), node)

    where = rewritten(condition, column)
    items = tuple(ast.SelectItem(call, name) for call, name in calls.items())
    inner = replace(select, items=(*select.items, *items), distinct=False)
    star = ast.Star(None, select.at, tuple(calls.values()))
    return ast.Select((ast.SelectItem(star, None),), ast.Derived(inner, select.at), select.at, select.distinct, where)
