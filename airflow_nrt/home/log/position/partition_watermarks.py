"""The watermark of a source whose parts have watermarks of their own, as the partitions of a topic of Kafka have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.home.log.entries import PartState, SourceState
from airflow_nrt.home.log.position.watermarks import advanced
from airflow_nrt.home.log.splits import Split, files_of

WHOLE = ""
"""Stands for the one part of a source whose parts have no watermarks of their own."""


def with_proposals(state: SourceState, proposals: Mapping[str, int | None]) -> SourceState:
    """The source after a batch whose rows proposed at most these watermarks, by part.

    A source without parts has one proposal, that of `WHOLE`. A new part begins at the source's watermark.
    """
    if WHOLE in proposals:
        return replace(state, watermark=advanced(state.watermark, proposals[WHOLE]))
    moved = {
        part: PartState(advanced(state.parts.get(part, PartState(state.watermark)).watermark, proposal))
        for part, proposal in proposals.items()
    }
    return with_parts(state, {**state.parts, **moved})


def proposed(splits: Iterable[Split], by_rows: Mapping[str, int | None]) -> Mapping[str, int | None]:
    """What a batch proposes, by part: what its rows do, or the end of what is read of the past of a topic.

    Files of the past are in no order of time, and none of their rows is late.
    """
    past = [one.until for one in files_of(splits) if one.until is not None]
    if not past:
        return by_rows
    until = max(past)
    return {WHOLE: until - 1 if until > BEFORE_TIME else None}


def with_parts(state: SourceState, parts: Mapping[str, PartState]) -> SourceState:
    """The source with these parts. Its watermark is the least of those that are not idle; it never goes back."""
    active = [part.watermark for part in parts.values() if not part.idle]
    known = [watermark for watermark in active if watermark is not None]
    if not active or len(known) < len(active):
        return replace(state, parts=parts)
    least = min(known)
    return replace(state, parts=parts, watermark=least if state.watermark is None else max(state.watermark, least))
