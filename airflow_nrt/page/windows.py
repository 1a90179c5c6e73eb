"""Windows of a report: their states and versions, a list of them, and one of them with its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.notes.samples import Sample, day_of
from airflow_nrt.home.notes.verdicts import MISMATCH, KeptVerdict
from airflow_nrt.home.outline import InsertOutline
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.log_facts import Version
from airflow_nrt.page.times import clock_text, instant_text

EARLY, COMPLETE, LATE_UPDATED = "early", "complete", "late-updated"
BACKFILLED, REPAIRED, SET_BY_HAND = "backfilled", "repaired", "set-by-hand"
_OF_RESTATEMENTS = {"repair": REPAIRED, "undo": SET_BY_HAND}
MOST_LISTED = 500
_MOST_VERSIONS = 100


@dataclass(frozen=True)
class Judged:
    """A window with its versions, oldest first, and the newest verdict about its last version."""

    insert: str
    end: int
    versions: Sequence[Version]
    verdict: str | None = None
    verified_at: int | None = None
    wrong_since: str | None = None
    waits: bool = False
    """Whether its last version is decided, and not published yet."""

    @property
    def last(self) -> Version:
        return self.versions[-1]

    @property
    def state(self) -> str:
        if self.verdict == MISMATCH:
            return MISMATCH
        if self.last.reason is not None:
            return _OF_RESTATEMENTS.get(self.last.reason, BACKFILLED)
        if self.last.state == EARLY:
            return EARLY
        final = [one for one in self.versions if one.reason is None and one.state != EARLY]
        return LATE_UPDATED if len(final) > 1 and self.last.state != COMPLETE else COMPLETE

    def to_json(self, late_rows: int) -> dict[str, Any]:
        return {
            "insert": self.insert,
            "start": clock_text(self.last.start),
            "end": clock_text(self.end),
            "state": self.state,
            "rows": self.last.rows,
            "versions": len(self.versions),
            "late_rows": late_rows,
            "checksum": shortened(self.last.checksum, 80),
            "verdict": self.verdict,
            "verified_at": instant_text(self.verified_at),
            "wrong_since": None if self.wrong_since is None else shortened(self.wrong_since, 500),
            "published_by": publisher(self.last),
            "published_at": None if self.waits else instant_text(self.last.time),
            "waits": self.waits,
        }


def judged(
    insert: str, end: int, versions: Sequence[Version], verdicts: Sequence[KeptVerdict], published: Mapping[str, int]
) -> Judged:
    """The newest verification of its last version counts. `published` has the last published entry by insert."""
    waits = versions[-1].entry > published.get(insert, versions[-1].entry)
    for one in verdicts:
        verdict = one.of_window(insert, end, versions[-1].entry)
        if verdict is not None:
            return Judged(insert, end, versions, verdict, one.at, one.history_of(insert, end), waits)
    return Judged(insert, end, versions, waits=waits)


def published_entries(reader: Reader) -> dict[str, int]:
    """By insert, the last log entry whose results it has. A heartbeat that can't be read counts as none."""
    beat = None
    with suppress(HomeError):
        beat = reader.heartbeat()
    return {one.table: one.published_entry for one in reader.progress(beat).tables}


def publisher(version: Version) -> str:
    if version.reason is None:
        return f"driver of epoch {version.epoch}"
    return version.reason if version.by is None else f"{version.reason}, {shortened(version.by, 600)}"


def windows_of(reader: Reader, insert: str, published: Mapping[str, int], day: int | None = None) -> Iterator[Judged]:
    """The windows of a day, newest first; `day` is its midnight (ms). `published` as for `judged`."""
    known, verdicts = reader.facts().windows.get(insert, {}), reader.verdicts()
    for end in sorted(known, reverse=True):
        if day is None or day < end <= day + DAY:
            yield judged(insert, end, known[end], verdicts, published)


def sample_of(reader: Reader, one: Judged) -> Sample | None:
    """The sample of the window's last version."""
    return reader.samples(one.insert, day_of(one.end)).get((one.end, one.last.entry))


def windowed(inserts: Sequence[InsertOutline]) -> list[InsertOutline]:
    return [one for one in inserts if one.window is not None]


def history(one: Judged) -> list[dict[str, Any]]:
    """Newest first."""
    return [
        {
            "version": len(one.versions) - n,
            "at": instant_text(version.time),
            "by": publisher(version),
            "state": shortened(version.state, 40),
            "rows": version.rows,
            "checksum": shortened(version.checksum, 80),
            "cause": shortened(version.cause, 600),
        }
        for n, version in enumerate(reversed(one.versions[-_MOST_VERSIONS:]))
    ]
