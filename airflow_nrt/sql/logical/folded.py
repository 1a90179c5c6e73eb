"""Nodes of SELECTs that planning has written anew, folded back into the one that the report has."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.sql.logical.aggregate import Aggregate
from airflow_nrt.sql.logical.filter import Filter
from airflow_nrt.sql.logical.named import Derived
from airflow_nrt.sql.logical.node import Node, Selected
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.logical.set_operation import SetOperation
from airflow_nrt.sql.parse import ast


def as_operation(tree: Node, operation: ast.SetOperation) -> SetOperation:
    """UNION, INTERSECT or EXCEPT, which is planned as a GROUP BY over both of its sides."""
    left, right = _sides(tree, operation)
    return SetOperation(left, right, operation, operators=_operators(tree, (left, right)))


def as_groups(tree: Node, select: ast.Select) -> Selected:
    """A SELECT with GROUP BY and OVER, which is planned as one over a query of its groups."""
    groups = tree
    while not isinstance(groups, Aggregate):
        groups = groups.inputs[0]
    rows = groups.input.input if isinstance(groups.input, Filter) else groups.input
    return selected(select, rows, _operators(tree, (rows,)))


def _sides(node: Node, operation: ast.SetOperation) -> Iterator[Node]:
    """The nodes of its two queries."""
    match node:
        case Derived(query=query) if query is operation.left or query is operation.right:
            yield node.input
        case SetOperation(written=inner):
            for query, side in zip((inner.left, inner.right), node.inputs):
                is_side = query is operation.left or query is operation.right
                yield from (side,) if is_side else _sides(side, operation)
        case _:
            for below in node.inputs:
                yield from _sides(below, operation)


def _operators(tree: Node, ends: tuple[Node, ...]) -> tuple[str, ...]:
    """What keeps the state of all nodes above these."""
    return tuple(dict.fromkeys(name for node in _above(tree, ends) for name in node.operators))


def _above(tree: Node, ends: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes above these, each behind what it reads."""
    if not any(tree is end for end in ends):
        for node in tree.inputs:
            yield from _above(node, ends)
        yield tree
