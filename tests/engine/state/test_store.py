"""State between micro-batches: few files however many batches, and nothing that no entry refers to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.engine.spark.footers import ColumnFooter, read_footer
from airflow_nrt.engine.state import compaction
from airflow_nrt.engine.state.compaction import FANOUT
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.entries import Entry, OperatorState, Tick
from tests.engine.oracle import Windowing, count_in
from tests.engine.reports import (
    DAY,
    FEW,
    HOUR,
    MINUTE,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "windowing",
    [Windowing("CUMULATE", DAY, HOUR), pytest.param(Windowing("HOP", 6 * HOUR, HOUR), marks=pytest.mark.thorough)],
    ids=str,
)
def test_many_batches_few_files(spark, tmp_path: Path, windowing: Windowing) -> None:
    """A driver a third of the way into the day is replaced by another, which goes on from its files."""
    events = random_events(6, 150, 3 * HOUR)
    size = len(events) // (2 * FANOUT + 1)
    batches = [events[n : n + size] for n in range(0, len(events), size)]
    plan = plan_of(tmp_path, events_table(), curve_insert(windowing.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches[:9])
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches[9:])
    state = stream.driver.position.operators[plan.operators[0].name]
    assert len(batches) > 2 * FANOUT and len(state.rows) < len(batches) - FANOUT // 2
    standing = {str(path.relative_to(stream.home.path)) for path in stream.home.state.local.glob("*/*")}
    kept_a_while = stream.driver.computation.released.waiting
    assert state.files() <= standing and standing - state.files() <= kept_a_while
    stream.end()
    assert rows_of(tmp_path / "curve") == count_in(windowing, [events], FEW)
    assert verify(spark, plan, stream.home).is_proven


@pytest.fixture
def merged(spark, tmp_path: Path, monkeypatch) -> Stream:
    """A stream of batches of 15 rows, whose files are merged two by two."""
    monkeypatch.setattr(compaction, "FANOUT", 2)
    plan = plan_of(tmp_path, events_table(), curve_insert(Windowing("CUMULATE", DAY, HOUR).sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    events = random_events(6, 60, 5 * HOUR)
    stream.absorb_batches(tmp_path, [events[n : n + 15] for n in range(0, len(events), 15)])
    return stream


def states(entries: Iterable[Entry]) -> list[OperatorState]:
    return [state for entry in entries for state in entry.body.position.operators.values()]


def test_files_are_merged_behind_what_is_published(merged: Stream) -> None:
    entries = list(merged.home.log().audit())
    merging = [n for n, one in enumerate(entries) if isinstance(one.body, Tick) and not one.published]
    assert merging
    for n in merging:
        before, after = states(entries[n - 1 : n + 1])
        assert len(after.files()) < len(before.files())
        assert (after.fired, after.watermark) == (before.fired, before.watermark)
    # An entry that publishes has merged nothing: nobody has waited for that.
    assert any(entries[n - 1].published for n in merging)


def test_open_rows_are_not_merged_with_those_that_have_closed(merged: Stream) -> None:
    """Whoever closes them would read all of the day with them, and take it for new."""
    fired = [state for state in states(merged.home.log().entries(1)) if state.fired]
    closed = {file.rows for state in fired for file in state.rows if file.last <= state.fired}
    opened = {file.rows for state in fired for file in state.rows if file.last > state.fired}
    assert max(opened) <= 15 < max(closed)


def test_finished_windows_leave_no_state(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(Windowing("CUMULATE", HOUR, 10 * MINUTE).sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(6, 40, 2 * HOUR)])
    stream.end()
    assert stream.driver.position.files() == frozenset()


def test_orphans_of_a_crash_are_removed(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(Windowing("TUMBLE", HOUR, HOUR).sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(6, 40, 30 * MINUTE)])
    referred = stream.driver.position.files()
    operator = plan.operators[0].name
    orphans = [stream.home.state.local / operator / "1-orphan", stream.home.staged.local / "1-orphan"]
    mine = [stream.home.state.local / operator / "2-mine", stream.home.staged.local / "restate-somebody"]
    for directory in (*orphans, *mine):
        directory.mkdir()
    Stream(spark, plan, tmp_path / "home")
    assert not any(directory.exists() for directory in orphans)
    assert all(directory.exists() for directory in mine)
    assert referred and all((stream.home.path / path).is_dir() for path in referred)


# ---------------------------------------------------------------------------------------------------- footers


def test_footers_of_several_files_and_groups(tmp_path: Path) -> None:
    columns = {"a": [5, None, -(2**62), 2**62], "b": [None] * 4, "c": ["x", None, None, None]}
    schema = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("c", pa.string())])
    files = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for file in files:
        pq.write_table(pa.table(columns, schema), file, row_group_size=2)
    footer = read_footer(files, columns)
    assert footer.rows == 8
    assert footer.columns["a"] == ColumnFooter(-(2**62), 2**62, 2)
    assert footer.columns["b"] == ColumnFooter(None, None, 8)
    assert footer.columns["c"].nulls == 6


def test_footers_without_statistics(spark, tmp_path: Path) -> None:
    """Spark writes none of a column that holds long values; the late rows of such a file are counted otherwise."""
    rows = spark.range(10).selectExpr("id", "IF(id = 3, repeat('x', 5000), NULL) AS long")
    rows.coalesce(1).write.parquet(str(tmp_path / "rows"))
    footer = read_footer((tmp_path / "rows").glob("*.parquet"), ["id", "long"])
    assert (footer.columns["id"].nulls, footer.columns["long"].nulls) == (0, None)


def test_footers_of_no_files() -> None:
    assert read_footer([], ["a"]).columns["a"] == ColumnFooter(None, None, 0)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"something else, and long enough", b"PAR1" + bytes(20)])
def test_no_parquet_file(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="is no Parquet file"):
        read_footer([file])
