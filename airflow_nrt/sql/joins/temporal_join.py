"""Event-time temporal joins: each row with the version of its key that is valid at the row's rowtime.

    FROM trades AS t JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.currency = r.currency

The rows and the versions are one OVER: the version of a row is the newest one of its key up to the time of the row. A
row fires when the watermarks of all these tables have passed it. Several joins of one row are one operator, too, if
they are of one time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from airflow_nrt.model.internal_columns import POSITION, WINDOW_END
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.value_places import in_window
from airflow_nrt.model.windows import over
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.joins.as_of_sides import Pair, Sides, sides_of, time_of
from airflow_nrt.sql.joins.common_columns import CommonColumns
from airflow_nrt.sql.joins.folded_joins import folded
from airflow_nrt.sql.joins.temporal_rows import Match, TemporalRows
from airflow_nrt.sql.joins.versioned import Versioned
from airflow_nrt.sql.logical.join import Temporal
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.updating.interval_join import come_in_time


@dataclass(frozen=True)
class AsOf:
    """One join of a chain, and the table whose versions it reads."""

    join: ast.Join
    right: ast.TableVersion
    table: Versioned

    @property
    def versions(self) -> Named:
        return self.table.relation, self.right.alias or self.right.name


def temporal_joins(
    findings: Findings, left: Named, chain: Sequence[AsOf], demand: Demand, zone: str | None
) -> Relation:
    """The rows of the left side with the columns of their versions, when the watermarks have passed these rows.

    In the `chain` the left side of each join is the one before. `demand` is that of the SELECT over all of them, `zone`
    is the session's. Raises SqlError.
    """
    relation, below, last = left[0], left, chain[-1]
    steps: list[tuple[AsOf, ast.Join, Sides]] = []
    for one in chain:
        time = time_of(one.join, one.right, below)
        _check(findings, relation, time, one)
        common = CommonColumns.of(one.join, side_columns(*below), side_columns(*one.versions))
        if common.pairs and one is not last:
            raise NotThereYet("USING and NATURAL below another temporal join", one.join.at, "write ON")
        join = folded(common.on, below, one.versions, demand.where)
        sides = sides_of(join, below, one.versions, demand, lambda column: False, lambda: in_window(()))
        steps.append((one, join, sides))
        columns = (*side_columns(*below), *_given(side_columns(*one.versions), join))
        below = replace(relation, columns=columns), None
    read = {column.name for _, _, sides in steps for _, column in (*sides.kept, *sides.found)}
    own = _read_of(left, read)
    matches = tuple(
        Match(one.table, _read_of(one.versions, read), sides.condition, _key(one, sides, own), join.kind == "LEFT")
        for one, join, sides in steps
    )
    for one, match in zip(chain, matches):
        unfit = next((column.title for _, column in match.found if column.type.holds("MAP")), None)
        if unfit is not None:
            raise NotThereYet(f"a MAP among the columns of a version ({unfit})", one.right.at)
    rows = TemporalRows(relation, own, matches)
    for side, pairs in ((relation, own), *((match.table.relation, match.found) for match in matches)):
        findings.note_all_columns(replace(side, columns=tuple(old for old, _ in pairs if not old.proctime)))
    operator = findings.share_operator(
        WindowAggregate(
            name="",
            input=rows.query,
            sources=findings.sources_of(replace(relation, inputs=rows.query.inputs)),
            window=replace(over(), zone=zone) if time.type.name == "TIMESTAMP_LTZ" else over(),
            keys=rows.keys,
            aggregates=rows.calls,
            rowtime_type=time.type,
            keeps_rows=True,
            partition=rows.frames[0].partition,
            frames=rows.frames,
            strict=True,
            written=rows.written,
        )
    )
    given = [replace(one, proctime=False, role=None, of_window=False) for _, one in own]
    for (_, join, _), match in zip(steps, matches):
        given += _given([column for _, column in match.found], join)
    node: Node = relation.node
    for one in chain:
        node = Temporal(node, one.table.relation.node, one.join, text_of(one.right.time), operators=(operator.name,))
    joined = Relation(
        rows.text(operator.name),
        tuple(given),
        (operator.name,),
        node,
        hidden=(WINDOW_END, POSITION),
        window=operator.window,
        rowtime_type=time.type,
    )
    return common.shown(joined)


def _read_of(side: Named, read: Collection[str]) -> tuple[Pair, ...]:
    """The columns of a side that are read, with their names above the joins."""
    return tuple((old, one) for old, one in zip(side[0].columns, side_columns(*side)) if one.name in read)


def _given(columns: Sequence[ScopeColumn], join: ast.Join) -> list[ScopeColumn]:
    """The columns of versions above their join: no time attributes, and NULL where a LEFT JOIN finds none."""
    plain = (replace(one, rowtime=False, rowtime_path=(), proctime=False) for one in columns)
    return [replace(one, type=one.type.with_nullable(join.kind == "LEFT" or one.type.nullable)) for one in plain]


def _check(findings: Findings, relation: Relation, time: ScopeColumn, one: AsOf) -> None:
    """Raises SqlError unless rows of sources are joined, by the same kind of time."""
    table, at = one.table, one.right.at
    if time.type.name != table.time.name:
        raise SqlError(
            "Event-Time Temporal Table Join requires same rowtime type in left table and versioned table, but the "
            f"rowtime types are {time.type.flink} *ROWTIME* and {table.time.flink} *ROWTIME*.",
            at,
        )
    if not come_in_time(findings, relation):
        raise NotThereYet(
            "an event-time temporal join above a window, a join or OVER", at, "join the rows of the source, below it"
        )
    if not come_in_time(findings, table.relation):
        raise NotThereYet("FOR SYSTEM_TIME AS OF a view whose rows change", at, "read rows that are only added")


def _key(one: AsOf, sides: Sides, own: Sequence[Pair]) -> tuple[tuple[Typed, Typed], ...]:
    """The values that are equal where a row and a version have one key. Raises SqlError if ON does not say them."""
    equal = {name: value for name, value in sides.equal.items() if value.columns}
    if not equal:
        raise SqlError("Currently the join key in Temporal Table Join can not be empty.", one.join.at)
    relation, title = one.versions
    columns = {old.name: column for old, column in zip(relation.columns, side_columns(*one.versions))}
    missing = [name for name in one.table.key if columns[name].name not in equal]
    if missing:
        raise SqlError(
            f"Temporal table's primary key [{', '.join(one.table.key)}] must be included in the equivalence condition "
            f"of temporal join: add AND … = {title}.{missing[0]} to ON",
            one.join.at,
        )
    names = {column.name for _, column in own}
    for name in one.table.key:
        if not equal[columns[name].name].columns <= names:
            raise NotThereYet(
                f"a temporal join whose key {title}.{name} comes from the versions of another one", one.join.at
            )
    return tuple((equal[columns[name].name], columns[name].typed) for name in one.table.key)
