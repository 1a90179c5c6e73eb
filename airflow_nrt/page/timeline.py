"""Batches, restarts, restatements and verifications of a home on one time axis, one day (UTC) at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.instants import LAST_MINUTE
from airflow_nrt.basics.texts import counted, shortened
from airflow_nrt.describe.verdict import conclusion
from airflow_nrt.home.notes.verdicts import KeptVerdict
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.log_facts import Batch, Event
from airflow_nrt.page.state import State
from airflow_nrt.page.times import clock_text, day_text, instant_text

MOST_BATCHES = 2000
MOST_EVENTS = 1000
MOST_DAYS = 62


def timeline(reader: Reader, state: State, day: int | None) -> dict[str, Any]:
    """`day` is a midnight (ms of the wall clock); None: the newest day with entries. Raises HomeError."""
    facts = reader.facts()
    events = [*facts.events, *map(_of_verdict, reader.verdicts()), *_of_heartbeat(state)]
    times = [*(one.time for one in facts.batches), *(one.time for one in events)]
    days = sorted({time // DAY for time in times}, reverse=True)
    newest = max(times, default=state.now)
    start = newest // DAY * DAY if day is None else day
    batches = [one for one in facts.batches if start <= one.time < start + DAY]
    merged = -(-len(batches) // MOST_BATCHES) or 1
    of_day = sorted((one for one in events if start <= one.time < start + DAY), key=lambda one: one.time)
    found: dict[str, Any] = {
        "day": day_text(start),
        "days": [day_text(number * DAY) for number in days[:MOST_DAYS]],
        "batches": [_shown(batches[n : n + merged]) for n in range(0, len(batches), merged)],
        "events": [
            {"at": instant_text(one.time), "kind": one.kind, "epoch": one.epoch, "text": shortened(one.text, 500)}
            for one in of_day[-MOST_EVENTS:]
        ],
    }
    return {**found, "merged": merged} if merged > 1 else found


def _shown(batches: Sequence[Batch]) -> dict[str, Any]:
    """Several batches are shown as one, with the duration of the slowest."""
    last = batches[-1]
    mark = last.watermark
    return {
        "at": instant_text(last.time),
        "seconds": max(round(max(one.time - one.began, 0) / 1000, 3) for one in batches),
        "rows": sum(one.rows for one in batches),
        "late_rows": sum(one.late for one in batches),
        "watermark": clock_text(mark if mark is None or mark < LAST_MINUTE else None),
        "files": sum(one.files for one in batches),
        "windows": sum(one.windows for one in batches),
    }


def _of_verdict(verdict: KeptVerdict) -> Event:
    counts = (
        f"{verdict.equal:,} equal, {verdict.explained:,} explained by late rows, {verdict.unexplained:,} unexplained"
    )
    text = f"{conclusion(verdict)}; {counted(verdict.windows, 'window')}, {counts}"
    return Event(verdict.at, "verify", None, text)


def _of_heartbeat(state: State) -> list[Event]:
    """How the last driver ended; the ends of older ones are not kept."""
    beat = state.beat
    if beat is None or not beat.is_over:
        return []
    why = f": {beat.error}" if beat.error else ""
    return [Event(beat.beat, beat.state, beat.epoch, f"driver of epoch {beat.epoch} {beat.state}{why}")]
