"""The samples of the windows that an entry has published."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.notes.samples import MOST_LETTERS, Sample, SampledRow, write_samples
from airflow_nrt.home.notes.sampling import Sampling
from airflow_nrt.home.outline import InsertOutline
from airflow_nrt.model.plan import Insert, Plan

if TYPE_CHECKING:
    import pyarrow as pa

MOST_WINDOWS = 500
"""The newest windows of an entry that are sampled, so that a catch-up on a year is not slowed down."""
MOST_BYTES = 64 * 1024 * 1024
"""The bytes that are read for one entry, because the stream waits meanwhile."""

log = logging.getLogger(__name__)


def sample_entry(home: Home, plan: Plan, entry: Entry) -> None:
    """Writes the samples of the windows that an entry has published into files."""
    for insert in plan.inserts:
        if not sink_of(insert).publishes_entries:
            sample_insert(home, insert, entry)


def sample_insert(home: Home, insert: Insert, entry: Entry) -> None:
    """Writes the samples of the windows that an entry has published of one insert. Failures are logged, and skipped."""
    mine = [one for one in entry.published if one.insert == insert.name]
    sampling = Sampling.of(InsertOutline.of(insert))
    if not mine or not sampling.top:
        return
    try:
        samples = list(_samples(home, insert, sampling, entry, mine))
        write_samples(home, insert.name, entry, samples)
    except Exception as wrong:
        # The windows are published already, and a missing picture must not stop the report.
        log.warning("%s: no sample of its windows: %s", insert.name, wrong)


def sample_last(home: Home, plan: Plan, log: Log) -> None:
    """Samples the last published windows again, because a driver may have died between publishing and sampling."""
    last = next((entry for entry in log.backwards() if entry.published), None)
    if last is not None:
        sample_entry(home, plan, last)


def _samples(
    home: Home, insert: Insert, sampling: Sampling, entry: Entry, published: list[Published]
) -> Iterator[Sample]:
    """The samples, newest window first, up to the number of bytes."""
    newest_first = sorted((one for one in published if one.end is not None), key=attrgetter("end"), reverse=True)
    left = MOST_BYTES
    for end, group in islice(groupby(newest_first, key=attrgetter("end")), MOST_WINDOWS):
        files = list(group)
        present: list[pa.Table] = []
        for one in files:
            read = sink_of(insert).sample(home, insert, one, sampling.keys, sampling.measures, left)
            if read is not None:
                present.append(read[0])
                left -= read[1]
        if len(present) == len(files):
            yield sample_of(sampling, entry.n, end, present)


def sample_of(sampling: Sampling, n: int, end: int, tables: list[pa.Table]) -> Sample:
    """The sample of the rows of a window, of entry `n`: keys as texts and measures as doubles."""
    # Imported with the first window: the import is slow, and many reports have no windows.
    import pyarrow as pa
    import pyarrow.compute as pc

    keys, measures = sampling.keys, sampling.measures
    table = pa.concat_tables(tables)
    total = tuple(_number(pc.sum(table[name]).as_py()) for name in measures)
    top: tuple[SampledRow, ...] = ()
    if keys:
        most = min(sampling.top, len(table))
        places = pc.select_k_unstable(table, most, sort_keys=[(measures[0], "descending")])
        rows = zip(*(table[name].take(places).to_pylist() for name in (*keys, *measures)))
        top = tuple(
            SampledRow(tuple(map(_text, row[: len(keys)])), tuple(map(_number, row[len(keys) :]))) for row in rows
        )
    return Sample(n, end, len(table), keys, measures, total, top)


def _text(value: str | None) -> str:
    return "NULL" if value is None else value[:MOST_LETTERS]


def _number(value: float | None) -> float | None:
    """A number for JSON, in which whole numbers have no fraction."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value
