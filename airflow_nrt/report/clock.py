"""How far time has come: the watermark of a source, and that of an operator over several sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from airflow_nrt.report.entries import SourceState
from airflow_nrt.report.instants import END_OF_TIME


def advanced(watermark: int | None, proposal: int | None) -> int | None:
    """The watermark after a batch whose rows proposed at most this. It never goes back.

    As in Flink, a proposal that is not after 1970-01-01 00:00:00 is none: before that nothing is late.
    """
    if proposal is None or proposal <= 0:
        return watermark
    return proposal if watermark is None else max(watermark, proposal)


def operator_watermark(before: int | None, sources: Mapping[str, SourceState], reads: Iterable[str]) -> int | None:
    """The minimum over the sources that an operator reads, those that are idle or have ended apart.

    If all are idle it stays; if all have ended it is the end of time. It never goes back.
    """
    states = [sources.get(name, SourceState()) for name in reads]
    if all(state.ended for state in states):
        return END_OF_TIME
    active = [state.watermark for state in states if not state.idle and not state.ended]
    if not active or any(watermark is None for watermark in active):
        return before
    least = min(watermark for watermark in active if watermark is not None)
    return least if before is None else max(before, least)
