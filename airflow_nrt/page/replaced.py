"""What stood in a window before a restatement replaced it, against what stands there now."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.notes.samples import Sample
from airflow_nrt.home.replaced.kept_rows import directory_of, samples_of_replaced
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.log_facts import Version
from airflow_nrt.page.times import instant_text
from airflow_nrt.page.windows import Judged, publisher


def replaced(reader: Reader, one: Judged, now: Sample | None) -> dict[str, Any] | None:
    """The newest earlier version of which rows are kept, against the sample of the last one; None if nothing of it is
    kept. `now` is None if that has no sample."""
    for version in reversed(one.versions[:-1]):
        old = _sample_of(reader, one, version)
        if old is not None:
            return {
                "version": version.entry,
                "at": instant_text(version.time),
                "by": publisher(version),
                "rows": old.rows,
                "rows_now": one.last.rows,
                **compared(old, now),
            }
    return None


def _sample_of(reader: Reader, one: Judged, version: Version) -> Sample | None:
    if version.kept is None:
        return None
    # It may be removed at this moment.
    with suppress(HomeError):
        return samples_of_replaced(directory_of(reader.home, version.kept), one.insert).get(one.end)
    return None


def compared(old: Sample, now: Sample | None) -> dict[str, Any]:
    """Totals and rows of two versions: of each measure the value before and now, None where it is not known.

    A key that is not in a sample is not in the window if the sample has all rows of it; then `gone` or `new` says so.
    """
    known = {row.key: row.values for row in now.top} if now is not None and now.measures == old.measures else {}
    before = {row.key: row.values for row in old.top}
    rows = []
    for key in {**before, **known}:
        then, today = before.get(key), known.get(key)
        rows.append(
            {
                "key": [shortened(text, 200) for text in key],
                "before": _values(then, old),
                "now": _values(today, old),
                "gone": today is None and now is not None and _is_whole(now),
                "new": then is None and _is_whole(old),
            }
        )
    total = now.total if now is not None and now.measures == old.measures else [None] * len(old.measures)
    return {
        "keys": [shortened(name, 200) for name in old.keys],
        "measures": [shortened(name, 200) for name in old.measures],
        "totals": [{"before": a, "now": b} for a, b in zip(old.total, total)],
        "compared": rows,
    }


def _values(values: Sequence[float | None] | None, sample: Sample) -> list[float | None]:
    return [None] * len(sample.measures) if values is None else list(values)


def _is_whole(sample: Sample) -> bool:
    return sample.rows == len(sample.top)
