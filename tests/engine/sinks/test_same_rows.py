"""Files of results with the same rows, in any order."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.engine.sinks import same_rows, sink_of
from airflow_nrt.engine.sinks.same_rows import have_same_rows
from airflow_nrt.files.checksum import checksum_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published, Restate
from tests.engine.no_spark import NO_SPARK
from tests.sample import plan_of


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


@pytest.mark.parametrize(
    ("standing", "computed", "stays"),
    [
        ('{"n":1}\n{"n":2}\n', '{"n":2}\n{"n":1}\n', True),
        ('{"n":1}\n{"n":2}\n', '{"n":2}\n{"n":3}\n', False),
    ],
)
def test_a_window_with_the_same_rows_is_published_as_it_stands(
    standing: str, computed: str, stays: bool, tmp_path: Path
) -> None:
    """Its file is not even written again: whoever has read it finds it unchanged."""
    plan = plan_of(base=tmp_path)
    (insert,), home = plan.inserts, Home.create(tmp_path / "home", plan)
    sink = sink_of(insert)
    sink.check(NO_SPARK, home, insert)
    old, new = tmp_path / "curve" / "w.json", home.staged.local / "restate-1" / "w.json"
    new.parent.mkdir()
    old.write_text(standing)
    new.write_text(computed)
    before = os.stat(old)

    def published(file: Path) -> Published:
        return Published("curve", 0, 10, "restated", 2, checksum_of(file), "staged/restate-1/w.json", "w.json")

    again = sink.restaged(home, insert, published(new), published(old))
    assert (again.checksum == checksum_of(old)) == stays
    entry = home.log().append(Restate((again,), (), "backfill", {}, -1), None)
    sink.publish(NO_SPARK, home, insert, entry, [again])
    assert (os.stat(old).st_ino, os.stat(old).st_mtime_ns) == (before.st_ino, before.st_mtime_ns) or not stays
    assert checksum_of(old) == again.checksum and not new.exists()
