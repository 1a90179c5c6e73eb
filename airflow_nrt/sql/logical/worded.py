"""A clause with steps instead of its queries: `price > (step 2)` for `price > (SELECT AVG(price) FROM orders)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten

Clause = TypeVar("Clause", bound=Node)
Steps = Sequence[tuple[ast.Query, "str | int"]]
"""Queries, each with its step or its table."""


def worded(clause: Clause, steps: Steps) -> Clause:
    if not steps:
        return clause

    def change(part: Any) -> Any:
        match part:
            case Node():
                return part
            case ast.In(operand, _, ast.Select() | ast.SetOperation() | ast.Values() as query, _, at):
                step = ast.Keyword(_named(query, steps), at)
                return replace(part, operand=rewritten(operand, change), values=(step,), query=None)
            case ast.Exists(query, at):
                return ast.Keyword(f"EXISTS ({_named(query, steps)})", at)
            case ast.Scalar(query, at):
                return ast.Keyword(f"({_named(query, steps)})", at)
        return None

    return replace(clause, **{one.name: rewritten(getattr(clause, one.name), change) for one in fields(clause)})


def _named(query: ast.Query, steps: Steps) -> str:
    """The step of a query, or its table. Equal queries as values are one step."""
    same = [step for known, step in steps if known is query] or [step for known, step in steps if known == query]
    step = same[0] if same else "…"
    return f"step {step}" if isinstance(step, int) else step
