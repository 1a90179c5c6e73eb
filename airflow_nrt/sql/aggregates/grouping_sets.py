"""GROUPING SETS, CUBE and ROLLUP: one aggregation a grouping set, their results under one another.

Each set keeps its own state, as each has keys of its own; the sets of a window fire together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from airflow_nrt.basics.types import BIGINT
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.key_sets import Keys, grouping_sets
from airflow_nrt.sql.parse.walk import children, rewritten
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.relations.unions import union_all

OF_SETS = ("GROUPING", "GROUPING_ID", "GROUP_ID")
T = TypeVar("T")


def plan_grouping_sets(node: ast.Select, plan_one: Callable[[ast.Select], Relation]) -> Relation:
    """The union of the aggregations by each set. `plan_one` plans a SELECT with a plain GROUP BY."""
    assert node.group is not None
    sets = grouping_sets(node.group)
    every = tuple(dict.fromkeys(sum(sets, ())))
    # Without an alias the columns of all sets are named as in the text, whatever replaces their expressions.
    items = tuple(
        replace(item, alias=item.alias or _title(item.expression, index)) for index, item in enumerate(node.items)
    )
    relations = []
    for place, keys in enumerate(sets):
        absent = [key for key in every if key not in keys]
        seen = _Set(every, tuple(absent), sum(set(other) == set(keys) for other in sets[:place]))
        one = replace(
            node,
            group=tuple(ast.Grouping("key", ((key,),), node.at) for key in keys),
            items=tuple(replace(item, expression=_in_set(item.expression, seen)) for item in items),
            having=None if node.having is None else _in_set(node.having, seen),
        )
        relations.append(plan_one(one))
    if len({relation.window for relation in relations}) > 1:
        raise NotThereYet("grouping sets with both window bounds beside others", node.at, "add the bounds to each")
    return union_all(relations)


def _title(node: ast.Expression, index: int) -> str:
    return node.parts[-1] if isinstance(node, ast.Name) else f"EXPR${index}"


@dataclass(frozen=True)
class _Set:
    """A grouping set of those that have `every` key: what it lacks, and how many like it stand before it."""

    every: Keys
    absent: Keys
    repeated: int


def asks_for_sets(node: ast.Select) -> bool:
    """Whether GROUPING, GROUPING_ID or GROUP_ID is asked for, which one set alone answers too."""
    parts = [item.expression for item in node.items] + ([node.having] if node.having is not None else [])
    return any(_is_of_sets(part) or _asks(part) for part in parts)


def _asks(node: ast.Expression) -> bool:
    return any(_is_of_sets(child) or _asks(child) for child in children(node))


def _is_of_sets(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.name in OF_SETS


def _in_set(node: T, one: _Set) -> T:
    """The expression as one set sees it: absent keys are NULL, GROUPING, GROUPING_ID and GROUP_ID are numbers."""

    def change(part: Any) -> Any:
        if isinstance(part, ast.Call) and part.name in OF_SETS:
            number = one.repeated if part.name == "GROUP_ID" else _absent_bits(part, one)
            return ast.Cast(ast.Literal("number", str(number), part.at), BIGINT.with_nullable(False), True, part.at)
        if part in one.absent:
            return ast.Absent(part, part.at)
        # An aggregate takes the rows as they are.
        return part if isinstance(part, ast.Call) and is_aggregate(part) else None

    return rewritten(node, change)


def _absent_bits(node: ast.Call, one: _Set) -> int:
    """A bit for each key, the first the highest: set where the key is absent."""
    bits = ["1" if _known(key, one.every, node) in one.absent else "0" for key in node.arguments]
    return int("".join(bits) or "0", 2)


def _known(key: ast.Expression, every: Keys, node: ast.Call) -> ast.Expression:
    if key not in every:
        raise SqlError(f"{node.name} wants keys of GROUP BY", node.at)
    return key
