"""The grouping sets of GROUPING SETS, CUBE and ROLLUP."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.limits import check_sets

Keys = tuple[ast.Expression, ...]


def grouping_sets(groups: tuple[ast.Grouping, ...]) -> list[Keys]:
    """The grouping sets of a GROUP BY: every combination of those of its elements.

    Raises SqlError if they are more than the limit of nodes.
    """
    check_sets(prod(map(_count, groups)), groups[0].at)
    return [tuple(dict.fromkeys(sum(parts, ()))) for parts in product(*(_sets_of(group) for group in groups))]


def listed_sets(groups: Sequence[ast.Grouping], at: Place) -> tuple[Keys, ...]:
    """The grouping sets of several elements, one after another. Raises SqlError as `grouping_sets` does."""
    check_sets(sum(map(_count, groups)), at)
    return tuple(keys for group in groups for keys in _sets_of(group))


def _count(group: ast.Grouping) -> int:
    match group.kind:
        case "CUBE":
            return int(2 ** len(group.sets))
        case "ROLLUP":
            return len(group.sets) + 1
        case _:
            return len(group.sets)


def _sets_of(group: ast.Grouping) -> list[Keys]:
    """The grouping sets of one element."""
    if group.kind == "CUBE":
        choices = product(*(((), one) for one in reversed(group.sets)))
        return [sum(reversed(choice), ()) for choice in choices][::-1]
    if group.kind == "ROLLUP":
        return [sum(group.sets[:count], ()) for count in range(len(group.sets), -1, -1)]
    return list(group.sets)
