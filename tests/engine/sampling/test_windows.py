"""The sample of a window says what its published file holds, in any format, whoever published it."""

from __future__ import annotations

import shutil
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.sinks.filesystem import Filesystem
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.notes.samples import Sample, day_of, read_samples, sampled_files
from airflow_nrt.home.notes.verdicts import kept_verdicts
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    DAY,
    FEW,
    HOUR,
    MINUTE,
    MORNING,
    Stream,
    clock,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
)

CURVE = Windowing("CUMULATE", DAY, 30 * MINUTE)


def samples_of(stream: Stream, insert: str = "curve") -> dict[int, Sample]:
    """The newest by window end."""
    files = sampled_files(stream.home, insert, day_of(MORNING + HOUR))
    return {end: one for (end, _), one in sorted(read_samples(files).items())}


def csv_rows(directory: Path) -> list[tuple[Any, ...]]:
    lines = [line.split(",") for file in directory.glob("*.csv") for line in file.read_text().splitlines()]
    return [(shop, start, end, int(n), int(users), gmv) for shop, start, end, n, users, gmv in lines]


def by_window(rows: list[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    found = defaultdict(list)
    for row in rows:
        found[str(row[2])[:19]].append(row)
    return found


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_a_sample_has_the_largest_keys_and_the_total_of_what_was_published(spark, tmp_path: Path, kind: str) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(CURVE.sql, FEW, format=kind, sink__sample="2"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR)])
    stream.end()
    samples = samples_of(stream)
    published = by_window(csv_rows(tmp_path / "curve") if kind == "csv" else rows_of(tmp_path / "curve", kind))
    assert sorted(clock(end)[:19] for end in samples) == sorted(published)
    for end, sample in samples.items():
        rows = published[clock(end)[:19]]
        assert (sample.keys, sample.measures, sample.rows) == (("shop",), ("n", "users", "gmv"), len(rows))
        assert sample.total[0] == sum(row[3] for row in rows)
        assert sample.total[2] == pytest.approx(float(sum(Decimal(str(row[5] or 0)) for row in rows)))
        largest = sorted((row[3] for row in rows), reverse=True)[:2]
        assert [one.values[0] for one in sample.top] == largest
        assert {(one.key[0], one.values[0]) for one in sample.top} <= {(str(row[0] or "NULL"), row[3]) for row in rows}


def test_a_restatement_leaves_its_own_sample_beside_the_first(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(CURVE.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR), random_events(2, 5, HOUR)])
    stream.end()
    end = MORNING + HOUR
    before = samples_of(stream)[end]
    backfill(spark, plan, stream.home, Interval(MORNING, end), check=False)
    after = samples_of(stream)[end]
    assert (before.total[0], after.total[0]) == (before.total[0], before.total[0] + 5)
    assert after.entry == stream.home.log().last > before.entry


@pytest.mark.parametrize(
    "options", [{"sink__sample": "0"}, {"connector": "print"}, {"format": "debezium-json"}], ids=str
)
def test_no_sample_is_kept_where_none_is_wanted_or_none_can_be(spark, tmp_path: Path, options: dict[str, str]) -> None:
    insert = curve_insert(CURVE.sql, FEW, **options)
    if "connector" in options:
        insert = insert.replace(", 'path' = '${DATA}/curve', 'format' = 'parquet'", "")
    stream = Stream(spark, plan_of(tmp_path, events_table(), insert), tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR)])
    assert stream.firings
    assert not stream.home.notes.exists()


def test_of_many_bytes_the_newest_windows_are_sampled(spark, tmp_path: Path, monkeypatch) -> None:
    """Whoever catches up on a year of large windows is not held up."""
    from airflow_nrt.engine.sampling import window_samples as windows

    monkeypatch.setattr(windows, "MOST_BYTES", 400)
    plan = plan_of(tmp_path, events_table(), curve_insert(CURVE.sql, FEW, format="csv"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR)])
    (entry,) = [entry for entry in stream.entries if entry.published]
    ends = sorted(one.end for one in entry.published)
    sampled = sorted(samples_of(stream))
    assert 0 < len(sampled) < len(ends)
    assert sampled == ends[-len(sampled) :]


def test_a_file_that_is_not_what_was_published_gives_no_sample(spark, tmp_path: Path, monkeypatch, caplog) -> None:
    """Somebody has replaced it at that moment: the report goes on."""
    plan = plan_of(tmp_path, events_table(), curve_insert(CURVE.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")

    def publish(sink, spark, home, insert, entry, files) -> None:  # type: ignore[no-untyped-def]
        for published in files:
            (tmp_path / "curve" / published.target).write_text("another")

    monkeypatch.setattr(Filesystem, "publish", publish)
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR)])
    assert stream.firings
    assert samples_of(stream) == {}


def test_what_a_driver_published_and_died_is_sampled_by_the_next_one(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(CURVE.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR)])
    before = samples_of(stream)
    assert before
    shutil.rmtree(stream.home.samples.local)
    assert samples_of(Stream(spark, plan, tmp_path / "home")) == before


def test_a_verification_is_kept_window_by_window(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(CURVE.sql, FEW, format="csv"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, 3 * HOUR), random_events(2, 5, HOUR)])
    stream.end()
    changed = next(file for file in (tmp_path / "curve").glob("*T030000.csv"))
    changed.write_text(changed.read_text().partition("\n")[2])
    assert not verify(spark, plan, stream.home).is_proven
    (kept,) = kept_verdicts(stream.home, {}).values()
    last = stream.home.log().last
    said = [kept.of_window("curve", MORNING + n * HOUR // 2, last) for n in range(1, 7)]
    assert said[5] == "mismatch"
    assert "explained" in said[:5] and set(said[:5]) <= {"explained", "equal"}
