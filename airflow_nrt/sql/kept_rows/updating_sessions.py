"""SESSION over rows that change: an `UpdatingSessions` operator. Each of its rows has the bounds of its session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import Field
from airflow_nrt.model.internal_columns import AFTER, CHANGE_HIDDEN, KEY, ROWTIME
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating import UpdatingSessions
from airflow_nrt.model.window_columns import window_column
from airflow_nrt.model.written import Written
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.logical.window import Sessions
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import all_of, conjuncts
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation, row_key

Key = tuple[str, Typed]
"""A key of sessions: its name or text in the report, and its expression."""


def partition_of(relation: Relation) -> list[Key]:
    """The keys in the PARTITION BY of a pending SESSION."""
    columns = (relation.column(name) for name in relation.partition or ())
    return [(column.title, Typed(quote(column.name), column.type)) for column in columns]


def in_sessions(findings: Findings, relation: Relation, keys: Sequence[Key], cause: Boundless) -> Relation:
    """The rows of a pending SESSION over rows that change, each in its current session."""
    window, rowtime_type = relation.pending, relation.rowtime_type
    assert window is not None and rowtime_type is not None
    findings.note_all_columns(relation)
    fields = {c.name: Field(f"c{n}", c.type) for n, c in enumerate(c for c in relation.columns if c.role is None)}
    own = tuple(Field(f"k{n}", key.type) for n, (_, key) in enumerate(keys))
    items = [f"{key.sql} AS {field.name}" for (_, key), field in zip(keys, own)]
    items += [f"{quote(name)} AS {field.name}" for name, field in fields.items()]
    text = f"SELECT {', '.join([*items, ROWTIME, *CHANGE_HIDDEN])} FROM {relation.text}"
    operator = UpdatingSessions(
        name="",
        input=Query(text, relation.inputs, own),
        keys=own,
        columns=tuple(fields.values()),
        gap=window.longest,
        written=Written(tuple((field.name, title) for field, (title, _) in zip(own, keys))),
    )
    shared = findings.share_updating(operator, cause)

    def shown(column: ScopeColumn) -> str:
        if column.role is None:
            return fields[column.name].name
        return window_column(window, column.role, rowtime_type)

    named = [f"{shown(column)} AS {quote(column.name)}" for column in relation.columns]
    return Relation(
        f"(SELECT {', '.join([*named, *CHANGE_HIDDEN])} FROM {quote(shared.name)})",
        tuple(replace(c, rowtime=c.role == "time", role=None, of_window=False) for c in relation.columns),
        (shared.name,),
        Sessions(relation.node, operators=(shared.name,)),
        hidden=CHANGE_HIDDEN,
    )


def in_sessions_of_groups(
    findings: Findings, node: ast.Select, relation: Relation, cause: Boundless
) -> tuple[ast.Select, Relation]:
    """The SELECT of a GROUP BY SESSION(…), and its rows, each in a session of its group.

    Only rows that WHERE lets pass are in sessions. Rows that are only added are handled as rows that change.
    """
    below = Compiler(Scope(relation.columns, None, relation.has_batch), place=relation.place)
    grouped = [key for group in node.group or () for key in group.sets[0]]
    keys = [(text_of(key), below.compile(key)) for key in grouped]
    conditions = [(part, below.condition(part, "WHERE")) for part in conjuncts(node.where)] if node.where else []
    own = [(text, key) for text, key in keys if not _reads_windows(relation, key)]
    held = {part: typed for part, typed in conditions if not _reads_windows(relation, typed)}
    findings.note_columns(relation, [*(key for _, key in own), *held.values()])
    where = f" WHERE {' AND '.join(typed.sql for typed in held.values())}" if held else ""
    rows = "*" if relation.is_changing else f"*, true AS {AFTER}, {row_key()} AS {KEY}"
    kept = replace(
        relation,
        text=f"(SELECT {rows} FROM {relation.text}{where})",
        hidden=(*CHANGE_HIDDEN, ROWTIME),
    )
    rest = all_of(part for part, _ in conditions if part not in held)
    return replace(node, where=rest), in_sessions(findings, kept, own, cause)


def _reads_windows(relation: Relation, typed: Typed) -> bool:
    return any(relation.is_window_column(name) for name in typed.columns)
