"""UNION ALL: rows of the same windows become one relation, and so do rows of sources.

Rows of different windows stay separate, because they are complete at different times. An insert writes each by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.texts import counted
from airflow_nrt.model.internal_columns import CHANGE_HIDDEN, IDENTITY, KEY, NUMBER, POSITION, SOURCE_HIDDEN
from airflow_nrt.model.window_columns import bounds
from airflow_nrt.model.windows import Window
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.failing import Computed, counted_for
from airflow_nrt.sql.expressions.functions.signature import as_common
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.expressions.typed import common_type
from airflow_nrt.sql.from_clause.constant_rows import arriving, is_constant
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.logical.set_operation import SetOperation
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation, union_inputs


def united(
    findings: Findings, operation: ast.SetOperation, left: Sequence[Relation], right: Sequence[Relation]
) -> list[Relation]:
    """Both sides under the names of the left, in as few relations as possible. Raises SqlError if columns differ."""
    words, at = operation.words, operation.at
    left, right = ([finished(findings, one) for one in side] for side in (left, right))
    sides = (*left, *right)
    for side in sides:
        findings.note_all_columns(side)
        _check(sides[0], side, words, at)
    columns = _common_columns(sides)
    constant = [side for side in sides if is_constant(side)]
    if 0 < len(constant) < len(sides):
        rest = [side for side in sides if not is_constant(side)]
        sides = (*rest, arriving(findings, _as_one(constant, columns), operation))
    groups: dict[tuple[Window | None, bool], list[Relation]] = {}
    for side in sides:
        groups.setdefault((side.window, side.is_changing), []).append(side)
    node = SetOperation(left[0].node, right[0].node, operation)
    return [replace(_as_one(group, columns), node=node) for group in groups.values()]


def union_all(relations: Sequence[Relation]) -> Relation:
    """One relation of several with equal columns and windows, under the names of the first."""
    return _as_one(relations, _common_columns(relations))


def _check(first: Relation, other: Relation, words: str, at: Place) -> None:
    counts = len(first.columns), len(other.columns)
    if counts[0] != counts[1]:
        raise SqlError(f"{words}: one side has {counted(counts[0], 'column')}, the other {counts[1]}", at)
    for left, right in zip(first.columns, other.columns):
        if common_type([left.type, right.type]) is None:
            raise SqlError(
                f"{words}: column {left.title!r} is {left.type.flink} on one side and {right.type.flink} on the "
                "other: CAST one of them",
                at,
            )


def _common_columns(relations: Sequence[Relation]) -> list[ScopeColumn]:
    columns = []
    for index, column in enumerate(relations[0].columns):
        same = [relation.columns[index] for relation in relations]
        role = column.role if all(one.role == column.role for one in same) else None
        kind = common_type([one.type for one in same]) or column.type
        columns.append(
            replace(
                column,
                type=kind.with_nullable(any(one.type.nullable for one in same)),
                role=role,
                rowtime=all(one.rowtime for one in same),
                proctime=all(one.proctime for one in same),
                of_window=all(one.of_window for one in same),
            )
        )
    return columns


def carried(name: str, side: int, sides: int) -> str:
    r"""SQL of a hidden column of one side. With one side alone it is unchanged.

    >>> print(*(carried(one, 1, 2) for one in (KEY, NUMBER)), sep="\n")
    concat('1 ', _nrt_key) AS _nrt_key
    _nrt_n * 2 + 1 AS _nrt_n
    """
    if sides > 1 and name == "_nrt_row":
        # Rows of several sources have different columns, so the ledger has them as text.
        return "to_json(struct(_nrt_row AS row)) AS _nrt_row"
    if sides > 1 and name in (KEY, IDENTITY):
        return f"concat('{side} ', {name}) AS {name}"
    if sides > 1 and name == NUMBER:
        return f"{NUMBER} * {sides} + {side} AS {NUMBER}"
    if sides > 1 and name == POSITION:
        # No two rows have one position, even if a table is read twice.
        parts = ", ".join(f"{POSITION}.{part} AS {part}" for part in ("block", "row", "path"))
        return f"struct({POSITION}.file * {sides}L + {side}L AS file, {parts}) AS {POSITION}"
    return name


def _as_one(relations: Sequence[Relation], columns: Sequence[ScopeColumn]) -> Relation:
    first = relations[0]
    hidden = tuple(name for name in (*SOURCE_HIDDEN, IDENTITY) if all(name in one.hidden for one in relations))
    if first.window is not None:
        hidden = bounds(first.window)
    elif first.is_changing:
        hidden = CHANGE_HIDDEN
    elif not first.inputs:
        hidden = first.hidden
    texts = []
    for side, relation in enumerate(relations):
        passed_on = [carried(name, side, len(relations)) for name in hidden]
        items = []
        for old, new in zip(relation.columns, columns):
            with counted_for(partial(Computed, f"column {new.title} of UNION", relation.place())):
                items.append(f"{as_common(old.typed, new.type)} AS {quote(new.name)}")
        texts.append(f"SELECT {', '.join([*items, *passed_on])} FROM {relation.text}")
    return replace(
        first,
        text=f"({' UNION ALL '.join(texts)})",
        columns=tuple(columns),
        inputs=union_inputs([relation.inputs for relation in relations]),
        hidden=hidden,
        scan=None,
        operator=None,
        keys=(),
        unique=(),
        adds_only=all(one.adds_only for one in relations),
        laterals=max(one.laterals for one in relations),
    )
