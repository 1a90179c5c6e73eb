"""How values of rows are read, by the entry that read them: what was published stays right when a reading is mended.

1   a TIMESTAMP(p) or TIMESTAMP_LTZ(p) kept up to six fraction digits
2   it has p of them

A source goes on with the newest number, so an entry says by which one its rows were read, and they are read by it again
for a backfill or a verification. What state holds of earlier rows stays as it is.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.fractions import holds_coarse
from airflow_nrt.home.log.entries import ROW_SEMANTICS, SourceState
from airflow_nrt.model.plan import Source

FULL_FRACTIONS = 1
"""The number by which times kept all their digits."""


def with_newest_semantics(source: Source, state: SourceState) -> SourceState:
    """The state of a source before its next batch.

    A table of changes that have no key, or a key with times, keeps its number: a change that retracts a row must name
    the values that the row was read with.
    """
    if state.rows and source.table.is_changelog and _retracts_by_time(source):
        return state
    return replace(state, row_semantics=ROW_SEMANTICS)


def _retracts_by_time(source: Source) -> bool:
    named = source.table.primary_key or source.physical
    return any(holds_coarse(source.table.column(name).type) for name in named)
