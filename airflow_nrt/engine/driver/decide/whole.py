"""A bounded source that arrives in one batch: its windows need no state (`docs/decisions/16-whole-inputs.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.home.log.entries import Position, Published
from airflow_nrt.model.plan import Plan


def comes_whole(plan: Plan, position: Position) -> bool:
    """Whether a batch with which its source ends has all rows of the windows of this plan.

    Plans with several operators or inserts share results, and use the store.
    """
    if len(plan.sources) != 1 or len(plan.operators) != 1 or len(plan.written) != 1 or plan.updating:
        return False
    operator, insert, source = plan.operators[0], plan.inserts[0], position.sources[plan.sources[0].name]
    alone = insert.query.inputs == (operator.name,) and insert.timing.publishes_once
    begins = not source.files and not source.ended and operator.clock == (plan.sources[0].name,)
    return alone and begins and not operator.reads_state


def all_fired(plan: Plan, position: Position, published: Sequence[Published]) -> Position:
    """The position after all windows have fired that the end of the input completes."""
    (operator,) = plan.operators
    fired = operator.window.last_complete_end(END_OF_TIME)
    operators = {operator.name: replace(position.operators[operator.name], fired=fired)}
    return replace(position, operators=operators, windows=len({one.end for one in published}))
