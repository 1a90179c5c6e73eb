"""The grouping sets that GROUPING SETS, CUBE and ROLLUP stand for."""

from __future__ import annotations

from itertools import product

from airflow_nrt.sql import ast

Keys = tuple[ast.Expression, ...]


def grouping_sets(groups: tuple[ast.Grouping, ...]) -> list[Keys]:
    """The grouping sets that a GROUP BY asks for: of several elements every combination."""
    return [tuple(dict.fromkeys(sum(parts, ()))) for parts in product(*(sets_of(group) for group in groups))]


def sets_of(group: ast.Grouping) -> list[Keys]:
    """Those of one element."""
    if group.kind == "CUBE":
        choices = product(*(((), one) for one in reversed(group.sets)))
        return [sum(reversed(choice), ()) for choice in choices][::-1]
    if group.kind == "ROLLUP":
        return [sum(group.sets[:count], ()) for count in range(len(group.sets), -1, -1)]
    return list(group.sets)
