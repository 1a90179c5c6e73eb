"""The rows that a window join keeps: of each side those that can be among its result, and the columns that are read.

    L LEFT JOIN R ON … AND R.price > 2 WHERE L.qty > 1      keeps L where qty > 1, R where price > 2

WHERE may not be asked of the side that is padded with NULLs, nor ON of the side whose rows are all there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, conjuncts
from airflow_nrt.sql.relations.buffered_rows import finished
from airflow_nrt.sql.relations.column_demand import Around
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.relations.rows_read import passing, reads_of

_ONLY_PRESERVED = ("LEFT", "RIGHT")


@dataclass(frozen=True)
class KeptSides:
    """What is left of a `join`, above the rows that are kept of both sides, which hold conditions of WHERE already."""

    join: ast.Join
    left: Named
    right: Named
    held: tuple[ast.Expression, ...]


def kept_sides(
    found: Findings, node: ast.Join, sides: tuple[Named, Named], around: Around, is_whole: bool
) -> KeptSides:
    """`around` is the SELECT that reads the join; with `is_whole` it reads nothing else."""
    assert node.condition is not None
    on = tuple(conjuncts(node.condition))
    where = tuple(conjuncts(around.where)) if is_whole and around.where is not None else ()
    both = Scope(tuple(column for side in sides for column in side_columns(*side)))
    passed, held, gone = [], [], []
    for n, side in enumerate(sides):
        of_where = where if node.kind in ("INNER", _ONLY_PRESERVED[n]) else ()
        of_on = on if node.kind in ("INNER", _ONLY_PRESERVED[1 - n]) else ()
        relation, done = _passing(found, side, both, [*of_where, *of_on])
        passed.append((relation, side[1], all_of(done)))
        held += [part for part in of_where if part in done]
        gone += [part for part in of_on if part in done]
    if around.select is not None:
        select = replace(around.select, where=all_of(part for part in where if part not in held)) if held else None
        around = replace(around, select=select or around.select, gone=tuple(gone))
    left, right = (
        (finished(found, relation, reads_of(around, both, alias), where), alias) for relation, alias, where in passed
    )
    condition = all_of(part for part in on if part not in gone)
    return KeptSides(replace(node, condition=condition), left, right, tuple(held))


def _passing(
    found: Findings, side: Named, both: Scope, parts: Sequence[ast.Expression]
) -> tuple[Relation, tuple[ast.Expression, ...]]:
    """The rows of a side that hold those of these conditions that look at it alone, and which these are."""
    relation, alias = side
    if relation.pending is None:
        return relation, ()
    own = {column.name for column in side_columns(relation, alias)}
    return passing(found, relation, alias, [part for part in parts if _is_of(part, both, own)])


def _is_of(part: ast.Expression, both: Scope, own: set[str]) -> bool:
    try:
        return Compiler(both).condition(part, "WHERE").columns <= own
    except SqlError:
        # A name that both sides have, for example: whoever it is left to tells.
        return False
