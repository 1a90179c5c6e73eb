"""The two sides of a join FOR SYSTEM_TIME AS OF: the columns that are read, and the condition that compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.kept_rows.kept_rows import reads_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import conjuncts
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.join_sides import Named, side_columns

Pair = tuple[ScopeColumn, ScopeColumn]
"""A column of a side, and the same under its name above the join."""


@dataclass(frozen=True)
class Sides:
    """The columns of both sides that are read above the join, or by its condition; and that condition.

    `equal` are the columns of the right side that it holds equal to something of the left side, or to a constant: each
    with that value.
    """

    kept: tuple[Pair, ...]
    found: tuple[Pair, ...]
    condition: Typed
    equal: Mapping[str, Typed]


def as_of_chain(node: ast.Join) -> list[tuple[ast.Join, ast.TableVersion]]:
    """A join FOR SYSTEM_TIME AS OF and those that its left side is, the first one first."""
    chain: list[tuple[ast.Join, ast.TableVersion]] = []
    below: ast.Relation = node
    while isinstance(below, ast.Join) and isinstance(below.right, ast.TableVersion):
        chain.insert(0, (below, below.right))
        below = below.left
    return chain


def by_rowtime(
    left: Named, chain: Sequence[tuple[ast.Join, ast.TableVersion]]
) -> list[tuple[ast.Join, ast.TableVersion]]:
    """The joins with which a chain begins that name a rowtime of its left side."""
    scope = Scope(left[0].columns, left[1])

    def is_timed(step: tuple[ast.Join, ast.TableVersion]) -> bool:
        time = step[1].time
        return isinstance(time, ast.Name) and scope.has(time) and scope.time_column(time).rowtime

    return list(takewhile(is_timed, chain))


def time_of(node: ast.Join, right: ast.TableVersion, left: Named) -> ScopeColumn:
    """The time attribute of the left side that FOR SYSTEM_TIME AS OF names.

    Raises SqlError if it names none, NotThereYet if the rows of the left side change.
    """
    if node.kind not in ("INNER", "LEFT", "CROSS"):
        raise SqlError(
            f"Temporal table join currently only support INNER JOIN and LEFT JOIN, but was {node.kind} JOIN.", node.at
        )
    relation, alias = left
    column = Scope(relation.columns, alias).time_column(right.time) if isinstance(right.time, ast.Name) else None
    if relation.is_changing and column is not None:
        join = "an event-time temporal join" if column.rowtime else "a lookup join"
        raise NotThereYet(f"{join} of rows that change", right.at, "join the rows that are only added, below")
    if column is None or not (column.rowtime or column.proctime):
        kind = "no column" if column is None else column.type.flink
        raise SqlError(
            "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field: "
            f"{text_of(right.time)} is {kind}. Add a column AS PROCTIME() to the left table, or a WATERMARK, and name "
            "that column here",
            right.at,
        )
    return column


def sides_of(
    joined: ast.Join,
    left: Named,
    right: Named,
    demand: Demand,
    stays: Callable[[ScopeColumn], bool],
    place: Callable[[], str],
) -> Sides:
    """The sides of a join whose USING and WHERE are in its ON. Columns of the left side for which `stays` stay unread.

    `place` gives SQL of the place of a row of the left side. Raises SqlError if both sides have one name.
    """
    kept, new = side_columns(*left), side_columns(*right)
    taken = {column.name for column in kept} & {column.name for column in new}
    if taken:
        raise SqlError(f"both sides of the join have the name {min(taken)!r}: give each side an alias", joined.at)
    both = Scope((*kept, *new), has_batch=True)
    written = joined.condition or ast.Literal("boolean", "TRUE", joined.at)
    condition = Compiler(both, place=place).condition(written, "ON")
    reads = reads_of(demand, both, None)

    def is_read(column: ScopeColumn) -> bool:
        return reads(column) or column.name in condition.columns

    return Sides(
        tuple((old, one) for old, one in zip(left[0].columns, kept) if is_read(one) or stays(old)),
        tuple((old, one) for old, one in zip(right[0].columns, new) if is_read(one)),
        condition,
        # A column of the left side says more than a constant.
        dict(sorted(_equations(written, both, kept, new), key=lambda one: bool(one[1].columns))),
    )


def _equations(
    condition: ast.Expression, both: Scope, kept: tuple[ScopeColumn, ...], new: tuple[ScopeColumn, ...]
) -> Iterator[tuple[str, Typed]]:
    own, others = {column.name for column in kept}, {column.name for column in new}
    for part in conjuncts(condition):
        if not isinstance(part, ast.Binary) or part.operator != "=":
            continue
        for key, value in ((part.left, part.right), (part.right, part.left)):
            columns = Compiler(both).compile(key).columns
            # The condition counts it.
            given = Compiler(both, place=None).compile(value)
            if isinstance(key, ast.Name) and columns <= others and given.columns <= own:
                yield from ((name, given) for name in columns)
