"""Results in a table of a database: each window once, whole, and proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError, InputError
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.sinks.jdbc import jdbc
from airflow_nrt.engine.sinks.jdbc.reading import table_rows
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.samples import day_of, read_samples, sampled_files
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import CURVE, ORDERS, arrive, report
from tests.engine.sinks.kept import kept, put_back
from tests.servers.fixtures import Server
from tests.servers.postgresql import PostgreSql

__all__ = ["kept"]

TUMBLED = """SELECT shop, window_end, COUNT(*), CAST(SUM(price) AS DECIMAL(20, 2))
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end"""
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
    # The page has a curve without asking the database.
    samples = read_samples(sampled_files(again.home, "curve", day_of(SPAN.end or 0)))
    shown = [(one.rows, one.total) for _, one in sorted(samples.items())]
    assert shown == [(2, (2, 12)), (2, (4, 16)), (2, (4, 16))]


def staged(server: Server, table: str) -> int:
    """The staged rows of a table."""
    names = server.query(f"SELECT table_name FROM information_schema.tables WHERE table_name LIKE '{table}_nrt_%'")
    return sum(int(server.query(f"SELECT COUNT(*) FROM {name}")[0][0]) for (name,) in names)


def test_a_crash_before_or_after_the_transaction(spark, server: Server, tmp_path: Path, kept: Path) -> None:
    """What was staged when a driver died is published by the next one, and nothing twice."""
    columns, query = "shop INT, price INT", "SELECT shop, price FROM orders"
    plan = report(tmp_path, server.url, "crashed", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    put_back(kept, stream.home)
    roll_forward(spark, stream.home, plan, stream.home.log())
    assert server.query("SELECT shop, price FROM crashed ORDER BY shop") == [["1", "5"], ["2", "7"]]
    # Staged, decided, and not published: the driver died before the transaction.
    server.query("DELETE FROM nrt_windows WHERE insert_name = 'curve'")
    server.query("DELETE FROM crashed")
    put_back(kept, stream.home)
    roll_forward(spark, stream.home, plan, stream.home.log())
    assert server.query("SELECT shop, price FROM crashed ORDER BY shop") == [["1", "5"], ["2", "7"]]
    assert staged(server, "crashed") == 0


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
        publish_entry(spark, old.home, plan, entry)
    assert staged(server, "fenced") == 0


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


def test_a_backfill_of_several_sinks(spark, server: Server, tmp_path: Path) -> None:
    script = f"""{ORDERS}
        CREATE TABLE first ({CURVE}) WITH ('connector' = 'jdbc', 'url' = '{server.url}', 'table-name' = 'several',
          'username' = 'app', 'password' = 'secret', 'sink.create-table' = 'true');
        CREATE TABLE second ({CURVE}) WITH ('connector' = 'filesystem', 'path' = 'second', 'format' = 'json');
        CREATE TABLE third ({CURVE}) WITH ('connector' = 'jdbc', 'url' = '{server.url}', 'table-name' = 'several_too',
          'username' = 'app', 'password' = 'secret', 'sink.create-table' = 'true');
        INSERT INTO first {TUMBLED}; INSERT INTO second {TUMBLED}; INSERT INTO third {TUMBLED};
    """
    plan = plan_script(script, {}, "several", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00"))
    result = backfill(spark, plan, home, SPAN, check=True)
    assert (
        curve(server, "several")
        == curve(server, "several_too")
        == [
            ("1", "10:10", "1", "5.00"),
            ("2", "10:20", "1", "7.00"),
        ]
    )
    assert len(list((tmp_path / "second").glob("*.json"))) == 2
    assert result.verdict is not None and result.verdict.is_proven
    assert [one.equal for one in result.verdict.inserts] == [2, 2, 2]
    assert not any(home.staged.local.iterdir())


def test_a_backfill_without_a_stream(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "filled")
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:32:00"))
    home = Home.create(tmp_path / "home", plan)
    for _ in range(2):
        backfill(spark, plan, home, SPAN, check=False)
        assert [row[1] for row in curve(server, "filled")] == ["10:10", "10:20", "10:30"]


def test_each_type_comes_back(spark, server: Server, tmp_path: Path) -> None:
    columns = """shop INT, b BOOLEAN, i SMALLINT, l BIGINT, d DECIMAL(20, 3), f DOUBLE, s STRING, raw BYTES, day DATE,
        at TIMESTAMP(3), moment TIMESTAMP_LTZ(3), empty STRING, clock TIME(3), some ARRAY<INT>, m MAP<STRING, INT>,
        r ROW<a INT, b STRING>"""
    query = """SELECT shop, price > 1, CAST(price AS SMALLINT), CAST(price AS BIGINT), CAST(price AS DECIMAL(20, 3)),
        CAST(price AS DOUBLE) / 3, CONCAT('it''s "\\ ', CHR(0), 'x'), CAST('ab' AS BYTES), CAST(ts AS DATE), ts,
        CAST(ts AS TIMESTAMP_LTZ(3)), '', CAST(ts AS TIME(3)), ARRAY[price, 1], MAP['a', price], ROW(price, 'x')
        FROM orders"""
    plan = report(tmp_path, server.url, "kinds", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    # In many zones there is no such time on this clock.
    stream.absorb(arrive(tmp_path, "0", (1, 5, "02:30:00.123")), source="orders")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    (row,) = server.query("SELECT b, i, l, d, day, at FROM kinds")
    assert row[0] in ("t", "1") and row[1:4] == ["5", "5", "5.000"] and row[4] == "2024-06-18"
    assert row[5].startswith("2024-06-18 02:30:00.123")


@pytest.mark.parametrize("is_fast", [True, False])
def test_texts_that_mean_something_to_a_database(spark, server: Server, tmp_path: Path, monkeypatch, is_fast) -> None:
    if not is_fast:
        monkeypatch.setattr(jdbc, "shipped_class", lambda spark, name: None)
    texts = ["a\tb", "a\nb", "a\r\nb", "\\N", "\\.", "\\t", "'", '"', "%s ?", "ä\U0001f600", "", " ", "NULL"]
    literals = ", ".join("'" + one.replace("'", "''") + "'" for one in [*texts, "none"])
    query = f"SELECT price, NULLIF(ELT(price, {literals}), 'none') FROM orders"
    name = f"odd_{is_fast}".lower()
    plan = report(tmp_path, server.url, name, "price INT, s STRING", query)
    stream = Stream(spark, plan, tmp_path / "home")
    orders = [(1, n, "10:01:00") for n in range(1, len(texts) + 2)]
    stream.absorb(arrive(tmp_path, "0", *orders), source="orders")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    rows = table_rows(spark, plan.inserts[0].sink, plan.inserts[0].sink.physical).collect()
    assert sorted((row["price"], row["s"]) for row in rows) == [*enumerate(texts, 1), (len(texts) + 1, None)]


def test_early_and_late_versions_of_windows(spark, server: Server, tmp_path: Path) -> None:
    """A window that did not change between two versions has no file, and others of its entry have."""
    timing = {"first__result": "-5 min", "late__updates": "on", "last__result": "1 h"}
    plan = report(tmp_path, server.url, "versions", CURVE, TUMBLED, **timing)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:03:00")), source="orders")
    stream.absorb(arrive(tmp_path, "1", (2, 7, "10:17:00")), source="orders")
    assert ("1", "10:10", "1", "5.00") in curve(server, "versions")
    stream.absorb(arrive(tmp_path, "2", (1, 1, "10:09:00"), (2, 1, "10:25:00"), (2, 1, "10:26:30")), source="orders")
    found = curve(server, "versions")
    assert ("1", "10:10", "2", "6.00") in found and ("2", "10:20", "1", "7.00") in found
    stream.end()
    assert verify(spark, plan, stream.home).is_proven
    server.query("UPDATE versions SET gmv = 99 WHERE window_end = '2024-06-18 10:10:00'")
    server.query("INSERT INTO versions VALUES (3, '2024-06-18 10:20:00', 1, 1)")
    assert not verify(spark, plan, stream.home).is_proven
    repaired = backfill(spark, plan, stream.home, SPAN, check=True, on_mismatch=REPAIR)
    assert repaired.verdict is not None and repaired.verdict.is_proven


def test_a_restatement_removes_a_window_without_rows(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "removed", CURVE, TUMBLED)
    home = Home.create(tmp_path / "home", plan)
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00"))
    backfill(spark, plan, home, SPAN, check=False)
    assert [row[1] for row in curve(server, "removed")] == ["10:10", "10:20"]
    (tmp_path / "orders" / "0.json").unlink()
    arrive(tmp_path, "1", (1, 5, "10:01:00"))
    backfill(spark, plan, home, SPAN, check=False)
    assert [row[1] for row in curve(server, "removed")] == ["10:10"]


def test_a_table_belongs_to_one_home_however_it_is_named(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    Stream(spark, report(tmp_path, postgresql.url, "named"), tmp_path / "one")
    with pytest.raises(InputError, match=r"another home publishes to table public\.named"):
        Stream(spark, report(tmp_path, postgresql.url, "public.named"), tmp_path / "two")


def test_a_handed_over_table_is_left_alone(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "handed")
    old = Stream(spark, plan, tmp_path / "one")
    server.query("DELETE FROM nrt_owners WHERE name LIKE '%handed'")
    Stream(spark, plan, tmp_path / "two")
    with pytest.raises(FencedError, match="another home publishes to table handed of the database by now"):
        old.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00")), source="orders")


def test_a_long_name(spark, server: Server, tmp_path: Path) -> None:
    name = "a_table_with_a_name_that_is_as_long_as_postgresql_allows_63_byt"
    plan = report(tmp_path, server.url, name)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00")), source="orders")
    Stream(spark, plan, tmp_path / "home")
    assert curve(server, name) == [("1", "10:10", "1", "5.00")]


def test_a_retraction_takes_the_row_of_its_key_alone(spark, server: Server, tmp_path: Path) -> None:
    """Large numbers that are one DOUBLE."""
    columns = "id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED"
    large = "CAST(shop AS BIGINT) + 1800000000000000000"
    query = f"SELECT id, COUNT(*) AS n FROM (SELECT {large} AS id FROM orders) GROUP BY id HAVING COUNT(*) < 2"
    plan = report(tmp_path, server.url, "large", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 5, "10:01:00"), (3, 5, "10:01:00")), source="orders")
    stream.absorb(arrive(tmp_path, "1", (2, 5, "10:01:00")), source="orders")
    assert server.query("SELECT id - 1800000000000000000 FROM large ORDER BY id") == [["1"], ["3"]]
