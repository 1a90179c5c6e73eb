"""`SELECT … FROM (SELECT …, ROW_NUMBER() OVER (…) AS n …) WHERE n <= 3`: a WHERE on a rank makes it a Top-N.

The ranking of a view stays a ranking, because others may read more of its rows.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.sql.logical.filter import Filter, Subquery
from airflow_nrt.sql.logical.named import Derived
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.project import Project
from airflow_nrt.sql.logical.rank import Deduplicate, Rank, TopN
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, children, conjuncts

_MIRRORED = {"<": ">", "<=": ">=", "=": "=", ">": "<", ">=": "<="}


def with_top_n(node: Node) -> Node:
    """The node with a Top-N, if it is a filter of ranks."""
    if not isinstance(node, Filter):
        return node
    derived = _derived(node.input)
    rank = None if derived is None else _rank(derived)
    column = None if rank is None else rank.ranked.alias
    parts = tuple(conjuncts(node.condition))
    kept = all_of(part for part in parts if column in _names(part))
    if derived is None or rank is None or column is None or kept is None:
        return node
    limit = None if derived.columns else limit_of(node.condition, column, derived.alias)
    kind = Deduplicate if limit == 1 and rank.call.name == "ROW_NUMBER" else TopN
    top = kind(rank.input, rank, kept, limit, operators=rank.operators)
    rest = all_of(part for part in parts if column not in _names(part))
    rows = _exchanged(node.input, rank, top)
    return rows if rest is None else replace(node, input=rows, condition=rest)


def limit_of(where: ast.Expression, column: str, table: str | None) -> int | None:
    """The greatest value of a column of a table that a condition lets pass, None if any may."""
    names = ((column,), (table, column))
    limits = [_limit(part, names) for part in conjuncts(where)]
    return min((limit for limit in limits if limit is not None), default=None)


def _limit(part: ast.Expression, names: tuple[tuple[str | None, ...], ...]) -> int | None:
    match part:
        case ast.Binary(operator, left, right) if operator in _MIRRORED:
            if _is(right, names):
                operator, left, right = _MIRRORED[operator], right, left
            value = _integer(right) if _is(left, names) else None
            if value is None or operator in (">", ">="):
                return None
            return value - 1 if operator == "<" else value
        case ast.Between(operand, _, high, negated) if _is(operand, names) and not negated:
            return _integer(high)
    return None


def _is(node: ast.Expression, names: tuple[tuple[str | None, ...], ...]) -> bool:
    return isinstance(node, ast.Name) and node.parts in names


def _integer(node: ast.Expression) -> int | None:
    return node.whole if isinstance(node, ast.Literal) else None


def _derived(node: Node) -> Derived | None:
    """The query in parentheses below a filter."""
    while isinstance(node, Subquery):
        node = node.input
    return node if isinstance(node, Derived) else None


def _rank(node: Node) -> Rank | None:
    """The ranking below queries that only select its columns."""
    while isinstance(node, Derived) or (isinstance(node, Project) and not node.facts):
        node = node.input
    return node if isinstance(node, Rank) else None


def _exchanged(node: Node, rank: Rank, top: TopN) -> Node:
    """The tree with the Top-N in place of the ranking."""
    if node is rank:
        return top
    assert isinstance(node, (Derived, Project, Subquery))
    return replace(node, input=_exchanged(node.input, rank, top))


def _names(node: ast.Expression) -> set[str | None]:
    """The columns that an expression reads, by their last names."""
    own = {node.parts[-1]} if isinstance(node, ast.Name) else set()
    return own.union(*map(_names, children(node)))
