"""Traversal of expressions: their parts, and copies with replaced parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_not
from typing import Any, TypeVar

from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast

T = TypeVar("T")


def children(node: ast.Expression) -> Iterator[ast.Expression]:
    """The direct parts of an expression. Those of queries inside it are not among them."""
    match node:
        case ast.Unary(_, operand) | ast.Is(operand) | ast.Cast(operand) | ast.Dot(operand) | ast.Quantified(operand):
            yield operand
        case ast.Binary(_, left, right) | ast.Difference(left, right):
            yield from (left, right)
        case ast.Between(operand, low, high):
            yield from (operand, low, high)
        case ast.In(operand, values):
            yield from (operand, *values)
        case ast.Like(operand, pattern, escape):
            yield from (operand, pattern)
            if escape is not None:
                yield escape
        case ast.Case(operand, branches, default):
            if operand is not None:
                yield operand
            for when, then in branches:
                yield from (when, then)
            if default is not None:
                yield default
        case ast.Call():
            yield from node.arguments
            if node.filter is not None:
                yield node.filter
        case ast.Index(operand, index):
            yield from (operand, index)
        case ast.Named(_, value):
            yield value


def has_over(node: ast.Expression) -> bool:
    """Whether an expression contains a call with OVER."""
    return (isinstance(node, ast.Call) and node.over is not None) or any(has_over(child) for child in children(node))


def is_test(node: ast.Expression) -> bool:
    """Whether an expression looks into a query: `IN (SELECT …)`, EXISTS, `> ALL (SELECT …)`."""
    return isinstance(node, (ast.Exists, ast.Quantified)) or (isinstance(node, ast.In) and node.query is not None)


def conjuncts(node: ast.Expression) -> Iterator[ast.Expression]:
    """The parts of a condition that AND joins."""
    if isinstance(node, ast.Binary) and node.operator == "AND":
        yield from conjuncts(node.left)
        yield from conjuncts(node.right)
    else:
        yield node


def all_of(parts: Iterable[ast.Expression]) -> ast.Expression | None:
    """The condition of these parts, joined by AND. None if there are none."""
    whole: ast.Expression | None = None
    for part in parts:
        whole = part if whole is None else ast.Binary("AND", whole, part, part.at)
    return whole


def unqualified(node: T, alias: str | None) -> T:
    """The node with `alias.column` as `column`, so that both are one expression. Queries inside are unchanged."""

    def change(part: Any) -> Any:
        if not isinstance(part, ast.Name):
            return None
        return replace(part, parts=part.parts[1:]) if len(part.parts) > 1 and part.parts[0] == alias else part

    return rewritten(node, change) if alias is not None else node


def rewritten(node: T, change: Callable[[Any], Any]) -> T:
    """The node with parts replaced. `change` returns the replacement of a part, or None to visit its parts.

    Queries inside are unchanged.
    """
    changed: Any = change(node)
    if changed is None:
        changed = _inside(node, change)
    result: T = changed
    return result


def _inside(node: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(node, tuple):
        parts = tuple(rewritten(part, change) for part in node)
        return parts if any(map(is_not, parts, node)) else node
    if isinstance(node, (ast.Select, ast.SetOperation, ast.Values)):
        return node
    before = {name: getattr(node, name) for name in part_names(node)}
    after = {name: rewritten(part, change) for name, part in before.items()}
    changed = {name: part for name, part in after.items() if part is not before[name]}
    return replace(node, **changed) if changed else node


def part_names(node: Any) -> tuple[str, ...]:
    """The names of the fields of a node; none of what is no node, such as its place."""
    kind: Any = type(node)
    return _part_names(kind)


# A script has some thousand parts of some ten kinds: each kind is looked at once.
@cache
def _part_names(kind: Any) -> tuple[str, ...]:
    if issubclass(kind, Place) or not is_dataclass(kind):
        return ()
    return tuple(part.name for part in fields(kind))
