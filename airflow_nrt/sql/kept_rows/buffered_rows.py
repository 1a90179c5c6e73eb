"""The rows of a windowing function, kept until their windows are complete: below Top-N, deduplication and joins.

Only columns that the queries above read are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import POSITION_TYPE, Field
from airflow_nrt.model.internal_columns import POSITION
from airflow_nrt.model.operators import Query, WindowAggregate
from airflow_nrt.model.window_columns import ROLES, bounds
from airflow_nrt.model.written import Written
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.kept_rows.shared_rows import KEPT, share_rows
from airflow_nrt.sql.kept_rows.updating_sessions import in_sessions, partition_of
from airflow_nrt.sql.logical.window import Buffer
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.relations.findings import Boundless, Findings, Values
from airflow_nrt.sql.relations.relation import Relation, raw_windows

_NAMES = {role: name for name, role in ROLES.items()}

Reads = Callable[[ScopeColumn], bool]
"""Whether a query above reads a column."""


def arrival_position() -> Typed:
    """The position of a row when it arrived: its file, block and row number.

    Its SQL is "struct(_nrt_pos.file AS file, _nrt_pos.block AS block, _nrt_pos.row AS row)".
    """
    parts = ", ".join(f"{POSITION}.{part} AS {part}" for part, _ in POSITION_TYPE.children)
    return Typed(f"struct({parts})", POSITION_TYPE)


def finished(
    findings: Findings,
    relation: Relation,
    reads: Reads = lambda column: True,
    where: ast.Expression | None = None,
) -> Relation:
    """The relation as rows of finished windows, if its windowing function is pending.

    Its text is "(SELECT k0 AS `shop`, window_end AS `window_end`, p AS _nrt_pos, _nrt_end FROM `w1`)". `where` is the
    condition that these rows hold already, for people.
    """
    if relation.pending is None:
        return relation
    if relation.is_changing and relation.has_sessions:
        return _of_sessions(findings, narrowed(relation, reads))
    if relation.is_changing:
        # Its windows are never complete.
        findings.note_all_columns(relation)
        return raw_windows(relation)
    assert relation.rowtime_type is not None
    # emitOnlyOnUpdate is for aggregates. A kept row is in each of its windows.
    window = replace(relation.pending, only_updates=False)
    partition = relation.partition or ()
    plain = [column for column in relation.columns if column.role is None]
    names = {
        column.name: Field(f"{KEPT}{n}", column.type)
        for n, column in enumerate(plain)
        if column.name in partition or reads(column)
    }
    columns = tuple(column for column in relation.columns if column.role is not None or column.name in names)
    findings.note_all_columns(replace(relation, columns=columns))
    taken = {field.name: relation.column(name).typed for name, field in names.items()}
    rows = Values({**taken, "p": arrival_position()}, relation.hidden, relation.text)
    fields = tuple(names.values())
    operator = share_rows(
        findings,
        WindowAggregate(
            name="",
            input=Query(rows.query, relation.inputs, fields),
            sources=findings.sources_of(relation),
            window=window,
            keys=(*fields, Field("p", POSITION_TYPE)),
            aggregates=(),
            rowtime_type=relation.rowtime_type,
            clock=relation.clock,
            keeps_rows=True,
            partition=tuple(names[name].name for name in names if name in partition),
            numbering=relation.numbering_in_window,
            written=Written(
                tuple((field.name, name) for name, field in names.items()),
                text_of(where) if where is not None else None,
            ),
        ),
        rows,
    )
    given = {name: field.name for name, field in names.items()}
    items = [f"{given.get(c.name) or _NAMES[c.role or '']} AS {quote(c.name)}" for c in columns]
    return Relation(
        f"(SELECT {', '.join([*items, f'p AS {POSITION}', *bounds(operator.window)])} FROM {quote(operator.name)})",
        columns,
        (operator.name,),
        Buffer(relation.node, operators=(operator.name,)),
        hidden=(*bounds(operator.window), POSITION),
        window=window,
        rowtime_type=relation.rowtime_type,
    )


def narrowed(relation: Relation, reads: Reads) -> Relation:
    """A pending windowing function without the columns that no query reads."""
    partition = relation.partition or ()
    kept = (one for one in relation.columns if one.role is not None or one.name in partition or reads(one))
    return replace(relation, columns=tuple(kept))


def _of_sessions(findings: Findings, relation: Relation) -> Relation:
    """SESSION over rows that change. Its sessions are never complete either."""
    assert relation.at is not None
    cause = Boundless("SESSION over rows that change", "read rows that are only added", relation.at)
    return in_sessions(findings, relation, partition_of(relation), cause)
