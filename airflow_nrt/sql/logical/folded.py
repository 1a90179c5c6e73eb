"""Nodes of SELECTs that planning has rewritten, folded back into the one SELECT of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from airflow_nrt.sql.logical.filter import Filter, Subquery
from airflow_nrt.sql.logical.named import Derived
from airflow_nrt.sql.logical.node import Node, OneInput, Selected
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.logical.set_operation import SetOperation
from airflow_nrt.sql.logical.sort import Limit
from airflow_nrt.sql.parse import ast


def as_operation(tree: Node, operation: ast.SetOperation) -> SetOperation:
    """The node of UNION, INTERSECT or EXCEPT, which is planned as a GROUP BY over both of its sides."""
    left, right = _sides(tree, operation)
    return SetOperation(left, right, operation, operators=_operators(tree, (left, right)))


def as_groups(tree: Node, planned: ast.Select, written: ast.Select) -> Selected:
    """The node of a SELECT with GROUP BY and OVER, which is planned as a SELECT over a query of its groups."""
    assert isinstance(planned.relation, ast.Derived)
    above: list[Node] = []
    while not (isinstance(tree, Derived) and tree.query is planned.relation.query):
        above.insert(0, tree)
        tree = tree.inputs[0]
    groups = tree.input
    assert isinstance(groups, Selected)
    rows, operators = _unfiltered(groups.input), groups.operators
    for node in above:
        if isinstance(node, Subquery):
            rows = replace(node, input=rows)
        else:
            operators += node.operators
    return selected(written, rows, operators)


def as_written(tree: Node, query: ast.Query) -> Node:
    """The node of a query as a value. It is planned with other names, grouped by the columns that it compares with the
    row outside."""
    match tree:
        case Derived() | Limit():
            return replace(tree, input=as_written(tree.input, query))
        case Selected() if isinstance(query, ast.Select):
            return selected(query, _unfiltered(tree.input), tree.operators)
    return tree


def together(nodes: Sequence[Node]) -> Node:
    """The node of a SELECT over rows of different windows, which is planned once for each window."""
    first = nodes[0]
    if not isinstance(first, OneInput) or any(type(one) is not type(first) for one in nodes):
        return first
    below = together([one.input for one in nodes if isinstance(one, OneInput)])
    return replace(first, input=below, operators=tuple(dict.fromkeys(name for one in nodes for name in one.operators)))


def _unfiltered(node: Node) -> Node:
    return node.input if isinstance(node, Filter) else node


def _sides(node: Node, operation: ast.SetOperation) -> Iterator[Node]:
    """The nodes of the two queries of an operation."""
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
    """The operators of all nodes above these."""
    return tuple(dict.fromkeys(name for node in _above(tree, ends) for name in node.operators))


def _above(tree: Node, ends: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes above these, each after what it reads."""
    if not any(tree is end for end in ends):
        for node in tree.inputs:
            yield from _above(node, ends)
        yield tree
