"""A bounded sample of each window that a report publishes: the largest keys and the total, as numbers.

    notes/samples/<insert>/<day of the window>/<writer>.jsonl      one line a window and version

They let a curve be drawn where sinks can't be read. They are data of the report: option `sink.sample` says how many
keys, 0 for none. Each process writes files of its own, so that no two processes append to one file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import SAMPLED_DAYS
from airflow_nrt.home.log.entries import Entry
from airflow_nrt.home.store.store import Seen
from airflow_nrt.home.store.store_path import StorePath

MOST_LETTERS = 100
"""The most characters of a value of a key."""
_MOST_BYTES = 32 * 1024 * 1024
"""The most bytes of a file: a day of windows that end every second, with 20 keys."""
_FORMAT = Format("the sample of a window")


@dataclass(frozen=True)
class SampledRow:
    """One key of a window, as texts, and its measures. A measure is None if it is NULL or not a number."""

    key: tuple[str, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Sample:
    """One version of a window, published by log entry `entry`.

    `end` is in milliseconds of the report's clock. `rows` counts all rows of the window, and `total` is the sum of each
    measure over them. `top` are the rows with the largest first measure, largest first.
    """

    entry: int
    end: int
    rows: int
    keys: tuple[str, ...]
    measures: tuple[str, ...]
    total: tuple[float | None, ...]
    top: tuple[SampledRow, ...]

    def __post_init__(self) -> None:
        """Raises TypeError."""
        if len(self.total) != len(self.measures):
            raise TypeError(f"it has {len(self.measures)} measures and {len(self.total)} totals")
        if any((len(one.key), len(one.values)) != (len(self.keys), len(self.measures)) for one in self.top):
            raise TypeError("a row has more or fewer columns than the sample")


def day_of(end: int) -> str:
    """The day of a window with this end (ms): one that ends at midnight belongs to the day before."""
    return format_instant((end - 1) // DAY * DAY)[:10]


def write_samples(home: Home, insert: str, entry: Entry, samples: Sequence[Sample]) -> None:
    """Appends them to the files of the process that wrote the entry. Raises OSError, HomeError."""
    writer = f"restate-{entry.n}" if entry.epoch is None else str(entry.epoch)
    days: dict[str, list[str]] = {}
    for one in samples:
        days.setdefault(day_of(one.end), []).append(sample_line(one))
    directory = home.samples / insert
    for day, lines in days.items():
        if not (directory / day).exists():
            (directory / day).make()
            _forget_old_days(directory)
        with suppress(FileNotFoundError):
            content = "".join(f"{line}\n" for line in lines).encode()
            (directory / day / f"{writer}.jsonl").append(content, _MOST_BYTES)


def sample_line(sample: Sample) -> str:
    """A sample as a line of a file."""
    return json.dumps(_FORMAT.stamped(asdict(sample)), separators=(",", ":"), ensure_ascii=False)


def _forget_old_days(directory: StorePath) -> None:
    for day in sorted(directory.names(), reverse=True)[SAMPLED_DAYS:]:
        (directory / day).delete_all()


def sampled_files(home: Home, insert: str, day: str) -> Mapping[StorePath, Seen]:
    """The files with samples of a day, each with what identifies its content. Raises HomeError."""
    try:
        found = {file: file.seen() for file in (home.samples / insert / day).below(".jsonl")}
    except OSError as wrong:
        raise HomeError(f"the samples of {home.path} can't be read: {wrong}") from None
    return {file: seen for file, seen in found.items() if seen is not None}


def read_samples(files: Iterable[StorePath]) -> dict[tuple[int, int], Sample]:
    """All versions by window end and log entry. A line that is cut or is no sample is skipped. Raises HomeError."""
    found: dict[tuple[int, int], Sample] = {}
    for path in files:
        try:
            content = path.read(_MOST_BYTES)
        except FileNotFoundError:
            continue
        except OSError as wrong:
            raise HomeError(f"the samples {path} can't be read: {wrong}") from None
        for line in content.splitlines():
            with suppress(ValueError, TypeError, HomeError):
                one = decoded(_FORMAT.read(parse_json(line), path), Sample)
                found[one.end, one.entry] = one
    return found
