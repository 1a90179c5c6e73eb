"""The expressions inside an expression."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.sql import ast


def children(node: ast.Expression) -> Iterator[ast.Expression]:
    """The direct parts of an expression; queries inside it are not entered."""
    match node:
        case ast.Unary(_, operand) | ast.Is(operand) | ast.Cast(operand):
            yield operand
        case ast.Binary(_, left, right):
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


def conjuncts(node: ast.Expression) -> Iterator[ast.Expression]:
    """The parts of a condition that AND joins."""
    if isinstance(node, ast.Binary) and node.operator == "AND":
        yield from conjuncts(node.left)
        yield from conjuncts(node.right)
    else:
        yield node
