"""By which row semantics (`model/row_semantics.py`) an entry reads rows.

A source goes on with the newest number, so an entry says by which one its rows were read, and they are read by it again
for a backfill or a verification. What state holds of earlier rows stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from airflow_nrt.basics.fractions import holds_coarse
from airflow_nrt.home.log.entries import Position, SourceState
from airflow_nrt.home.log.history.history import History
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.row_semantics import FULL_FRACTIONS, ROW_SEMANTICS, differs, read_by, texts


def with_next_semantics(plan: Plan, states: Mapping[str, SourceState]) -> dict[str, SourceState]:
    """The states of the sources before their next batches.

    A table of changes that have no key, or a key with times, keeps its number: a change that retracts a row must name
    the values that the row was read with. All sources keep theirs if SQL that differs by it has rows of several
    entries.
    """
    number = _next_number(plan, states.values())
    return {
        source.name: replace(state, row_semantics=number) if _may_change(source, state) else state
        for source in plan.sources
        for state in [states[source.name]]
    }


def plan_of_next(plan: Plan, position: Position) -> Plan:
    """The plan by which the batches after this position are read."""
    number = _next_number(plan, position.sources.values())
    return plan if plan.by_entry is None or number == ROW_SEMANTICS else _of_number(plan.by_entry, plan, number)


def plan_of_history(plan: Plan, history: History) -> Plan:
    """The plan by which the rows of a history are read again. It may read each by its entry."""
    if plan.by_entry is None:
        return plan
    if not history.batches:
        numbers = {history.backfill_semantics}
    else:
        numbers = {commit.position.sources[commit.source].row_semantics for commit in history.batches.values()}
    if len(numbers) > 1 and mixes_entries(plan):
        return replace(plan.by_entry, base=plan.base, built=plan.built)
    # A home that can't mix them goes on by the number that it began with, whatever its entries say.
    least = min(numbers)
    return plan if least == ROW_SEMANTICS else _of_number(plan.by_entry, plan, least)


def mixes_entries(plan: Plan) -> bool:
    """Whether rows of entries that differ in their semantics can stand side by side.

    That is so if only columns of sources, and queries over sources, differ by it: each row is read once. A row that is
    retracted, and SQL over results of operators, would need the semantics of several entries.
    """
    if plan.by_entry is None:
        return True
    plain = {one.name for one in plan.by_entry.sources if not one.table.is_changelog}
    queries = [*(query for one in plan.by_entry.operators for query in one.inputs)]
    queries += [query for one in plan.by_entry.updating for query in one.inputs]
    queries += [one.query for one in plan.by_entry.written]
    rowwise = [query.sql for query in queries if plain.issuperset(query.inputs)]
    tables = tuple(one.table for one in plan.by_entry.sources if one.name in plain)
    allowed = {*rowwise, *texts(tables)}
    return set(filter(differs, texts(plan.by_entry))).issubset(allowed)


def _next_number(plan: Plan, states: Iterable[SourceState]) -> int:
    """The newest number whose SQL can stand beside that of rows that were read: the same SQL, if they can't mix."""
    least = min((state.row_semantics for state in states if state.rows), default=ROW_SEMANTICS)
    if plan.by_entry is None or least == ROW_SEMANTICS or mixes_entries(plan):
        return ROW_SEMANTICS
    known = read_by(least, plan.by_entry)
    return next(n for n in range(ROW_SEMANTICS, 0, -1) if read_by(n, plan.by_entry) == known)


def _may_change(source: Source, state: SourceState) -> bool:
    """Whether no later row retracts one that was read by the state's number."""
    if not state.rows or not source.table.is_changelog or state.row_semantics > FULL_FRACTIONS:
        return True
    named = source.table.primary_key or source.physical
    return not any(holds_coarse(source.table.column(name).type) for name in named)


def _of_number(by_entry: Plan, plan: Plan, number: int) -> Plan:
    return replace(read_by(number, by_entry), base=plan.base, built=plan.built)
