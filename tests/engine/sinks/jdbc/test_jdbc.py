"""Results in a table of a database: each window once, whole, and proven."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError
from airflow_nrt.engine.backfill import REPAIR, backfill
from airflow_nrt.engine.publish.publishing import publish_entry, roll_forward
from airflow_nrt.engine.sinks.jdbc import jdbc
from airflow_nrt.engine.verify.verify import Interval, verify
from airflow_nrt.home.home import Home
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import arrive, report
from tests.servers.fixtures import Server

SPAN = Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 30 * MINUTE)


def curve(server: Server, table: str) -> list[tuple[str, ...]]:
    rows = server.query(f"SELECT shop, window_end, n, gmv FROM {table} ORDER BY window_end, shop")
    return [(shop, end[11:16], n, gmv) for shop, end, n, gmv in rows]


def test_windows_are_there_once_and_proven(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "once")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:12:00")), source="orders")
    assert curve(server, "once") == [("1", "10:10", "1", "5.00"), ("2", "10:10", "1", "7.00")]
    again = Stream(spark, plan, tmp_path / "home")
    again.absorb(arrive(tmp_path, "1", (1, 3, "10:13:00"), (1, 9, "10:31:30")), source="orders")
    assert curve(server, "once") == [
        ("1", "10:10", "1", "5.00"),
        ("2", "10:10", "1", "7.00"),
        ("1", "10:20", "3", "9.00"),
        ("2", "10:20", "1", "7.00"),
        ("1", "10:30", "3", "9.00"),
        ("2", "10:30", "1", "7.00"),
    ]
    verdict = verify(spark, plan, again.home)
    assert verdict.is_proven and not verdict.problems and verdict.inserts[0].windows == 3


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what was staged is copied to, before it is removed: a driver that dies then leaves it."""
    kept, remove = tmp_path / "kept", shutil.rmtree

    def keep(path: Path, ignore_errors: bool = False) -> None:
        if Path(path).parent.name == "staged" and Path(path).is_dir():
            shutil.copytree(path, kept / Path(path).name, dirs_exist_ok=True)
        remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr("airflow_nrt.engine.publish.publishing.shutil.rmtree", keep)
    return kept


def put_back(kept: Path, home: Home) -> None:
    for directory in kept.iterdir():
        shutil.copytree(directory, home.staged / directory.name, dirs_exist_ok=True)


def test_a_crash_before_or_after_the_transaction(spark, server: Server, tmp_path: Path, kept: Path) -> None:
    """What was staged when a driver died is published by the next one, and nothing twice."""
    columns, query = "shop INT, price INT", "SELECT shop, price FROM orders"
    plan = report(tmp_path, server.url, "crashed", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    put_back(kept, stream.home)
    roll_forward(stream.home, plan, stream.home.log())
    assert server.query("SELECT shop, price FROM crashed ORDER BY shop") == [["1", "5"], ["2", "7"]]
    # Staged, decided, and not published: the driver died before the transaction.
    server.query("DELETE FROM nrt_windows WHERE insert_name = 'curve'")
    server.query("DELETE FROM crashed")
    put_back(kept, stream.home)
    roll_forward(stream.home, plan, stream.home.log())
    assert server.query("SELECT shop, price FROM crashed ORDER BY shop") == [["1", "5"], ["2", "7"]]
    assert server.query("SELECT COUNT(*) FROM crashed_nrt_staged") == [["0"]]


def test_a_task_that_wrote_twice(spark, server: Server, tmp_path: Path, monkeypatch) -> None:
    plan = report(tmp_path, server.url, "twice")
    stream = Stream(spark, plan, tmp_path / "home")
    write = jdbc._write

    def again(*arguments):
        write(*arguments)
        write(*arguments)

    monkeypatch.setattr(jdbc, "_write", again)
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00")), source="orders")
    assert curve(server, "twice") == [("1", "10:10", "1", "5.00")]


def test_a_driver_with_a_successor_publishes_nothing(spark, server: Server, tmp_path: Path, kept: Path) -> None:
    plan = report(tmp_path, server.url, "fenced")
    old = Stream(spark, plan, tmp_path / "home")
    old.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00")), source="orders")
    entry = next(one for one in old.entries if one.published)
    new = Stream(spark, plan, tmp_path / "home")
    new.absorb(arrive(tmp_path, "1", (1, 5, "10:22:00")), source="orders")
    put_back(kept, old.home)
    with pytest.raises(FencedError, match="a driver of epoch 2 publishes to table fenced: this one has epoch 1"):
        publish_entry(old.home, plan, entry)
    assert server.query("SELECT COUNT(*) FROM fenced_nrt_staged") == [["0"]]


def test_rows_that_change_replace_and_delete_by_their_key(spark, server: Server, tmp_path: Path) -> None:
    columns = "shop INT, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED"
    query = "SELECT shop, COUNT(*) FROM orders GROUP BY shop HAVING COUNT(*) < 3"
    plan = report(tmp_path, server.url, "changing", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    assert server.query("SELECT shop, n FROM changing ORDER BY shop") == [["1", "1"], ["2", "1"]]
    stream.absorb(arrive(tmp_path, "1", (1, 5, "10:03:00"), (2, 7, "10:03:00"), (2, 8, "10:03:00")), source="orders")
    assert server.query("SELECT shop, n FROM changing ORDER BY shop") == [["1", "2"]]
    assert verify(spark, plan, stream.home).is_proven


def test_a_repair_replaces_the_windows_that_are_wrong(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "repaired")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:32:00")), source="orders")
    server.query("UPDATE repaired SET gmv = 4 WHERE window_end = '2024-06-18 10:20:00'")
    server.query("INSERT INTO repaired VALUES (9, '2024-06-18 10:25:00', 1, 1)")
    verdict = verify(spark, plan, stream.home)
    assert not verdict.is_proven
    assert verdict.problems == ("the log does not contain the published file repaired: 2024-06-18 10:25:00",)
    server.query("DELETE FROM repaired WHERE shop = 9")
    repaired = backfill(
        spark,
        plan,
        stream.home,
        Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 30 * MINUTE),
        check=True,
        on_mismatch=REPAIR,
    )
    assert repaired.verdict is not None and repaired.verdict.is_proven
    assert curve(server, "repaired")[1] == ("1", "10:20", "1", "5.00")


def test_a_backfill_without_a_stream(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "filled")
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:32:00"))
    home = Home.create(tmp_path / "home", plan)
    for _ in range(2):
        backfill(spark, plan, home, SPAN, check=False)
        assert [row[1] for row in curve(server, "filled")] == ["10:10", "10:20", "10:30"]


def test_each_type_comes_back(spark, server: Server, tmp_path: Path) -> None:
    columns = """shop INT, b BOOLEAN, i SMALLINT, l BIGINT, d DECIMAL(20, 3), f DOUBLE, s STRING, raw BYTES, day DATE,
        at TIMESTAMP(3), moment TIMESTAMP_LTZ(3), empty STRING"""
    query = """SELECT shop, price > 1, CAST(price AS SMALLINT), CAST(price AS BIGINT), CAST(price AS DECIMAL(20, 3)),
        CAST(price AS DOUBLE) / 3, CONCAT('it''s "\\ ', CAST(price AS STRING)), CAST('ab' AS BYTES), CAST(ts AS DATE),
        ts, CAST(ts AS TIMESTAMP_LTZ(3)), '' FROM orders"""
    plan = report(tmp_path, server.url, "kinds", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    # In many zones there is no such time on this clock.
    stream.absorb(arrive(tmp_path, "0", (1, 5, "02:30:00.123")), source="orders")
    assert verify(spark, plan, stream.home).is_proven
    (row,) = server.query("SELECT b, i, l, d, s, day, at FROM kinds")
    assert row[0] in ("t", "1") and row[1:4] == ["5", "5", "5.000"] and row[5] == "2024-06-18"
    assert row[6].startswith("2024-06-18 02:30:00.123")
