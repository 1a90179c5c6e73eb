"""Lookup joins in a stream, whose dimension changes between batches, and in the batch that computes it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.batch.analysis import analyse
from airflow_nrt.engine.dimensions import current
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Restate
from tests.engine.dimensions.reports import (
    ENRICHED,
    PLACED,
    REGIONS,
    report,
    shops_table,
    write_orders,
    write_shops,
)
from tests.engine.reports import MINUTE, MORNING, Stream, clock, plan_of, rows_of, write_lines

FIRST = ((1, 1, 10, 0), (2, 2, 20, 1), (3, 9, 30, 2), (4, "NULL", 40, 3))
SECOND = ((5, 1, 50, 4), (6, 3, 60, 12), (7, 1, 70, 40))
INTERVAL = Interval(MORNING, MORNING + 20 * MINUTE)


def window(minute: int) -> str:
    return clock(MORNING + minute * MINUTE)


def shown(place: Path) -> list[tuple]:
    return [(region, str(end)[:16], n, price) for region, end, n, price in rows_of(place / "regions")]


def changed_between_batches(spark, place: Path, *inserts: str, shops: str = "", key: str = "") -> Stream:
    """Two batches; shop 1 moves from north to east between them, and shop 3 opens."""
    write_shops(place, {1: "north", 2: "south"})
    stream = Stream(spark, report(place, *inserts, shops=shops or shops_table(key)), place / "home")
    stream.absorb(write_orders(place, "1", *FIRST), source="orders")
    write_shops(place, {1: "east", 2: "south", 3: "west"}, at=2)
    stream.absorb(write_orders(place, "2", *SECOND), source="orders")
    return stream


def test_rows_are_joined_with_the_version_of_their_batch(spark, tmp_path) -> None:
    stream = changed_between_batches(spark, tmp_path, ENRICHED, PLACED, REGIONS)
    enriched = [(1, "north"), (2, "south"), (3, None), (4, None), (5, "east"), (6, "west"), (7, "east")]
    assert rows_of(tmp_path / "enriched") == enriched
    end = "2024-06-18 00:10"
    assert shown(tmp_path) == [
        ("east", end, 1, 50), ("north", end, 1, 10), ("south", end, 1, 20), ("west", "2024-06-18 00:20", 1, 60),
    ]  # fmt: skip
    commits = [entry.body for entry in stream.entries if isinstance(entry.body, Commit)]
    versions = [commit.dimensions["shops"] for commit in commits]
    assert versions[0] != versions[1]
    assert {one.stem for one in stream.home.dimensions.local.glob("*.json")} == {*versions}
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.equal == 3, verdict
    assert all(version[:8] in verdict.notes[0] for version in versions)


def test_a_backfill_uses_the_version_of_each_batch(spark, tmp_path) -> None:
    stream = changed_between_batches(spark, tmp_path, PLACED, REGIONS)
    before = rows_of(tmp_path / "regions")
    write_shops(tmp_path, {1: "gone"}, at=3)
    result = backfill(spark, stream.plan, stream.home, INTERVAL, check=False)
    assert len(result.published) == 2 and rows_of(tmp_path / "regions") == before
    assert verify(spark, stream.plan, stream.home).is_proven


def test_the_newest_version_by_option(spark, tmp_path) -> None:
    """A verification with it differs, and says why; a repair publishes it, and is remembered."""
    newest = shops_table(lookup__backfill="newest")
    stream = changed_between_batches(spark, tmp_path, PLACED, REGIONS, shops=newest)
    verdict = verify(spark, stream.plan, stream.home)
    assert not verdict.is_proven and verdict.unexplained == 1
    assert verdict.notes[0].startswith("table shops: joined with its newest version, ")
    assert "the stream has used" in verdict.notes[0]
    result = backfill(spark, stream.plan, stream.home, INTERVAL, check=True, on_mismatch=REPAIR)
    assert result.verdict is not None and result.verdict.is_proven
    assert ("north", "2024-06-18 00:10", 1, 10) not in shown(tmp_path)
    restated = next(entry.body for entry in stream.entries if isinstance(entry.body, Restate))
    assert (stream.home.dimensions.local / f"{restated.dimensions['shops']}.json").exists()
    # Without the option the window that was repaired is still that of the version that the repair used.
    write_shops(tmp_path, {1: "gone"}, at=3)
    plain = report(tmp_path, PLACED, REGIONS)
    assert verify(spark, plain, Home.create(tmp_path / "home", plain)).is_proven


def test_a_backfill_without_a_stream_remembers_the_newest(spark, tmp_path) -> None:
    write_shops(tmp_path, {1: "north", 2: "south"})
    write_orders(tmp_path, "1", *FIRST, *SECOND)
    plan = report(tmp_path, PLACED, REGIONS)
    home = Home.create(tmp_path / "home", plan)
    backfill(spark, plan, home, Interval(MORNING, MORNING + 10 * MINUTE), check=False)
    write_shops(tmp_path, {1: "east", 2: "south", 3: "west"}, at=2)
    backfill(spark, plan, home, Interval(MORNING + 10 * MINUTE, MORNING + 20 * MINUTE), check=False)
    end = "2024-06-18 00:10"
    assert shown(tmp_path) == [("north", end, 2, 60), ("south", end, 1, 20), ("west", "2024-06-18 00:20", 1, 60)]
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.equal == 2


def test_a_version_that_comes_back_costs_nothing(spark, tmp_path) -> None:
    """Also a restarted driver knows it again, and a file that is only written again is no new version."""
    write_shops(tmp_path, [(1, "north"), (2, "south")])
    plan = report(tmp_path, ENRICHED)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_orders(tmp_path, "1", *FIRST), source="orders")
    write_shops(tmp_path, [(2, "south"), (1, "north")], at=2)
    stream.absorb(write_orders(tmp_path, "2", *SECOND), source="orders")
    write_shops(tmp_path, {1: "east"}, at=3)
    again = Stream(spark, plan, tmp_path / "home")
    again.absorb(write_orders(tmp_path, "3", (8, 1, 1, 41)), source="orders")
    write_shops(tmp_path, [(1, "north"), (2, "south")], at=4)
    again.absorb(write_orders(tmp_path, "4", (9, 1, 1, 42)), source="orders")
    versions = [entry.dimensions["shops"] for entry in again.entries if entry.dimensions]
    assert versions[0] == versions[1] == versions[3] != versions[2]
    assert len(list(stream.home.dimensions.local.glob("*.json"))) == 2
    assert rows_of(tmp_path / "enriched")[-2:] == [(8, "east"), (9, "north")]
    assert verify(spark, plan, stream.home).is_proven


def test_an_unchanged_table_is_not_read_again(spark, tmp_path, monkeypatch) -> None:
    """Its join adds no job of Spark to a small batch either: one writes the partials, as without a join."""
    write_shops(tmp_path, {1: "north"})
    stream = Stream(spark, report(tmp_path, PLACED, REGIONS), tmp_path / "home")
    monkeypatch.setattr(current, "remember", None)
    context = spark.sparkContext
    context.setJobGroup("one batch", "one batch")
    stream.absorb(write_orders(tmp_path, "1", *FIRST), source="orders")
    assert len(context.statusTracker().getJobIdsForGroup("one batch")) == 1
    context.setLocalProperty("spark.jobGroup.id", None)
    stream.end()
    assert shown(tmp_path) == [("north", "2024-06-18 00:10", 1, 10)]


def test_the_stream_looks_as_often_as_its_cache_says(spark, tmp_path) -> None:
    write_shops(tmp_path, {1: "north"})
    shops = (
        shops_table(lookup__cache="FULL")
        .replace(")", ", 'lookup.full-cache.periodic-reload.interval' = '10 min')", 2)
        .replace("region STRING, 'lookup.full-cache.periodic-reload.interval' = '10 min')", "region STRING)")
    )
    now = [MORNING]
    stream = Stream(spark, report(tmp_path, ENRICHED, shops=shops), tmp_path / "home", clock=lambda: now[0])
    write_shops(tmp_path, {1: "east"}, at=2)
    for n, minutes in enumerate((9, 11), 1):
        now[0] = MORNING + minutes * MINUTE
        stream.absorb(write_orders(tmp_path, str(n), (n, 1, 1, n)), source="orders")
    assert rows_of(tmp_path / "enriched") == [(1, "north"), (2, "east")]


def test_several_rows_of_a_key_give_several_rows(spark, tmp_path) -> None:
    write_shops(tmp_path, [(1, "north"), (1, "east"), ("NULL", "nowhere")])
    stream = Stream(spark, report(tmp_path, ENRICHED, PLACED, REGIONS), tmp_path / "home")
    stream.absorb(write_orders(tmp_path, "1", *FIRST), source="orders")
    stream.end()
    assert rows_of(tmp_path / "enriched") == [(1, "east"), (1, "north"), (2, None), (3, None), (4, None)]
    assert verify(spark, stream.plan, stream.home).is_proven


def test_conditions_on_the_dimension(spark, tmp_path) -> None:
    """ON of a LEFT JOIN keeps the row, WHERE does not; FROM a, b WHERE is a join, too."""
    conditions = """
    CREATE TABLE n (id BIGINT, region STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/n', 'format' = 'parquet');
    INSERT INTO n SELECT o.id, s.region FROM orders o
    LEFT JOIN shops FOR SYSTEM_TIME AS OF o.proctime s ON s.id = o.shop AND s.region <> 'south' AND o.price < 45;
    CREATE TABLE m (id BIGINT, region STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/m', 'format' = 'parquet');
    INSERT INTO m SELECT o.id, UPPER(s.region)
    FROM orders o, shops FOR SYSTEM_TIME AS OF o.proctime s WHERE s.id = o.shop AND s.region <> 'south';"""
    stream = changed_between_batches(spark, tmp_path, conditions)
    assert rows_of(tmp_path / "n") == [(n, "north" if n == 1 else None) for n in range(1, 8)]
    assert rows_of(tmp_path / "m") == [(1, "NORTH"), (5, "EAST"), (6, "WEST"), (7, "EAST")]
    assert verify(spark, stream.plan, stream.home).is_proven


def test_two_dimensions_and_a_group_without_windows(spark, tmp_path) -> None:
    two = """
    CREATE TABLE owners (region STRING, owner STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/owners', 'format' = 'json');
    CREATE TABLE sold (owner STRING, n BIGINT, PRIMARY KEY (owner) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/sold', 'format' = 'parquet');
    INSERT INTO sold SELECT owner, COUNT(*) FROM orders AS o
    JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id
    JOIN owners FOR SYSTEM_TIME AS OF o.proctime AS w ON w.region = s.region GROUP BY owner;"""
    (tmp_path / "owners").mkdir()
    lines = (f'{{"region": "{region}", "owner": "{owner}"}}\n' for region, owner in (("north", "Ann"), ("east", "Bo")))
    (tmp_path / "owners" / "o.json").write_text("".join(lines))
    stream = changed_between_batches(spark, tmp_path, two, key=", PRIMARY KEY (id) NOT ENFORCED")
    assert rows_of(tmp_path / "sold") == [("Ann", 1), ("Bo", 2)]
    assert verify(spark, stream.plan, stream.home).is_proven


def test_a_table_that_is_away_is_waited_for(spark, tmp_path) -> None:
    write_shops(tmp_path, {1: "north"})
    stream = Stream(spark, report(tmp_path, ENRICHED), tmp_path / "home")
    (tmp_path / "shops").rename(tmp_path / "away")
    with pytest.raises(UnreachableError, match=r"table 'shops' can't be looked up: .* does not exist"):
        stream.absorb(write_orders(tmp_path, "1", *FIRST), source="orders")
    (tmp_path / "away").rename(tmp_path / "shops")
    stream.absorb(tmp_path / "orders" / "1.csv", source="orders")
    assert len(rows_of(tmp_path / "enriched")) == 4


def test_a_key_that_is_none(spark, tmp_path) -> None:
    write_shops(tmp_path, [(1, "north"), (1, "east"), (2, "south")])
    plan = report(tmp_path, ENRICHED, shops=shops_table(", PRIMARY KEY (id) NOT ENFORCED"))
    with pytest.raises(InputError, match=r"table 'shops' has 1 row whose PRIMARY KEY \(id\) another row has"):
        Stream(spark, plan, tmp_path / "home")
    assert list((tmp_path / "home" / "dimensions").iterdir()) == []


def test_too_many_rows(spark, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("airflow_nrt.model.lookups.MOST_ROWS", 2)
    write_shops(tmp_path, {1: "north", 2: "south", 3: "west"})
    with pytest.raises(InputError, match="table 'shops' has 3 rows, and a table that is looked up may have 2"):
        Stream(spark, report(tmp_path, ENRICHED), tmp_path / "home")


OF_WINDOWS = """
CREATE TABLE named (shop INT, window_end TIMESTAMP(3), n BIGINT, region STRING, fired TIMESTAMP_LTZ(3))
WITH ('connector' = 'filesystem', 'path' = '${DATA}/named', 'format' = 'parquet');
INSERT INTO named SELECT w.shop, w.window_end, w.n, s.region, w.p
FROM (
    SELECT *, PROCTIME() AS p FROM (
        SELECT shop, window_end, COUNT(*) AS n
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY shop, window_start, window_end
    )
) AS w LEFT JOIN shops FOR SYSTEM_TIME AS OF w.p AS s ON w.shop = s.id;"""


def test_windows_are_joined_with_the_version_when_they_fire(spark, tmp_path) -> None:
    write_shops(tmp_path, {1: "north", 2: "south"})
    now = [MORNING]
    plan = report(tmp_path, OF_WINDOWS)
    stream = Stream(spark, plan, tmp_path / "home", clock=lambda: now[0])
    stream.absorb(write_orders(tmp_path, "1", *FIRST), source="orders")
    write_shops(tmp_path, {1: "east", 2: "south", 3: "west"}, at=2)
    now[0] += MINUTE
    stream.absorb(write_orders(tmp_path, "2", *SECOND), source="orders")
    write_shops(tmp_path, {1: "away"}, at=3)
    now[0] += MINUTE
    again = Stream(spark, plan, tmp_path / "home", clock=lambda: now[0])
    again.end()
    found = [(shop, str(end)[11:16], n, region, at.minute) for shop, end, n, region, at in rows_of(tmp_path / "named")]
    assert found == [
        (None, "00:10", 1, None, 1), (1, "00:10", 2, "east", 1), (1, "00:50", 1, "away", 2),
        (2, "00:10", 1, "south", 1), (3, "00:20", 1, "west", 1), (9, "00:10", 1, None, 1),
    ]  # fmt: skip
    write_shops(tmp_path, {1: "later"}, at=4)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.equal == 3, verdict
    before = rows_of(tmp_path / "named")
    backfill(spark, plan, stream.home, INTERVAL, check=False)
    assert rows_of(tmp_path / "named") == before and verify(spark, plan, stream.home).is_proven


NEXMARK_13 = """
CREATE TABLE bid (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3),
    WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/bid', 'format' = 'csv');
CREATE TABLE side_input (key BIGINT, `value` VARCHAR)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/side', 'format' = 'csv');
CREATE TABLE nexmark_q13 (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), `value` VARCHAR)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/q13', 'format' = 'json');
INSERT INTO nexmark_q13
SELECT
    B.auction,
    B.bidder,
    B.price,
    B.`dateTime`,
    S.`value`
FROM (SELECT *, PROCTIME() AS p_time FROM bid) B
JOIN side_input FOR SYSTEM_TIME AS OF B.p_time AS S
ON mod(B.auction, 10000) = S.key;"""
"""The query of Nexmark, word for word."""


def test_nexmark_13(spark, tmp_path) -> None:
    """Beside a join in Python: 300 bids, and a side input of every third key."""
    auctions = [(37 * n) % 100 + 10000 * (n % 3) for n in range(300)]
    side = {key: f"value of {key}" for key in range(0, 100, 3)}
    write_lines(tmp_path / "side" / "side.csv", (f"{key},{value}" for key, value in side.items()))
    plan = plan_of(tmp_path, NEXMARK_13)
    stream = Stream(spark, plan, tmp_path / "home")
    for n in range(3):
        bids = [(auction, i, 10 * i, clock(MORNING + 100 * i)) for i, auction in enumerate(auctions) if i % 3 == n]
        path = write_lines(tmp_path / "bid" / f"{n}.csv", (",".join(map(str, bid)) for bid in bids))
        stream.absorb(path, source="bid")
    found = sorted((auction, bidder, value) for auction, bidder, _, _, value in rows_of(tmp_path / "q13", "json"))
    assert found == sorted(
        (auction, n, side[auction % 10000]) for n, auction in enumerate(auctions) if auction % 10000 in side
    )
    assert verify(spark, plan, stream.home).is_proven


def test_windows_without_a_stream(spark, tmp_path) -> None:
    """A backfill without a stream joins windows with the newest version, and a verification with that one again."""
    write_shops(tmp_path, {1: "north", 2: "south", 9: "west"})
    write_orders(tmp_path, "1", *FIRST, *SECOND)
    named = OF_WINDOWS.replace(", fired TIMESTAMP_LTZ(3)", "").replace(", w.p\n", "\n")
    plan = report(tmp_path, named)
    home = Home.create(tmp_path / "home", plan)
    backfill(spark, plan, home, INTERVAL, check=False)
    write_shops(tmp_path, {1: "later"}, at=2)
    assert [(row[0], row[3]) for row in rows_of(tmp_path / "named")] == [
        (None, None), (1, "north"), (2, "south"), (3, None), (9, "west"),
    ]  # fmt: skip
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.equal == 2


def test_a_report_is_analysed_without_its_tables(spark, tmp_path) -> None:
    analyse(spark, report(tmp_path, ENRICHED, PLACED, REGIONS, OF_WINDOWS))
