"""GROUPING SETS, CUBE and ROLLUP: one aggregation a grouping set, their results under one another.

Each set keeps its own state, as each has keys of its own; the sets of a window fire together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from airflow_nrt.report.types import BIGINT
from airflow_nrt.sql import ast
from airflow_nrt.sql.aggregates import is_aggregate
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.unions import union_all
from airflow_nrt.sql.walk import rewritten

Keys = tuple[ast.Expression, ...]
T = TypeVar("T")


def grouping_sets(groups: tuple[ast.Grouping, ...]) -> list[Keys]:
    """The grouping sets that a GROUP BY asks for: of several elements every combination."""
    return [tuple(dict.fromkeys(sum(parts, ()))) for parts in product(*(_sets(group) for group in groups))]


def _sets(group: ast.Grouping) -> list[Keys]:
    if group.kind == "CUBE":
        choices = product(*(((), one) for one in reversed(group.sets)))
        return [sum(reversed(choice), ()) for choice in choices][::-1]
    if group.kind == "ROLLUP":
        return [sum(group.sets[:count], ()) for count in range(len(group.sets), -1, -1)]
    return list(group.sets)


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
    for keys in sets:
        absent = [key for key in every if key not in keys]
        one = replace(
            node,
            group=tuple(ast.Grouping("key", ((key,),), node.at) for key in keys),
            items=tuple(replace(item, expression=_in_set(item.expression, every, absent)) for item in items),
            having=None if node.having is None else _in_set(node.having, every, absent),
        )
        relations.append(plan_one(one))
    if len({relation.window for relation in relations}) > 1:
        raise NotThereYet("grouping sets with both window bounds beside others", node.at, "add the bounds to each")
    return union_all(relations)


def _title(node: ast.Expression, index: int) -> str:
    return node.parts[-1] if isinstance(node, ast.Name) else f"EXPR${index}"


def _in_set(node: T, every: Keys, absent: list[ast.Expression]) -> T:
    """The expression as one set sees it: absent keys are NULL, GROUPING and GROUPING_ID are numbers."""

    def change(part: Any) -> Any:
        if isinstance(part, ast.Call) and part.name in ("GROUPING", "GROUPING_ID"):
            bits = ["1" if _known(key, every, part) in absent else "0" for key in part.arguments]
            number = ast.Literal("number", str(int("".join(bits) or "0", 2)), part.at)
            return ast.Cast(number, BIGINT.with_nullable(False), True, part.at)
        if part in absent:
            return ast.Absent(part, part.at)
        # An aggregate takes the rows as they are.
        return part if isinstance(part, ast.Call) and is_aggregate(part) else None

    return rewritten(node, change)


def _known(key: ast.Expression, every: Keys, node: ast.Call) -> ast.Expression:
    if key not in every:
        raise SqlError(f"{node.name} wants keys of GROUP BY", node.at)
    return key
