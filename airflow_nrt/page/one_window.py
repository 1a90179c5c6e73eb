"""One window: its sampled rows, its versions, and the late rows that are not in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.notes.samples import Sample
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.late_rows import late_counts, rows_of
from airflow_nrt.page.replaced import replaced
from airflow_nrt.page.windows import Judged, history, judged, published_entries, sample_of

_NOTE = "no sample of this version is kept"


def find_window(reader: Reader, insert: str, end: int) -> Judged | None:
    """The window that ends at `end` (ms), None if no such window is published. Raises HomeError."""
    versions = reader.facts().windows.get(insert, {}).get(end)
    return judged(insert, end, versions, reader.verdicts(), published_entries(reader)) if versions else None


def one_window(reader: Reader, one: Judged) -> dict[str, Any]:
    """Raises HomeError."""
    sample = sample_of(reader, one)
    scales = next((insert.scales for insert in reader.inserts() if insert.name == one.insert), {})
    return {
        **one.to_json(late_counts(reader, [one.end])[one.end]),
        "row_count": one.last.rows,
        **(_rows(sample, scales) if sample is not None else {"columns": [], "rows": [], "total": {}}),
        "scales": dict(scales),
        "sampled": sample is not None,
        "note": None if sample is not None else _NOTE,
        "history": history(one),
        "late": rows_of(reader, one.end),
        "replaced": replaced(reader, one, sample),
    }


def _rows(sample: Sample, scales: Mapping[str, int]) -> dict[str, Any]:
    of = [scales.get(name) for name in sample.measures]
    return {
        "columns": [shortened(name, 200) for name in (*sample.keys, *sample.measures)],
        "rows": [[*(shortened(text, 200) for text in row.key), *map(_text, row.values, of)] for row in sample.top],
        "total": dict(zip(sample.measures, sample.total)),
    }


def _text(value: float | None, scale: int | None) -> str:
    if value is None:
        return "NULL"
    return str(value) if scale is None else f"{value:.{scale}f}"
