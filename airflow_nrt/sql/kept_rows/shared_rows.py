"""Queries that keep the same rows share them: one operator keeps the columns of all, and a row is stored once.

So both sides of a self-join have one operator, and a Top-N of another insert shares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from airflow_nrt.basics.types import Field
from airflow_nrt.model.operators import Query, WindowAggregate
from airflow_nrt.model.written import Written
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.relations.findings import Findings, Values

KEPT = "k"
"""The prefix in the name of a kept column. The index of the column among those of the rows follows it."""


def share_rows(findings: Findings, operator: WindowAggregate, rows: Values) -> WindowAggregate:
    """The known operator of these rows, with the columns that it lacks. Else this one, under a new name.

    The input of `operator` is that of `rows`, whose columns are named by their index among all of them.
    """
    operator = findings.timed(operator)
    for n, known in enumerate(findings.operators):
        below = findings.values.get(known.name)
        if below is not None and _is_of_rows(known, below, operator, rows):
            merged, together = _merged(known, below, operator, rows)
            findings.operators[n], findings.values[known.name] = merged, together
            return merged
    named = findings.name_operator(operator)
    findings.values[named.name] = rows
    return named


def _is_of_rows(known: WindowAggregate, below: Values, operator: WindowAggregate, rows: Values) -> bool:
    same = all(below.columns.get(name, typed) == typed for name, typed in rows.columns.items())
    return same and _alike(known, below) == _alike(operator, rows)


def _alike(operator: WindowAggregate, rows: Values) -> object:
    """The parts that must be equal to share rows: all but the columns that are kept."""
    others = {name: typed for name, typed in rows.columns.items() if not name.startswith(KEPT)}
    keys = _others(operator.keys)
    return replace(operator, name="", input=Query("", operator.input.inputs, ()), keys=keys), replace(
        rows, columns=others
    )


def _others(keys: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(key for key in keys if not key.name.startswith(KEPT))


def _merged(
    known: WindowAggregate, below: Values, other: WindowAggregate, rows: Values
) -> tuple[WindowAggregate, Values]:
    together = replace(below, columns=_in_order({**below.columns, **rows.columns}))
    kept = {key.name: key for key in (*known.keys, *other.keys) if key.name.startswith(KEPT)}
    fields = tuple(kept[name] for name in together.columns if name in kept)
    names = {**dict(known.written.names), **dict(other.written.names)}
    written = Written(tuple(names.items()), known.written.where)
    query = Query(together.query, known.input.inputs, fields)
    return replace(known, input=query, keys=(*fields, *_others(known.keys)), written=written), together


def _in_order(columns: Mapping[str, Typed]) -> dict[str, Typed]:
    """The kept columns in the order of the rows' columns, then all others."""

    def index(name: str) -> tuple[bool, int]:
        kept = name.startswith(KEPT)
        return not kept, int(name.removeprefix(KEPT)) if kept else 0

    return {name: columns[name] for name in sorted(columns, key=index)}
