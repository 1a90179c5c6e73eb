"""Joins other than window joins: an `UpdatingJoin`, whose rows meet whenever they arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BOOLEAN, DataType, Field
from airflow_nrt.model.internal_columns import AFTER, CHANGE_HIDDEN, KEY, LEFT, RIGHT, SIDE, UNTIL
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating import FILTERS, JoinSide, UpdatingJoin
from airflow_nrt.model.value_places import IN_ON, OF_READER
from airflow_nrt.model.written import Written
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.failing import Computed, counted_for
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed, common_type
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import conjuncts
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation, row_key, union_inputs
from airflow_nrt.sql.updating.interval_join import TimeDistance, come_in_time, time_distance
from airflow_nrt.sql.updating.updating import unwindowed

Columns = Sequence[tuple[ScopeColumn, ScopeColumn]]
_NO_INTERVAL = (
    "join rows of sources, which may be filtered or renamed: the interval does not bound the state for rows that "
    "change, or that waited for windows"
)
_PADDED = {"INNER": "", "LEFT": LEFT, "RIGHT": RIGHT, "FULL": LEFT + RIGHT, "SEMI": LEFT, "ANTI": LEFT}


@dataclass(frozen=True)
class _Side:
    """One side of the join: a relation, and its columns under their names above the join."""

    name: str
    relation: Relation
    titled: tuple[ScopeColumn, ...]

    @property
    def columns(self) -> Columns:
        """Each column under its name inside the operator, and under its name above the join."""
        return [(replace(column, name=f"_nrt_{self.name.lower()}{n}"), column) for n, column in enumerate(self.titled)]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(inner.name for inner, _ in self.columns)

    @property
    def unique(self) -> tuple[tuple[str, ...], ...]:
        """The keys of its rows, under the names above the join."""
        titles = {column.name: titled.name for column, titled in zip(self.relation.columns, self.titled)}
        return tuple(tuple(titles[name] for name in key) for key in self.relation.unique)

    def read(self, demand: Demand, condition: Typed) -> Columns:
        """The columns that the condition or the demand reads. Only these are kept."""
        return [
            (inner, outer)
            for inner, outer in self.columns
            if inner.name in condition.columns or demand.reads(outer.title)
        ]

    def planned(
        self,
        findings: Findings,
        keys: Sequence[tuple[str, Field]],
        own: Columns,
        other: Columns,
        where: Sequence[str],
        until: str | None,
    ) -> JoinSide:
        """The side as input: its rows with the keys and its `own` columns, and NULL for those of the other side.

        "SELECT 'L' AS _nrt_side, `_nrt_l0` AS k0, _nrt_l0, CAST(NULL AS STRING) AS _nrt_r0, _nrt_after, _nrt_key
        FROM (SELECT `shop` AS _nrt_l0, true AS _nrt_after, … AS _nrt_key FROM `orders`) WHERE `_nrt_l0` IS NOT NULL"
        """
        below = {inner.name: column for (inner, _), column in zip(self.columns, self.relation.columns)}
        read = frozenset(below[inner.name].name for inner, _ in own)
        end = self.relation.role("end") if self.relation.pending is not None else None
        # A row of several windows is another row in each.
        identity = row_key() if end is None else row_key(f"{quote(end.name)} AS w")
        rows = unwindowed(findings, self.relation)
        findings.note_columns(rows, [Typed("", BOOLEAN, columns=read)])
        renamed = [f"{quote(below[inner.name].name)} AS {inner.name}" for inner, _ in own]
        renamed += CHANGE_HIDDEN if rows.is_changing else [f"true AS {AFTER}", f"{identity} AS {KEY}"]
        items = [f"'{self.name}' AS {SIDE}", *(f"{sql} AS {field.name}" for sql, field in keys)]
        items += [inner.name for inner, _ in own]
        items += [f"CAST(NULL AS {inner.type.spark}) AS {inner.name}" for inner, _ in other]
        items += [] if until is None else [f"{until} AS {UNTIL}"]
        condition = f" WHERE {' AND '.join(where)}" if where else ""
        if any(OF_READER in sql for sql in (*where, *(sql for sql, _ in keys))):
            renamed.append(f"{rows.place()} AS {OF_READER}")
        text = f"SELECT {', '.join([*items, *CHANGE_HIDDEN])} FROM (SELECT {', '.join(renamed)} FROM {rows.text})"
        fields = tuple(Field(inner.name, inner.type) for inner, _ in own)
        return JoinSide(Query(text + condition, rows.inputs, fields), fields, rows.is_changing)


def plan_join(
    findings: Findings,
    node: ast.Join,
    left: tuple[Relation, tuple[ScopeColumn, ...]],
    right: tuple[Relation, tuple[ScopeColumn, ...]],
    demand: Demand,
    boundless: Boundless,
) -> Relation:
    """The join of two relations, each with its columns under their names above. Raises SqlError at its condition.

    Its node is that of the left side. The caller replaces it by the clause that the join is in the report.
    """
    assert node.condition is not None
    sides = _Side(LEFT, *left), _Side(RIGHT, *right)
    padded = _PADDED[node.kind]
    scope = Scope([inner for side in sides for inner, _ in side.columns])
    condition = Compiler(scope, place=lambda: IN_ON).condition(node.condition, "ON")
    compiler = Compiler(scope, place=lambda: OF_READER)
    parts = [compiler.condition(part, "ON") for part in conjuncts(node.condition)]
    equal = (_equal(part, compiler, *sides) for part in conjuncts(node.condition))
    equations = [part for part in conjuncts(node.condition) if _equal(part, compiler, *sides) is not None]
    pairs = [(pair, Field(f"k{n}", kind)) for n, (pair, kind) in enumerate(one for one in equal if one is not None)]
    own = [side.read(demand, condition) for side in sides]
    if node.kind in FILTERS:
        own[1] = [pair for pair in own[1] if pair[0].name in condition.columns]
    near = time_distance(conjuncts(node.condition), compiler.scope, sides[0].names)
    if near is not None and not all(come_in_time(findings, side.relation) for side in sides):
        near, boundless = None, replace(boundless, bounds=(*boundless.bounds, _NO_INTERVAL))
    own = [_with(side, columns, near) for side, columns in zip(sides, own)]
    untils = (None, None) if near is None else _untils(near)
    planned = []
    for n, side in enumerate(sides):
        with counted_for(partial(Computed, text_of(node.condition), OF_READER)):
            keys = [(cast_to(pair[n], field.type), field) for pair, field in pairs]
        # A row that can meet no other is kept only on a side that is preserved. A NULL key equals no other key.
        where = [part.sql for part in parts if part.columns <= side.names] + [f"{key} IS NOT NULL" for key, _ in keys]
        planned.append(
            side.planned(findings, keys, own[n], own[1 - n], where if side.name not in padded else [], untils[n])
        )
    operator = UpdatingJoin(
        name="",
        left=planned[0],
        right=planned[1],
        keys=tuple(field for _, field in pairs),
        condition=condition.sql,
        kind=node.kind,
        text=text_of(node.condition),
        interval=None if near is None else (near.least, near.most),
        sources=() if near is None else union_inputs([side.relation.inputs for side in sides]),
        written=Written(tuple((field.name, text_of(part)) for (_, field), part in zip(pairs, equations))),
    )
    shared = findings.share_updating(operator, boundless)
    given = own[:1] if operator.filters else own
    shown = [
        (inner, _shown(outer, is_optional, near))
        for columns, is_optional in zip(given, (RIGHT in padded, LEFT in padded))
        for inner, outer in columns
    ]
    items = [f"{inner.name} AS {quote(outer.name)}" for inner, outer in shown]
    return Relation(
        f"(SELECT {', '.join([*items, *CHANGE_HIDDEN])} FROM {quote(shared.name)})",
        tuple(outer for _, outer in shown),
        (shared.name,),
        left[0].node,
        hidden=CHANGE_HIDDEN,
        adds_only=node.kind in ("INNER", "SEMI") and not operator.changing,
        unique=_unique(node.kind, sides, [pair for pair, _ in pairs], [outer.name for _, outer in shown]),
    )


def _with(side: _Side, own: Columns, near: TimeDistance | None) -> Columns:
    """The kept columns of a side, with the time of an interval join."""
    times = {near.left.name, near.right.name} if near is not None else set()
    kept = {inner.name for inner, _ in own} | times
    return [pair for pair in side.columns if pair[0].name in kept]


def _untils(near: TimeDistance) -> tuple[str, str]:
    """For each side, SQL of the last watermark (ms) at which a row can arrive that meets one of this side.

    That of the left is "unix_millis(CAST(_nrt_l3 AS TIMESTAMP)) - -3600000L".
    """
    left, right = (f"unix_millis(CAST({column.name} AS TIMESTAMP))" for column in (near.left, near.right))
    return f"{left} - {near.least}L", f"{right} + {near.most}L"


def _unique(
    kind: str, sides: tuple[_Side, _Side], pairs: Sequence[tuple[Typed, Typed]], shown: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """The keys of the joined rows: a key of both sides, or of one side whose rows meet at most one row of the other."""
    keys = [(*left, *right) for left in sides[0].unique for right in sides[1].unique]
    if kind in FILTERS:
        keys = list(sides[0].unique)
    for n, kinds in enumerate((("INNER", "LEFT"), ("INNER", "RIGHT"))):
        other = sides[1 - n]
        equal = {outer.name for inner, outer in other.columns for pair in pairs if pair[1 - n].column == inner.name}
        if kind in kinds and any(set(key) <= equal for key in other.unique):
            keys = [*sides[n].unique, *keys]
    return tuple(key for key in keys if set(key) <= set(shown))


def _equal(
    part: ast.Expression, compiler: Compiler, left: _Side, right: _Side
) -> tuple[tuple[Typed, Typed], DataType] | None:
    """The operands of an equation of both sides, left and right, and their common type. None for other conditions."""
    if not isinstance(part, ast.Binary) or part.operator != "=":
        return None
    first, second = compiler.compile(part.left), compiler.compile(part.right)
    if first.columns <= right.names and second.columns <= left.names:
        first, second = second, first
    kind = common_type([first.type, second.type])
    is_of_both = first.columns and second.columns and first.columns <= left.names and second.columns <= right.names
    if kind is None or kind.name == "NULL" or not is_of_both:
        return None
    return (first, second), kind


def _shown(column: ScopeColumn, is_optional: bool, near: TimeDistance | None) -> ScopeColumn:
    """A column of the result, which has no window. The times that an interval join compares stay rowtimes."""
    kind = column.type.with_nullable(True) if is_optional else column.type
    rowtime = near is not None and column.rowtime and not is_optional
    return ScopeColumn(column.name, kind, rowtime=rowtime, table=column.table, shown=column.shown, merged=column.merged)
