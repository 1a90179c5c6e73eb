"""Late rows by the windows that they missed, from the ledger."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.numbers_as_written import json_text
from airflow_nrt.home.ledger import LATE_PREFIX, records_in
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.ledger_files import ledger_files
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.log_facts import LateBatch
from airflow_nrt.page.times import clock_text

MOST_BATCHES = 300
"""The most batches with late rows for one day: the newest ones."""
MOST_ROWS = 2000
"""The most late rows of a batch."""
_CACHED = 4000
_cache: OrderedDict[StorePath, tuple[tuple[int, int], ...]] = OrderedDict()
"""A commit's ledger never changes: the first and the last window that each row missed."""


def late_counts(reader: Reader, ends: Iterable[int]) -> dict[int, int]:
    """How many late rows are not in the windows with these ends (ms)."""
    found = {}
    by_day: dict[int, list[int]] = {}
    for end in ends:
        by_day.setdefault((end - 1) // DAY * DAY, []).append(end)
    for day, some in by_day.items():
        missed = [bounds for batch in _of_day(reader, day) for bounds in _missed_by(reader.home.root, batch)]
        firsts, lasts = sorted(first for first, _ in missed), sorted(last for _, last in missed)
        found.update({end: bisect_right(firsts, end) - bisect_left(lasts, end) for end in some})
    return found


def rows_of(reader: Reader, end: int, most: int = 20) -> list[dict[str, Any]]:
    """Late rows that are not in the window with this end (ms)."""
    found: list[dict[str, Any]] = []
    for batch in _of_day(reader, (end - 1) // DAY * DAY):
        if not any(first <= end <= last for first, last in _missed_by(reader.home.root, batch)):
            continue
        for record in _records(reader.home.root, batch):
            first, last = _bounds(record)
            if first <= end <= last:
                found.append(_shown(record))
                if len(found) == most:
                    return found
    return found


def _of_day(reader: Reader, day: int) -> list[LateBatch]:
    """Batches whose late rows may have missed windows of a day, newest first."""
    batches = (one for one in reversed(reader.facts().late) if one.watermark >= day and _is_inside(one))
    return [one for one, _ in zip(batches, range(MOST_BATCHES))]


def _is_inside(batch: LateBatch) -> bool:
    parts = Path(batch.ledger).parts
    names = [*batch.written, *(file.name for files in batch.written.values() for file in files)]
    return len(parts) == 2 and parts[0] == "ledger" and not any(".." in Path(one).parts for one in (*parts, *names))


def _missed_by(root: StorePath, batch: LateBatch) -> tuple[tuple[int, int], ...]:
    directory = root / batch.ledger
    known = _cache.get(directory)
    if known is None:
        known = _cache[directory] = tuple(bounds for bounds in map(_bounds, _records(root, batch)) if bounds[1] >= 0)
        while len(_cache) > _CACHED:
            _cache.popitem(last=False)
    return known


def _records(root: StorePath, batch: LateBatch) -> Iterator[dict[str, Any]]:
    """Unreadable records are skipped."""
    with suppress(OSError, HomeError):
        late = (files for name, files in ledger_files(root, batch).items() if name.startswith(LATE_PREFIX))
        yield from islice(chain.from_iterable(map(records_in, chain.from_iterable(late))), MOST_ROWS)


def _bounds(record: dict[str, Any]) -> tuple[int, int]:
    first, last = record.get("missed_from"), record.get("missed_until")
    return (first, last) if type(first) is int and type(last) is int else (0, -1)


def _shown(record: dict[str, Any]) -> dict[str, Any]:
    row, mark = record.get("row"), record.get("watermark")
    cells = row if isinstance(row, dict) else {}
    return {
        "watermark": clock_text(mark if type(mark) is int else None),
        "row": {shortened(str(name), 100): shortened(_text(value), 200) for name, value in list(cells.items())[:40]},
        "file": shortened(str(record.get("file", "")).rpartition("/")[2], 200),
    }


def _text(value: Any) -> str:
    if value is None:
        return "NULL"
    return value if isinstance(value, str) else json_text(value)
