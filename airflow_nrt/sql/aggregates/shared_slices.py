"""Aggregations of the same rows by the same keys share their slices: one operator computes all of their aggregates.

Two inserts, one of COUNT(*) and one of SUM(price) by shop, read a row once, keep one partial, and fire together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from airflow_nrt.model.operators import ROWS_COME, AggregateCall, Query, WindowAggregate
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.relations.findings import Findings, Values


@dataclass(frozen=True)
class Shared:
    """A shared operator, and the names in it of one aggregation's columns: its keys and aggregates."""

    operator: WindowAggregate
    columns: Mapping[str, str]


def share_slices(findings: Findings, operator: WindowAggregate, values: Values) -> Shared:
    """The known operator of these rows and keys, with the aggregates that it lacks. Else this one, under a new name.

    The input of `operator` is that of `values`.
    """
    operator = findings.timed(operator)
    for n, known in enumerate(findings.operators):
        below = findings.values.get(known.name)
        if below is not None and _slices(known, below) == _slices(operator, values):
            merged, columns, together = _merged(known, below, operator, values)
            findings.operators[n], findings.values[known.name] = merged, together
            return Shared(merged, columns)
    named = findings.name_operator(operator)
    findings.values[named.name] = values
    return Shared(named, {})


def _slices(operator: WindowAggregate, values: Values) -> object:
    """The parts that must be equal to share slices: rows, keys in any order, windows, timing."""
    keys = {values.columns[key.name]: key.type for key in operator.keys}
    partition = {values.columns[name] for name in operator.partition}
    bare = replace(operator, name="", input=Query("", (), ()), keys=(), aggregates=(), partition=())
    counts = ROWS_COME in operator.aggregates
    return bare, replace(values, columns={}), keys, len(operator.keys), partition, counts


def _merged(
    known: WindowAggregate, below: Values, other: WindowAggregate, values: Values
) -> tuple[WindowAggregate, Mapping[str, str], Values]:
    columns, names = dict(below.columns), {}
    for name, typed in values.columns.items():
        names[name] = _name_of(typed, name[0], columns)
        columns[names[name]] = typed
    calls = list(known.aggregates)
    for call in other.aggregates:
        moved = replace(call, argument=names.get(call.argument or ""), filter=names.get(call.filter or ""))
        alike = (one for one in calls if one.argument == moved.argument and one.function == moved.function)
        same = next((one for one in alike if _meaning(one) == _meaning(moved)), None)
        if same is None:
            same = replace(moved, name=f"a{len(calls)}")
            calls.append(same)
        names[call.name] = same.name
    together = replace(below, columns=columns)
    query = replace(known.input, sql=together.query)
    read = tuple(dict.fromkeys((*known.written.columns, *other.written.columns)))
    written = replace(known.written, columns=read)
    return replace(known, input=query, aggregates=tuple(calls), written=written), names, together


def _meaning(call: AggregateCall) -> AggregateCall:
    return replace(call, name="", text="")


def _name_of(typed: Typed, prefix: str, columns: Mapping[str, Typed]) -> str:
    """The column with this value, or a new name for it. The `prefix` is that of its kind of value."""
    alike = [name for name in columns if name.startswith(prefix)]
    return next((name for name in alike if columns[name] == typed), f"{prefix}{len(alike)}")
