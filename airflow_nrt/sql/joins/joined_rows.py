"""The rows that a window join keeps: those of each side that can be in its result, with the columns that are read.

    L LEFT JOIN R ON … AND R.price > 2 WHERE L.qty > 1      keeps L where qty > 1, R where price > 2

WHERE can't filter the side that an outer join pads with NULLs. ON can't filter the side whose rows it preserves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.kept_rows.kept_rows import passing, reads_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, conjuncts
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation

_ONLY_PRESERVED = ("LEFT", "RIGHT")


@dataclass(frozen=True)
class KeptSides:
    """A `join` of the rows that are kept of both sides. They hold the conditions `held` of WHERE already."""

    join: ast.Join
    left: Named
    right: Named
    held: tuple[ast.Expression, ...]


def kept_sides(
    findings: Findings, node: ast.Join, sides: tuple[Named, Named], demand: Demand, is_whole: bool
) -> KeptSides:
    """The kept rows of both sides, and the join without the conditions that they hold.

    `demand` is that of the SELECT over the join. With `is_whole` the join is all of its FROM.
    """
    assert node.condition is not None
    on = tuple(conjuncts(node.condition))
    where = tuple(conjuncts(demand.where)) if is_whole and demand.where is not None else ()
    both = Scope(tuple(column for side in sides for column in side_columns(*side)))
    passed, held, held_on = [], [], []
    for n, side in enumerate(sides):
        of_where = where if node.kind in ("INNER", _ONLY_PRESERVED[n]) else ()
        of_on = on if node.kind in ("INNER", _ONLY_PRESERVED[1 - n]) else ()
        relation, done = _passing(findings, side, both, [*of_where, *of_on])
        passed.append((relation, side[1], all_of(done)))
        held += [part for part in of_where if part in done]
        held_on += [part for part in of_on if part in done]
    if demand.select is not None:
        select = replace(demand.select, where=all_of(part for part in where if part not in held)) if held else None
        demand = replace(demand, select=select or demand.select, held=tuple(held_on))
    left, right = (
        (finished(findings, relation, reads_of(demand, both, alias), where), alias) for relation, alias, where in passed
    )
    condition = all_of(part for part in on if part not in held_on)
    return KeptSides(replace(node, condition=condition), left, right, tuple(held))


def _passing(
    findings: Findings, side: Named, both: Scope, parts: Sequence[ast.Expression]
) -> tuple[Relation, tuple[ast.Expression, ...]]:
    """The rows of a side that hold the conditions which read this side alone, and these conditions."""
    relation, alias = side
    if relation.pending is None:
        return relation, ()
    own = {column.name for column in side_columns(relation, alias)}
    return passing(findings, relation, alias, [part for part in parts if _is_of(part, both, own)])


def _is_of(part: ast.Expression, both: Scope, own: set[str]) -> bool:
    try:
        return Compiler(both).condition(part, "WHERE").columns <= own
    except SqlError:
        # For example, both sides have the name. The join reports the error.
        return False
