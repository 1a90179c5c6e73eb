"""Verifications at different times of a home's life: beside a living driver, after restatements, after a backfill."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    MORNING,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    write_events,
)

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)
FIRST = Interval(MORNING, MORNING + 30 * MINUTE)


def report(place: Path, **options: str) -> Plan:
    return plan_of(place, events_table(**options), curve_insert(TUMBLE.sql, FEW))


def late(seed: int) -> list:
    return random_events(seed, 3, 5 * MINUTE, start=MORNING + 10 * MINUTE)


def test_windows_published_meanwhile_are_not_foreign(spark, tmp_path: Path) -> None:
    stream = Stream(spark, report(tmp_path), tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 40, 2 * HOUR)])
    said: list[str] = []

    def go_on(text: str) -> None:
        said.append(text)
        if len(said) == 1:
            stream.absorb_batches(tmp_path, [random_events(2, 40, HOUR, start=MORNING + 2 * HOUR)])

    before = len(stream.entries)
    verdict = verify(spark, stream.plan, stream.home, say=go_on)
    assert len(stream.entries) > before + 1
    assert verdict.is_proven, verdict.problems


def test_late_again_after_a_restatement(spark, tmp_path: Path) -> None:
    stream = Stream(spark, report(tmp_path), tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, HOUR), late(2)])
    assert verify(spark, stream.plan, stream.home).explained == 1
    backfill(spark, stream.plan, stream.home, FIRST, check=False)
    assert verify(spark, stream.plan, stream.home, FIRST).equal == 1
    stream.absorb_batches(tmp_path, [late(3)])
    verdict = verify(spark, stream.plan, stream.home, FIRST)
    assert verdict.is_proven and verdict.explained == 1, verdict


def test_files_are_split_differently_than_the_stream_did(spark, tmp_path: Path) -> None:
    split = {"spark.sql.files.maxPartitionBytes": "2000", "spark.sql.files.openCostInBytes": "0"}
    before = {key: spark.conf.get(key) for key in split}
    stream = Stream(spark, report(tmp_path), tmp_path / "home")
    try:
        for key, value in split.items():
            spark.conf.set(key, value)
        stream.absorb_batches(tmp_path, [random_events(1, 60, HOUR), [*late(2), *late(3), *random_events(4, 90, HOUR)]])
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.late_rows > 6
    assert verdict.is_proven, verdict


def test_a_restatement_leaves_out_what_the_stream_rejected(spark, tmp_path: Path) -> None:
    """A row a day ahead was from the future when it came; the next day its window is complete."""
    now = [MORNING]
    plan = report(tmp_path, source__monitor_interval="1 s")
    stream = Stream(spark, plan, tmp_path / "home", clock=lambda: now[0])
    ahead = random_events(9, 2, MINUTE, start=MORNING + 24 * HOUR)
    stream.absorb_batches(tmp_path, [[*random_events(1, 40, HOUR), *ahead]])
    now[0] += 25 * HOUR
    stream.absorb_batches(tmp_path, [random_events(2, 40, HOUR, start=MORNING + 24 * HOUR)])
    day = Interval(MORNING, MORNING + 24 * HOUR + 30 * MINUTE)
    backfill(spark, plan, stream.home, day, check=False)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.windows == verdict.equal, verdict


def test_a_stream_that_begins_behind_a_backfill(spark, tmp_path: Path) -> None:
    """The stream fires the first window again before it has read the file that makes the batch differ from it."""
    write_events(tmp_path / "events" / "000.csv", random_events(1, 60, HOUR))
    write_events(tmp_path / "events" / "zzz.csv", late(2))
    plan = report(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    backfill(spark, plan, stream.home, FIRST, check=False)
    stream.absorb(tmp_path / "events" / "000.csv")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.explained == 1, verdict
    stream.absorb(tmp_path / "events" / "zzz.csv")
    assert verify(spark, plan, stream.home).is_proven


def test_paths_with_parents_in_them(spark, tmp_path: Path) -> None:
    """FIRST_VALUE numbers the files that rows come from; the verifier finds source files and results by their paths."""
    aggregates = {**FEW, "first_user": ("INT", "FIRST_VALUE(user_id)")}
    place = tmp_path / "reports" / ".."
    plan = plan_of(place, events_table(), curve_insert(TUMBLE.sql, aggregates))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 60, HOUR)])
    stream.end()
    verdict = verify(spark, plan, stream.home, published=tmp_path / "home" / ".." / "curve")
    assert verdict.is_proven and verdict.windows > 1, verdict


def test_texts_in_a_csv_sink(spark, tmp_path: Path) -> None:
    """Without a literal for NULL, csv holds '' for both; a text may hold a line break."""
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "1.json").write_text(
        '{"shop":"a\\nb","n":1,"ts":"2024-06-18 08:00:00"}\n{"shop":"","n":2,"ts":"2024-06-18 08:01:00"}\n'
    )
    plan = plan_of(
        tmp_path,
        "CREATE TABLE events (shop STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        "WITH ('connector'='filesystem','path'='${DATA}/events','format'='json');"
        "CREATE TABLE curve (shop STRING, e TIMESTAMP(3), n BIGINT) "
        "WITH ('connector'='filesystem','path'='${DATA}/curve','format'='csv');"
        "INSERT INTO curve SELECT shop, window_end, COUNT(*) "
        "FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end",
    )
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(tmp_path / "events" / "1.json")
    stream.end()
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] == 2, verdict
