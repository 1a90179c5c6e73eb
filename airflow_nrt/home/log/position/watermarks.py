"""Watermarks: how one advances, and that of an operator over several sources.

That of a source with partitions, such as a topic, is in `partition_watermarks.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.home.log.entries import SourceState
from airflow_nrt.model.internal_columns import CLOCK
from airflow_nrt.model.zones import wall_clock_passed


def advanced(watermark: int | None, proposal: int | None) -> int | None:
    """The watermark after a batch whose rows proposed at most this. It never goes back.

    As in Flink, a proposal at or before 1970-01-01 00:00:00 is ignored: before the first watermark nothing is late.
    """
    if proposal is None or proposal <= 0:
        return watermark
    return proposal if watermark is None else max(watermark, proposal)


def with_clock(sources: Mapping[str, SourceState], clock: int) -> dict[str, SourceState]:
    """The sources, and processing time (ms) as one more source, whose watermark is the millisecond before this one."""
    return {**sources, CLOCK: SourceState(watermark=clock - 1)}


def operator_watermark(
    before: int | None,
    sources: Mapping[str, SourceState],
    reads: Iterable[str],
    zones: Mapping[str, str] = MappingProxyType({}),
    delay: int = 0,
    waits: bool = False,
) -> int | None:
    """The watermark of an operator: the minimum over the sources that it reads, except those that are idle or have
    ended.

    It is on the clock of the operator's windows: `zones` are the sources whose watermarks are instants, each with the
    zone of that clock. If all are idle it stays; if all have ended it is the end of time. It never goes back. It is
    `delay` (ms) before that of the sources. If its rows wait for later ones (`waits`), the clock ends with the sources,
    because no later rows come.
    """
    states = {name: sources.get(name, SourceState()) for name in reads}
    if all(state.ended for state in states.values()):
        return END_OF_TIME
    if waits and CLOCK in states and all(state.ended for name, state in sources.items() if name != CLOCK):
        return END_OF_TIME
    active = {name: state.watermark for name, state in states.items() if not state.idle and not state.ended}
    known = [wall_clock_passed(at, zones.get(name)) for name, at in active.items() if at is not None]
    if not active or len(known) < len(active):
        return before
    delayed = min(known) - delay
    return delayed if before is None else max(before, delayed)
