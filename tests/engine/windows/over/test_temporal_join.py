"""Event-time temporal joins: any cut of the stream, late rows and late versions, and an oracle of ten lines."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    DAY,
    HOUR,
    MINUTE,
    MORNING,
    Stream,
    clock,
    insert_result,
    ordered,
    plan_of,
    rows_of,
    source_file,
    write_lines,
)
from tests.engine.windows.streamed import any_cut

TABLES = """
CREATE TABLE trades (id INT, k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/trades', 'format' = 'csv', 'csv.null-literal' = 'NULL');
CREATE TABLE rates (k STRING, rate INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE,
    PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates', 'format' = 'debezium-json');
CREATE TABLE joined (id INT, rate INT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/joined', 'format' = 'parquet');
"""
JOINED = "FROM trades AS t {} JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.k = r.k AND r.rate <> 3"
EACH = f"{TABLES} INSERT INTO joined SELECT id, rate {JOINED.format('LEFT')};"
WINDOWS = f"""
CREATE TABLE turnover (k STRING, worth INT, window_end TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/turnover', 'format' = 'parquet');
CREATE VIEW worth AS SELECT t.k, n * rate AS worth, t.ts {JOINED.format("")};
INSERT INTO turnover SELECT k, SUM(worth), window_end
FROM TABLE(TUMBLE(TABLE worth, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY k, window_start, window_end;
"""
TWO = f"""{TABLES}
CREATE TABLE fees (k STRING, fee INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/fees', 'format' = 'csv');
CREATE VIEW last_fees AS SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM fees) WHERE n = 1;
INSERT INTO joined SELECT id, rate + fee {JOINED.format("")}
JOIN last_fees FOR SYSTEM_TIME AS OF t.ts AS f ON f.k = t.k AND fee < rate;
"""


@dataclass(frozen=True)
class Trade:
    id: int
    k: str | None
    n: int
    at: int

    @property
    def line(self) -> str:
        return f"{self.id},{self.k or 'NULL'},{self.n},{clock(self.at)}"


@dataclass(frozen=True)
class Rate:
    """A version, or from `at` on none if `rate` is None."""

    k: str
    rate: int | None
    at: int

    @property
    def line(self) -> str:
        row = {"k": self.k, "rate": self.rate, "ts": clock(self.at)}
        return json.dumps({"op": "d", "before": row} if self.rate is None else {"op": "u", "before": row, "after": row})


@dataclass(frozen=True)
class Fee:
    """A version in a table whose rows are only added."""

    k: str
    fee: int
    at: int

    @property
    def line(self) -> str:
        return f"{self.k},{self.fee},{clock(self.at)}"


Row = Trade | Rate


def rate_of(trade: Trade, rows: Iterable[Row]) -> int | None:
    """The rate of its time: of versions of one time, the one that arrived last."""
    versions = [row for row in rows if isinstance(row, Rate) and row.k == trade.k and row.at <= trade.at]
    latest = [row for row in versions if row.at == max(one.at for one in versions)]
    return latest[-1].rate if latest and latest[-1].rate != 3 else None


def in_batch(rows: Iterable[Row]) -> dict[int, int | None]:
    rows = list(rows)
    return {one.id: rate_of(one, rows) for one in rows if isinstance(one, Trade)}


def in_stream(batches: Iterable[tuple[str, list[Row]]]) -> dict[int, int | None]:
    """As Flink's operator: a trade is decided when both watermarks have passed it, by the versions until then."""
    reached = {"trades": MORNING - HOUR, "rates": MORNING - HOUR}
    found: dict[int, int | None] = {}
    rows: list[Row] = []
    for table, some in [*batches, ("trades", []), ("rates", [])]:
        rows += [row for row in some if isinstance(row, Rate) or row.at > min(reached.values())]
        reached[table] = max([reached[table], *(row.at - 5 * MINUTE for row in some)]) if some else MORNING + DAY
        due = [one for one in rows if isinstance(one, Trade) and one.at <= min(reached.values())]
        found |= {one.id: rate_of(one, rows) for one in due if one.id not in found}
    return found


def history(seed: int, count: int = 60) -> list[Row]:
    """Rows of an hour in the order of arrival: most in time, some late. Times meet often."""
    chance = random.Random(seed)

    def row(n: int) -> Row:
        at, key = MORNING + chance.randrange(60) * MINUTE, chance.choice("abc")
        if chance.random() < 0.5:
            return Trade(n, chance.choice([key, key, key, None]), chance.randint(1, 9), at)
        return Rate(key, chance.choice([1, 2, 3, 4, None]), at)

    rows = [row(n) for n in range(count)]
    return sorted(rows, key=lambda one: one.at + chance.choice([0, 0, 4, 30]) * MINUTE)


def batches_of(rows: Sequence[Row], seed: int, count: int) -> list[tuple[str, list[Row]]]:
    """The rows in batches of one table each."""
    cuts = [0, *sorted(random.Random(seed).sample(range(1, len(rows)), count)), len(rows)]
    parts = [rows[a:b] for a, b in pairwise(cuts)]
    kinds = [("trades", Trade), ("rates", Rate)]
    return [
        (name, some) for part in parts for name, kind in kinds if (some := [r for r in part if isinstance(r, kind)])
    ]


class Report:
    """The report, streamed from files; a driver takes over from the one before in the middle."""

    def __init__(self, spark: Any, place: Path, statements: str = EACH) -> None:
        self.spark, self.place = spark, place
        self.plan: Plan = plan_of(place, statements)
        self.stream = Stream(spark, self.plan, place / "home")
        self.files: dict[str, list[Path]] = {source.name: [] for source in self.plan.sources}

    def absorb(self, table: str, rows: Iterable[Row | Fee]) -> None:
        name = f"{sum(map(len, self.files.values())):03d}.{self.plan.source(table).table.suffix}"
        self.files[table].append(write_lines(self.place / table / name, (row.line for row in rows)))
        self.stream.absorb(self.files[table][-1], source=table)

    def restart(self) -> None:
        self.stream = Stream(self.spark, self.plan, self.place / "home")

    def verdict(self) -> Verdict:
        return verify(self.spark, self.plan, self.stream.home)

    def joined(self) -> dict[int, int | None]:
        return dict(rows_of(self.place / "joined"))

    def batch(self) -> dict[str, list[tuple[Any, ...]]]:
        splits = {table: [source_file(file) for file in files] for table, files in self.files.items()}
        inserts = self.plan.inserts
        return {
            one.name: ordered(insert_result(self.spark, self.plan, one, splits).drop("_nrt_end").collect())
            for one in inserts
        }


@pytest.mark.thorough
@pytest.mark.timeout(600)
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, tmp_path_factory, seed: int, batches: int) -> None:
    report, rows = Report(spark, tmp_path_factory.mktemp("report"), EACH + WINDOWS), history(seed)
    parts = batches_of(rows, seed, batches)
    for n, (table, some) in enumerate(parts):
        if n == len(parts) // 2:
            report.restart()
        report.absorb(table, some)
    report.stream.end()
    assert report.verdict().is_proven
    assert dict(report.batch()["joined"]) == in_batch(rows)
    assert report.joined() == in_stream(parts)


def test_a_row_waits_for_both_watermarks(spark, tmp_path: Path) -> None:
    report = Report(spark, tmp_path)
    report.absorb("trades", [Trade(1, "a", 1, MORNING + 10 * MINUTE), Trade(2, "b", 1, MORNING + HOUR)])
    report.absorb("rates", [Rate("a", 1, MORNING)])
    assert report.joined() == {}
    report.absorb("rates", [Rate("a", 2, MORNING + 10 * MINUTE), Rate("b", 7, MORNING + 16 * MINUTE)])
    assert report.joined() == {1: 2}
    report.absorb("rates", [Rate("b", None, MORNING + 30 * MINUTE)])
    report.stream.driver.note("rates", ended=True)
    report.absorb("trades", [Trade(3, "a", 1, MORNING + 2 * HOUR)])
    assert report.joined() == {1: 2, 2: None}, "rates has ended, so only trades holds trade 3 back"
    report.stream.end()
    assert report.joined() == {1: 2, 2: None, 3: 2}
    assert report.verdict().is_proven


def test_a_late_version_counts_for_rows_that_wait_and_a_late_row_for_none(spark, tmp_path: Path) -> None:
    """At 00:20 the watermark is 00:15. The version of 00:05 is too late for trade 1, and counts for trade 2."""
    report = Report(spark, tmp_path)
    report.absorb("rates", [Rate("a", 1, MORNING), Rate("b", 1, MORNING + 12 * MINUTE)])
    report.absorb("trades", [Trade(1, "a", 1, MORNING + 10 * MINUTE), Trade(2, "a", 1, MORNING + 18 * MINUTE)])
    report.absorb("trades", [Trade(3, "b", 1, MORNING + 20 * MINUTE)])
    report.absorb("rates", [Rate("c", 1, MORNING + 20 * MINUTE)])
    assert report.joined() == {1: 1}
    report.restart()
    report.absorb("rates", [Rate("a", 4, MORNING + 5 * MINUTE), Rate("b", 4, MORNING + 5 * MINUTE)])
    report.absorb("trades", [Trade(4, "a", 1, MORNING + 9 * MINUTE)])
    report.stream.end()
    assert report.joined() == {1: 1, 2: 4, 3: 1}
    verdict = report.verdict()
    assert verdict.is_proven and verdict.late_rows == 3, verdict
    assert verdict.inserts[0].rows["explained"] == 3, "in batch trade 1 has rate 4, not 1, and trade 4 is there"


def test_a_backfill_publishes_what_late_versions_change(spark, tmp_path: Path) -> None:
    report = Report(spark, tmp_path)
    late = Rate("a", 4, MORNING + 5 * MINUTE)
    batches: list[tuple[str, list[Row]]] = [
        ("rates", [Rate("a", 1, MORNING), Rate("b", 1, MORNING + 40 * MINUTE)]),
        ("trades", [Trade(n, "a", 1, MORNING + n * MINUTE) for n in (4, 10, 40)]),
        ("rates", [late]),
    ]
    for table, some in batches:
        report.absorb(table, some)
    report.stream.end()
    assert report.joined() == in_stream(batches) == {4: 1, 10: 1, 40: 4}
    backfill(spark, report.plan, report.stream.home, Interval(MORNING, MORNING + HOUR), check=False)
    assert report.joined() == in_batch(row for _, some in batches for row in some) == {4: 1, 10: 4, 40: 4}
    verdict = report.verdict()
    assert verdict.is_proven and not verdict.inserts[0].rows["explained"]


def test_two_joins_of_one_row(spark, tmp_path: Path) -> None:
    """Of a table of changes, and of a view of last rows. A row waits for the watermarks of all three tables."""
    report = Report(spark, tmp_path, TWO)
    report.absorb("trades", [Trade(n, "a", 1, MORNING + n * MINUTE) for n in (10, 20, 30)])
    report.absorb("trades", [Trade(40, "b", 1, MORNING + 40 * MINUTE)])
    report.absorb("rates", [Rate("a", 8, MORNING), Rate("a", 4, MORNING + 30 * MINUTE), Rate("b", 9, MORNING + HOUR)])
    assert report.joined() == {}
    report.absorb("fees", [Fee("a", 2, MORNING + 9 * MINUTE), Fee("a", 5, MORNING + 20 * MINUTE)])
    assert report.joined() == {10: 10}
    report.absorb("fees", [Fee("a", 3, MORNING + 12 * MINUTE), Fee("b", 1, MORNING + HOUR)])
    report.stream.end()
    assert report.joined() == {10: 10, 20: 13}, "at 00:30 the fee is above the rate, and b had no rate yet"
    verdict = report.verdict()
    assert verdict.is_proven and verdict.late_rows == 1


def test_a_deletion_without_a_time_stops(spark, tmp_path: Path) -> None:
    report = Report(spark, tmp_path)
    line = '{"op": "d", "before": {"k": "a"}}'
    with pytest.raises(Exception, match="table 'rates': a row that deletes a key has no rowtime"):
        report.stream.absorb(write_lines(tmp_path / "rates" / "0.json", [line]), source="rates")
