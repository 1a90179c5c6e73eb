"""GROUPING SETS, CUBE and ROLLUP: one aggregation for each grouping set, and the union of their results.

Each set has its own keys, and so its own state. The sets of a window fire together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from airflow_nrt.basics.types import BIGINT
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.from_clause.unions import union_all
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.key_sets import Keys, grouping_sets
from airflow_nrt.sql.parse.walk import children, rewritten
from airflow_nrt.sql.relations.relation import Relation

OF_SETS = ("GROUPING", "GROUPING_ID", "GROUP_ID")
T = TypeVar("T")


def plan_grouping_sets(node: ast.Select, plan_one: Callable[[ast.Select], Relation]) -> Relation:
    """The union of the aggregations by each set. `plan_one` plans a SELECT with a plain GROUP BY."""
    assert node.group is not None
    sets = grouping_sets(node.group)
    every = tuple(dict.fromkeys(sum(sets, ())))
    # Columns without an alias get the name that their text gives them, whatever replaces their expressions.
    items = tuple(
        replace(item, alias=item.alias or _title(item.expression, index)) for index, item in enumerate(node.items)
    )
    relations = []
    for index, keys in enumerate(sets):
        absent = [key for key in every if key not in keys]
        one_set = _Set(index, every, tuple(absent), sum(set(other) == set(keys) for other in sets[:index]))
        one = replace(
            node,
            group=tuple(ast.Grouping("key", ((key,),), node.at) for key in keys),
            items=tuple(replace(item, expression=_in_set(item.expression, one_set)) for item in items),
            having=None if node.having is None else _in_set(node.having, one_set),
        )
        relations.append(plan_one(one))
    if len({relation.window for relation in relations}) > 1:
        raise NotThereYet("grouping sets with both window bounds beside others", node.at, "add the bounds to each")
    return union_all(relations)


def _title(node: ast.Expression, index: int) -> str:
    return node.parts[-1] if isinstance(node, ast.Name) else f"EXPR${index}"


@dataclass(frozen=True)
class _Set:
    """A grouping set: its number, `every` key of all sets, those that it lacks, and how many equal sets precede it."""

    number: int
    every: Keys
    absent: Keys
    repeated: int


def calls_grouping(node: ast.Select) -> bool:
    """Whether a SELECT calls GROUPING, GROUPING_ID or GROUP_ID. It may do so with a single grouping set, too."""
    parts = [item.expression for item in node.items] + ([node.having] if node.having is not None else [])
    return any(map(_has_grouping, parts))


def _has_grouping(node: ast.Expression) -> bool:
    return _is_of_sets(node) or any(map(_has_grouping, children(node)))


def _is_of_sets(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.name in OF_SETS


def _in_set(node: T, one: _Set) -> T:
    """The expression in one set: absent keys are NULL, and GROUPING, GROUPING_ID and GROUP_ID are numbers."""

    def change(part: Any) -> Any:
        if isinstance(part, ast.Call) and part.name in OF_SETS:
            number = one.repeated if part.name == "GROUP_ID" else _absent_bits(part, one)
            return ast.Cast(ast.Literal("number", str(number), part.at), BIGINT.with_nullable(False), True, part.at)
        if isinstance(part, ast.Uuid):
            # A key that is absent looks like one that is NULL.
            return replace(part, name=f"{part.name} set {one.number}")
        if part in one.absent:
            return ast.Absent(part, part.at)
        # An aggregate takes the rows as they are.
        return part if isinstance(part, ast.Call) and is_aggregate(part) else None

    return rewritten(node, change)


def _absent_bits(node: ast.Call, one: _Set) -> int:
    """A bit for each key, which is set if the key is absent. The first key is the highest bit."""
    bits = ["1" if _known(key, one.every, node) in one.absent else "0" for key in node.arguments]
    return int("".join(bits) or "0", 2)


def _known(key: ast.Expression, every: Keys, node: ast.Call) -> ast.Expression:
    if key not in every:
        raise SqlError(f"{node.name} takes keys of GROUP BY", node.at)
    return key
