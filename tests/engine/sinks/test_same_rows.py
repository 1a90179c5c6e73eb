"""Files of results with the same rows, in any order."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.engine.sinks import same_rows
from airflow_nrt.engine.sinks.same_rows import have_same_rows


def files(place: Path, *texts: str) -> list[Path]:
    found = [place / f"{n}.csv" for n in range(len(texts))]
    for file, text in zip(found, texts):
        file.write_text(text)
    return found


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a,1\nb,2\n", "b,2\na,1\n", True),
        ("a,1\na,1\n", "a,1\na,1\n", True),
        ("a,1\na,1\n", "a,1\nb,2\n", False),
        # Two rows in three lines: which line is of which row is not known.
        ('a,"1\nb"\nc,2\n', 'c,2\na,"1\nb"\n', False),
    ],
)
def test_lines(one: str, other: str, same: bool, tmp_path: Path) -> None:
    assert have_same_rows("csv", 2, *files(tmp_path, one, other)) == same


def test_parquet(tmp_path: Path) -> None:
    rows = [{"k": "a", "n": 1, "of": {"x": None}}, {"k": None, "n": 2, "of": {"x": 1.5}}]
    tables = [pa.Table.from_pylist(some) for some in (rows, rows[::-1], [rows[0], rows[0]])]
    paths = [tmp_path / f"{n}" for n in range(3)]
    for path, table in zip(paths, tables):
        pq.write_table(table, path)
    assert have_same_rows("parquet", 2, paths[0], paths[1])
    assert not have_same_rows("parquet", 2, paths[0], paths[2])


def test_large_files_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_rows, "MOST_BYTES", 3)
    assert not have_same_rows("csv", 1, *files(tmp_path, "a,1\n", "a,1\n"))
