"""Results in a table of a lakehouse: each window once, whole, and proven. Covers airflow_nrt/engine/spark/lakehouse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError, InputError
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine import backfill as backfilling
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.sinks.lakehouse.ownership import writer_of
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Restate
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import CURVE, arrive
from tests.engine.sinks.kept import kept, put_back
from tests.engine.sinks.lakehouse.reports import TUMBLED, Format, curve, entries, rows, table_of

__all__ = ["kept"]

SPAN = Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 30 * MINUTE)
FIRST = [("10:10", 1, 1, "5.00"), ("10:10", 2, 1, "7.00")]


def test_windows_are_there_once_and_proven(spark, lake: Format, tmp_path: Path, kept: Path) -> None:
    plan = lake.plan(tmp_path, "once")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:12:00")), source="orders")
    assert curve(spark, plan) == FIRST
    again = Stream(spark, plan, tmp_path / "home")
    again.absorb(arrive(tmp_path, "1", (1, 3, "10:13:00"), (1, 9, "10:31:30")), source="orders")
    last = [*FIRST, ("10:20", 1, 3, "9.00"), ("10:20", 2, 1, "7.00"), ("10:30", 1, 3, "9.00"), ("10:30", 2, 1, "7.00")]
    assert curve(spark, plan) == last
    verdict = verify(spark, plan, again.home)
    assert verdict.is_proven and not verdict.problems and verdict.inserts[0].windows == 3
    # A driver that died after the commit left what it had staged.
    put_back(kept, again.home)
    roll_forward(spark, again.home, plan, again.home.log())
    assert curve(spark, plan) == last and not any(again.home.staged.local.iterdir())


def test_rows_without_windows_are_added_once(spark, lake: Format, tmp_path: Path, kept: Path) -> None:
    plan = lake.plan(tmp_path, "passing", "shop INT, price INT", "SELECT shop, price FROM orders")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    stream.absorb(arrive(tmp_path, "1", (1, 5, "10:01:00")), source="orders")
    put_back(kept, stream.home)
    roll_forward(spark, stream.home, plan, stream.home.log())
    assert rows(spark, plan, "shop", "price") == [(1, 5), (1, 5), (2, 7)]
    assert verify(spark, plan, stream.home).is_proven


def test_rows_that_change_replace_and_delete_by_their_key(spark, lake: Format, tmp_path: Path, kept: Path) -> None:
    columns = "shop INT, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED"
    query = "SELECT shop, COUNT(*) FROM orders GROUP BY shop HAVING COUNT(*) < 3"
    plan = lake.plan(tmp_path, "changing", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    assert rows(spark, plan, "shop", "n") == [(1, 1), (2, 1)]
    stream.absorb(arrive(tmp_path, "1", (1, 5, "10:03:00"), (2, 7, "10:03:00"), (2, 8, "10:03:00")), source="orders")
    put_back(kept, stream.home)
    roll_forward(spark, stream.home, plan, stream.home.log())
    assert rows(spark, plan, "shop", "n") == [(1, 2)]
    assert entries(spark, plan, writer_of(stream.home, table_of(spark, plan)))[0] == stream.entries[-1].n
    assert verify(spark, plan, stream.home).is_proven
    assert spark.conf.get("spark.databricks.delta.write.txnAppId", None) is None


def test_a_driver_overtakes_a_backfill(
    spark, lake: Format, tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver publishes entry n+1, of the same window and of another, before the backfill publishes entry n."""
    timing = {"late__updates": "on", "last__result": "1 h"}
    plan = lake.plan(tmp_path, "overtaken", CURVE, TUMBLED, **timing)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 6, "10:11:00"), (2, 7, "10:22:00")), source="orders")
    with monkeypatch.context() as dying:
        dying.setattr(backfilling, "publish_entry", lambda *given: None)
        backfill(spark, plan, stream.home, Interval(SPAN.start, MORNING + 10 * HOUR + 20 * MINUTE), check=False)
    unpublished = stream.entries[-1]
    assert isinstance(unpublished.body, Restate) and len(unpublished.published) == 2
    # A late row of the first window, and a row that completes the third.
    stream.absorb(arrive(tmp_path, "1", (1, 3, "10:02:00"), (1, 9, "10:31:30")), source="orders")
    final = [("10:10", 1, 2, "8.00"), ("10:20", 1, 1, "6.00"), ("10:30", 2, 1, "7.00")]
    assert curve(spark, plan) == final
    marks = table_of(spark, plan)
    until = marks.published(f"airflow-nrt/{stream.home.identity().id}/curve")
    put_back(kept, stream.home)
    publish_entry(spark, stream.home, plan, unpublished)
    assert curve(spark, plan) == final
    assert marks.published(f"airflow-nrt/{stream.home.identity().id}/curve") == until > unpublished.n
    assert verify(spark, plan, stream.home).is_proven


def test_a_repair_replaces_what_is_wrong(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "repaired")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:32:00")), source="orders")
    table = table_of(spark, plan)
    name = table.sql_name
    spark.sql(f"UPDATE {name} SET gmv = 4 WHERE window_end = '2024-06-18 10:20:00'")
    spark.sql(f"INSERT INTO {name} VALUES (9, TIMESTAMP_NTZ '2024-06-18 10:25:00', 1, 1)")
    verdict = verify(spark, plan, stream.home)
    assert not verdict.is_proven
    assert verdict.problems[0].endswith(": 2024-06-18 10:25:00")
    spark.sql(f"DELETE FROM {name} WHERE shop = 9")
    repaired = backfill(spark, plan, stream.home, SPAN, check=True, on_mismatch=REPAIR)
    assert repaired.verdict is not None and repaired.verdict.is_proven
    assert curve(spark, plan)[1] == ("10:20", 1, 1, "5.00")


def test_a_backfill_removes_a_window_without_rows(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "removed", CURVE, TUMBLED, "PARTITIONED BY (shop)")
    home = Home.create(tmp_path / "home", plan)
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00"))
    backfill(spark, plan, home, SPAN, check=False)
    assert [row[0] for row in curve(spark, plan)] == ["10:10", "10:20"]
    (tmp_path / "orders" / "0.json").unlink()
    arrive(tmp_path, "1", (1, 5, "10:01:00"))
    backfill(spark, plan, home, SPAN, check=False)
    assert [row[0] for row in curve(spark, plan)] == ["10:10"]
    assert entries(spark, plan, writer_of(home, table_of(spark, plan)))[0] == home.log().last


def test_each_type_comes_back(spark, lake: Format, tmp_path: Path) -> None:
    columns = """shop INT, b BOOLEAN, i SMALLINT, l BIGINT, d DECIMAL(20, 3), f DOUBLE, s STRING, raw BYTES, day DATE,
        at TIMESTAMP(3), moment TIMESTAMP_LTZ(3), empty STRING, some ARRAY<INT>, m MAP<STRING, INT>,
        r ROW<a INT, b STRING>"""
    query = """SELECT shop, price > 1, CAST(price AS SMALLINT), CAST(price AS BIGINT), CAST(price AS DECIMAL(20, 3)),
        CAST(price AS DOUBLE) / 3, CONCAT('it''s "\\ ', CHR(0), 'x'), CAST('ab' AS BYTES), CAST(ts AS DATE), ts,
        CAST(ts AS TIMESTAMP_LTZ(3)), '', ARRAY[price, 1], MAP['a', price], ROW(price, 'x') FROM orders"""
    plan = lake.plan(tmp_path, "kinds", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    # In many zones there is no such time on this clock.
    stream.absorb(arrive(tmp_path, "0", (1, 5, "02:30:00.123")), source="orders")
    assert verify(spark, plan, stream.home).is_proven
    texts = table_of(spark, plan).rows().selectExpr("CAST(at AS STRING)", "CAST(moment AS STRING)")
    ((at, moment),) = texts.collect()
    assert at == moment == "2024-06-18 02:30:00.123"


def test_a_table_of_ones_own(spark, lake: Format, tmp_path: Path) -> None:
    """With wider types, and with further columns that may be NULL."""
    plan = lake.plan(tmp_path, "own", create=False)
    columns = "window_end TIMESTAMP, note STRING, shop BIGINT, n BIGINT, gmv DECIMAL(30, 4)"
    table_of(spark, plan).create(columns, {"made.by": "somebody"})
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:12:00")), source="orders")
    assert [(end, shop, n) for end, shop, n, _ in curve(spark, plan)] == [("10:10", 1, 1), ("10:10", 2, 1)]
    assert verify(spark, plan, stream.home).is_proven


def test_a_table_that_another_home_has_taken(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "taken")
    stream = Stream(spark, plan, tmp_path / "home")
    table_of(spark, plan).set_properties({"airflow-nrt.home": "another"})
    with pytest.raises(FencedError, match="is another home's by now"):
        stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00")), source="orders")


def test_a_table_that_somebody_has_removed(spark, lake: Format, tmp_path: Path) -> None:
    """The driver says so. The next one makes a new table, and a backfill fills it."""
    plan = lake.plan(tmp_path, "lost", CURVE, TUMBLED)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00")), source="orders")
    shutil.rmtree(tmp_path / "lake")
    with pytest.raises(InputError, match=r"table .*lost is gone: restore it"):
        stream.absorb(arrive(tmp_path, "1", (1, 1, "10:22:00")), source="orders")
    again = Stream(spark, plan, tmp_path / "home")
    again.absorb(arrive(tmp_path, "2", (1, 1, "10:32:00")), source="orders")
    assert [row[0] for row in curve(spark, plan)] == ["10:30"]
    backfill(spark, plan, again.home, SPAN, check=False)
    assert [row[0] for row in curve(spark, plan)] == ["10:10", "10:20", "10:30"]
    assert verify(spark, plan, again.home).is_proven
