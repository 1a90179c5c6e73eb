"""Two reports in a chain: after a backfill of the first, a backfill of the second makes it proven again."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from tests.engine.oracle import milliseconds
from tests.engine.reports import DAY, HOUR, MORNING, Stream, plan_of, rows_of, write_lines

FIRST = """
CREATE TABLE o (k STRING, p DECIMAL(10,2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/in', 'format' = 'csv');
CREATE TABLE m (k STRING, ws TIMESTAMP(3), we TIMESTAMP(3), n BIGINT, s DECIMAL(38,2))
WITH ('connector' = 'filesystem', 'path' = '${DATA}/mid', 'format' = 'csv');
INSERT INTO m SELECT k, window_start, window_end, COUNT(*), SUM(p)
FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY k, window_start, window_end;"""
SECOND = """
CREATE TABLE m (k STRING, ws TIMESTAMP(3), we TIMESTAMP(3), n BIGINT, s DECIMAL(38,2), rt AS ws,
    WATERMARK FOR rt AS rt - INTERVAL '1' MINUTE)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/mid', 'format' = 'csv');
CREATE TABLE h (k STRING, we TIMESTAMP(3), n BIGINT, s DECIMAL(38,2))
WITH ('connector' = 'filesystem', 'path' = '${DATA}/hour', 'format' = 'json');
INSERT INTO h SELECT k, window_end, SUM(n), SUM(s)
FROM TABLE(CUMULATE(TABLE m, DESCRIPTOR(rt), INTERVAL '1' HOUR, INTERVAL '4' HOUR))
GROUP BY k, window_start, window_end;"""
TODAY = Interval(MORNING, MORNING + DAY)


def at(minute: str, *rows: str) -> list[str]:
    return [f"{row},2024-06-18 {minute}:00" for row in rows]


def chain(spark: SparkSession, place: Path) -> tuple[tuple[Plan, Stream], tuple[Plan, Stream]]:
    """Both reports, streamed; the first one has got a late row since."""
    plans = [plan_of(place, text, name=name) for text, name in ((FIRST, "a"), (SECOND, "b"))]
    first = Stream(spark, plans[0], place / "ha")
    lines = [*at("10:00", "a,1.5", "b,2"), *at("10:11", "a,3"), *at("10:31", "b,5"), *at("11:02", "b,4", "a,6")]
    first.absorb(write_lines(place / "in" / "1.csv", lines), source="o")
    first.end()
    second = Stream(spark, plans[1], place / "hb")
    second.absorb(*sorted((place / "mid").glob("*.csv")), source="m")
    second.end()
    first.absorb(write_lines(place / "in" / "2.csv", at("10:02", "a,100")), source="o")
    return (plans[0], first), (plans[1], second)


def test_the_second_is_proven_again_after_a_backfill(spark, tmp_path: Path) -> None:
    (plan_a, a), (plan_b, b) = chain(spark, tmp_path)
    before = {file: os.stat(file) for file in sorted((tmp_path / "mid").glob("*.csv"))}
    backfill(spark, plan_a, a.home, TODAY, False)
    written = [file.name for file, stat in before.items() if os.stat(file).st_ino != stat.st_ino]
    assert written == ["m-20240618T100000-20240618T101000.csv"]

    stale = verify(spark, plan_b, b.home)
    assert not stale.is_proven and not stale.problems and stale.unexplained > 0
    status = read_status(b.home)
    assert (status.changed_files, status.restated_files) == ([], 1)
    backfill(spark, plan_b, b.home, TODAY, False)
    verdict = verify(spark, plan_b, b.home)
    assert verdict.is_proven and verdict.equal == verdict.windows > 0
    assert any("1 file restated by another report since" in note for note in verdict.notes)
    sums = {
        (key, milliseconds(end) - MORNING): float(total) for key, end, _, total in rows_of(tmp_path / "hour", "json")
    }
    assert sums["a", 11 * HOUR] == 104.5


def test_a_window_that_the_first_has_taken_away(spark, tmp_path: Path) -> None:
    (plan_a, a), (plan_b, b) = chain(spark, tmp_path)
    (tmp_path / "in" / "1.csv").write_text("".join(f"{line}\n" for line in at("10:00", "a,1.5", "b,2")))
    backfill(spark, plan_a, a.home, TODAY, False)
    assert len(list((tmp_path / "mid").glob("*.csv"))) == 1
    backfill(spark, plan_b, b.home, TODAY, False)
    verdict = verify(spark, plan_b, b.home)
    assert verdict.is_proven and verdict.equal == verdict.windows > 0, verdict


def test_what_nobody_has_published_stays_a_problem(spark, tmp_path: Path) -> None:
    _, (plan_b, b) = chain(spark, tmp_path)
    changed, gone = sorted((tmp_path / "mid").glob("*.csv"))[:2]
    changed.write_text(changed.read_text().replace("1.50", "1.51"))
    gone.unlink()
    problems = verify(spark, plan_b, b.home).problems
    for words in (
        f"the source file {changed} changed after it was read",
        f"the source file {gone} was read and is gone",
    ):
        assert any(problem.startswith(words) for problem in problems)
    assert read_status(b.home).restated_files == 0
