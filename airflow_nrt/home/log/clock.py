"""How far time has come: the watermark of a source, and that of an operator over several sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.home.log.entries import SourceState
from airflow_nrt.model.internal_columns import CLOCK
from airflow_nrt.model.zones import wall_clock_passed


def advanced(watermark: int | None, proposal: int | None) -> int | None:
    """The watermark after a batch whose rows proposed at most this. It never goes back.

    As in Flink, a proposal that is not after 1970-01-01 00:00:00 is none: before that nothing is late.
    """
    if proposal is None or proposal <= 0:
        return watermark
    return proposal if watermark is None else max(watermark, proposal)


def with_clock(sources: Mapping[str, SourceState], clock: int) -> dict[str, SourceState]:
    """The sources and processing time (ms), as a source of which the milliseconds before this one have passed."""
    return {**sources, CLOCK: SourceState(watermark=clock - 1)}


def operator_watermark(
    before: int | None,
    sources: Mapping[str, SourceState],
    reads: Iterable[str],
    zones: Mapping[str, str] = MappingProxyType({}),
    delay: int = 0,
    waits: bool = False,
) -> int | None:
    """The minimum over the sources that an operator reads, those that are idle or have ended apart.

    It is on the clock of the operator's windows: `zones` are the sources whose watermarks are instants, each with the
    zone of that clock. If all are idle it stays; if all have ended it is the end of time. It never goes back. It stays
    `delay` (ms) behind. If its rows wait for those that follow (`waits`), the clock ends with the sources: none follow.
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
