"""The curve of a day, over the day before and the same day a week before, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.notes.samples import Sample
from airflow_nrt.home.notes.sampling import Sampling
from airflow_nrt.home.outline import InsertOutline, WindowOutline
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.late_rows import late_counts
from airflow_nrt.page.times import clock_text, day_text
from airflow_nrt.page.windows import Judged, windows_of

TOTAL = "TOTAL"
BETWEEN = " · "
"""The separator of the columns of a key."""
MOST_KEYS = 12
MOST_STEPS = 1440
ROLES = (("day", 0, "today"), ("day_before", DAY, "yesterday"), ("week_before", 7 * DAY, "last week"))
_NO_SAMPLE = "no sample is kept of this insert: option 'sink.sample' of its table says how many keys"
_NONE_YET = "no window is published yet"
_NONE_OF_DAY = "no window of this day is published"
_OLD = "the windows of this day have no sample: they were published before this version, or with 'sink.sample' = '0'"


@dataclass(frozen=True)
class Grid:
    """Where the windows of a day end: every `stride` from `first` on (ms after midnight), `per_step` of them per
    step."""

    first: int
    stride: int
    per_step: int

    @classmethod
    def of(cls, window: WindowOutline, some_end: int, day: int) -> Grid:
        """Of the day that begins at this midnight; `some_end` is the end of any window, in any day."""
        stride, first = window.stride, window.grid(some_end).after(day) - day
        count = max((DAY - first) // stride + 1, 0)
        return cls(first, stride, -(-count // MOST_STEPS) if count else 1)

    def steps(self) -> list[int]:
        """The ends after midnight (ms) of the last window of each step."""
        width = self.stride * self.per_step
        return list(range(self.first + width - self.stride, DAY + 1, width))

    def step(self, after_midnight: int) -> int:
        """The step of a window that ends then."""
        return (after_midnight - self.first) // (self.stride * self.per_step)


def curve(
    reader: Reader, insert: InsertOutline, measure: str | None, day: int, keys: Sequence[str], today: int
) -> dict[str, Any]:
    """`day` and `today` are midnights (ms). Raises HomeError, and KeyError for a measure that no sample has."""
    assert insert.window is not None
    some_end = next(iter(list(reader.facts().windows.get(insert.name, ()))), 0)
    grid = Grid.of(insert.window, some_end, day)
    steps = grid.steps()
    samples = {role: _samples(reader, insert.name, day - back, grid) for role, back, _ in ROLES}
    newest = _newest(samples["day"]) or _newest(samples["day_before"]) or _newest(samples["week_before"])
    measures = newest.measures if newest is not None else ()
    chosen = measure if measure is not None else next(iter(measures), None)
    if newest is not None and chosen not in measures:
        raise KeyError(chosen)
    windows = _windows(reader, insert.name, day, grid, steps)
    return {
        "insert": insert.name,
        "measure": chosen,
        "scale": insert.scales.get(chosen or ""),
        "zone": reader.kept().zone or "UTC",
        "day": day_text(day),
        "step_minutes": grid.stride * grid.per_step / 60_000,
        "steps": [_minutes(step) for step in steps],
        "known_keys": [] if newest is None else [key_text(one.key) for one in newest.top],
        "days": [
            {
                "role": role,
                "label": label if day == today else day_text(day - back),
                "date": day_text(day - back),
                "series": [
                    {"key": shortened(key, 400), "values": _values(samples[role], len(steps), key, chosen)}
                    for key in keys
                ],
            }
            for role, back, label in ROLES
        ],
        "windows": windows,
        "sampled": newest is not None,
        "note": None if newest is not None else _why_none(reader, insert, any(windows)),
    }


def _why_none(reader: Reader, insert: InsertOutline, has_windows: bool) -> str:
    """Why there is no sample to draw."""
    if not Sampling.of(insert).top:
        return _NO_SAMPLE
    if has_windows:
        return _OLD
    return _NONE_OF_DAY if reader.facts().windows.get(insert.name) else _NONE_YET


def key_text(key: Iterable[str]) -> str:
    return shortened(BETWEEN.join(key), 400)


def _samples(reader: Reader, insert: str, day: int, grid: Grid) -> dict[int, Sample]:
    """The newest sample of each step of a day: that of its last sampled window."""
    found: dict[int, Sample] = {}
    for (end, _), one in sorted(reader.samples(insert, day_text(day)).items()):
        if day < end <= day + DAY:
            found[grid.step(end - day)] = one
    return found


def _newest(samples: Mapping[int, Sample]) -> Sample | None:
    return samples[max(samples)] if samples else None


def _values(samples: Mapping[int, Sample], steps: int, key: str, measure: str | None) -> list[float | None]:
    return [_value(samples.get(step), key, measure) for step in range(steps)]


def _value(sample: Sample | None, key: str, measure: str | None) -> float | None:
    if sample is None or measure not in sample.measures:
        return None
    column = sample.measures.index(measure)
    if key == TOTAL:
        return sample.total[column]
    return next((one.values[column] for one in sample.top if key_text(one.key) == key), None)


def _windows(reader: Reader, insert: str, day: int, grid: Grid, steps: Sequence[int]) -> list[dict[str, Any] | None]:
    """One value per step, that of its last window; None where none is published."""
    found: list[dict[str, Any] | None] = [None] * len(steps)
    # Without what is published: no step says whether its window waits.
    of_day = list(windows_of(reader, insert, {}, day))
    late = late_counts(reader, [one.end for one in of_day])
    for one in of_day:
        step = grid.step(one.end - day)
        if 0 <= step < len(found) and found[step] is None:
            found[step] = _shown(one, day, late[one.end])
    return found


def _shown(one: Judged, day: int, late_rows: int) -> dict[str, Any]:
    return {
        "end": clock_text(one.end),
        "minute": _minutes(one.end - day),
        "state": one.state,
        "late_rows": late_rows,
        "version": len(one.versions),
        "rows": one.last.rows,
    }


def _minutes(ms: int) -> float:
    return ms // 60_000 if ms % 60_000 == 0 else ms / 60_000
