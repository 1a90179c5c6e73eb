"""Where the rows of older versions are: a directory for each restatement, `versions/<time in ms>-<id>/`.

    before.json            of each window, how many rows were replaced, and the sums of their numbers
    after.json             the same of the rows that took their place
    samples/<insert>.jsonl samples of the rows that were replaced
    replaced/<insert>/     the rows that were replaced, as Parquet
    set/<insert>/          the rows that a person has set, as Parquet

All but after.json is there before the entry of the log that names it. A process that dies before leaves a directory
that no entry names, which goes when its time has come.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.pins import Pin
from airflow_nrt.home.notes.samples import Sample, read_samples, sample_line
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

REPLACED, SET = "replaced", "set"
_BEFORE, _AFTER, _SAMPLES = "before.json", "after.json", "samples"
OF_NO_ENTRY = -1
"""The entry of samples of rows that were read back: somebody may have changed them since one published them."""
_MOST_BYTES = 1 << 30
_FORMAT = Format("the sums of versions")


@dataclass(frozen=True)
class WindowSums:
    """The number of rows of a version of a window, and by column the sum of its numbers, as a text; a column whose
    values are all NULL has none."""

    rows: int
    sums: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SumsOfWindows:
    """By insert and end of the window (ms). Rows that are kept are so until then (ms of the wall clock), by the setting
    of then."""

    inserts: Mapping[str, Mapping[int, WindowSums]] = field(default_factory=dict)
    kept_until: int | None = None

    def of(self, insert: str, end: int) -> WindowSums | None:
        return self.inserts.get(insert, {}).get(end)


def new_directory(home: Home, now: int) -> StorePath:
    """A directory for a restatement that begins now (ms of the wall clock)."""
    directory = home.versions / f"{now}-{uuid.uuid4().hex[:8]}"
    directory.make()
    return directory


def write_samples_of_replaced(directory: StorePath, insert: str, samples: Iterable[Sample]) -> None:
    lines = (sample_line(one) for one in samples)
    (directory / _SAMPLES).make()
    _samples_file(directory, insert).replace("".join(f"{line}\n" for line in lines).encode())


def samples_of_replaced(directory: StorePath, insert: str) -> dict[int, Sample]:
    """By end of the window, samples of the rows that were replaced. Raises HomeError."""
    return {end: one for (end, _), one in read_samples([_samples_file(directory, insert)]).items()}


def _samples_file(directory: StorePath, insert: str) -> StorePath:
    return directory / _SAMPLES / f"{insert}.jsonl"


def directory_of(home: Home, key: str) -> StorePath:
    """The directory of the restatement that has kept rows below this key."""
    return home.versions / key.split("/")[1]


def write_before(directory: StorePath, sums: SumsOfWindows) -> None:
    (directory / _BEFORE).replace(record_bytes(_FORMAT, sums))


def write_after(directory: StorePath, sums: SumsOfWindows) -> None:
    (directory / _AFTER).replace(record_bytes(_FORMAT, sums))


def sums_before(directory: StorePath) -> SumsOfWindows:
    """Of the rows that were replaced; empty if they are not kept any more. Raises HomeError."""
    return _read(directory / _BEFORE)


def sums_after(directory: StorePath) -> SumsOfWindows:
    """Of the rows that took their place; empty if nobody has noted that. Raises HomeError."""
    return _read(directory / _AFTER)


def _read(path: StorePath) -> SumsOfWindows:
    try:
        return read_record(path, _FORMAT, SumsOfWindows, _MOST_BYTES)
    except FileNotFoundError:
        return SumsOfWindows()


def remove_old(home: Home, pins: Iterable[Pin], keep: int, now: int) -> None:
    """Removes what is older than `keep` (ms), but for the rows of windows that are pinned. Raises OSError."""
    pinned = {directory_of(home, one.rows).name for one in pins}
    for directory in home.versions.below():
        began = number_of(directory.name.partition("-")[0])
        if began is None or began + keep > now:
            continue
        if directory.name not in pinned:
            directory.delete_all()
            continue
        # The sums go first: rows that they do not name are not offered any more.
        (directory / _BEFORE).delete()
        (directory / _AFTER).delete()
        (directory / _SAMPLES).delete_all()
        (directory / REPLACED).delete_all()
