"""The curve of a home whose results are in a database or a lakehouse: from the samples that the home keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from airflow_nrt.basics.errors import InputError
from airflow_nrt.curve.column import ColumnOfWindows
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.notes.samples import Sample, read_samples, sampled_files
from airflow_nrt.home.notes.sampling import Sampling
from airflow_nrt.home.outline import InsertOutline


def is_sampled(insert: InsertOutline) -> bool:
    """Whether the home keeps samples of the windows of an insert."""
    return insert.window is not None and Sampling.of(insert).top > 0


@dataclass
class SampledCurve(ColumnOfWindows):
    """Reads the totals of one measure repeatedly; a day without a new sample is not read twice."""

    home: Home
    insert: InsertOutline
    column: str
    _days: dict[str, tuple[object, dict[tuple[int, int], Sample]]] = field(default_factory=dict)

    @classmethod
    def of(cls, home: Home, insert: InsertOutline, measure: str | None) -> SampledCurve:
        """The curve of a measure, by default the first one. Raises InputError for another column."""
        known = Sampling.of(insert).measures
        if measure is not None and measure not in known:
            raise InputError(f"the home has no samples of a column {measure!r} of {insert.name}: {', '.join(known)}")
        return cls(home, insert, measure or known[0])

    def values(self) -> list[tuple[int, float]]:
        """The end (ms) and the total of each published window; NaN without a sample."""
        samples = {key: one for day in self._names() for key, one in self._day(day).items()}
        standing = {}
        for change in standing_at(past_results(self.home.log())):
            if change.published.insert == self.insert.name and change.published.end is not None:
                standing[change.published.end] = self._total(samples.get((change.published.end, change.entry)))
        return sorted(standing.items())

    def _total(self, sample: Sample | None) -> float:
        if sample is None or self.column not in sample.measures:
            return float("nan")
        total = sample.total[sample.measures.index(self.column)]
        return float("nan") if total is None else total

    def _names(self) -> Iterator[str]:
        yield from sorted((self.home.samples / self.insert.name).names())

    def _day(self, day: str) -> dict[tuple[int, int], Sample]:
        files = sampled_files(self.home, self.insert.name, day)
        if self._days.get(day, (None,))[0] != files:
            self._days[day] = files, read_samples(files)
        return self._days[day][1]
