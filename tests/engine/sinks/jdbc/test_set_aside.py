"""A table that refuses a decided row: the row is named and set aside, and the same home goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.publish.refused import refused_rows
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.set_aside import all_set_aside, set_aside, take_back
from airflow_nrt.home.status import read_status
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import arrive, report
from tests.servers.fixtures import Server
from tests.servers.postgresql import PostgreSql

SPAN = Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 10 * MINUTE)
TUMBLED = """SELECT shop, window_end, COUNT(*), CAST(SUM(price) AS DECIMAL(20, 2))
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end"""
CHECKED = (
    "(shop INT, window_end TIMESTAMP, n BIGINT, gmv DECIMAL(20, 2), PRIMARY KEY (shop, window_end), "
    "CONSTRAINT positive CHECK (gmv > 0))"
)


def test_the_home_goes_on_without_the_row(spark, server: Server, tmp_path: Path) -> None:
    server.query(f"CREATE TABLE wedged {CHECKED}")
    plan = report(tmp_path, server.url, "wedged", query=TUMBLED)
    stream = Stream(spark, plan, tmp_path / "home")
    orders = [(shop, -5 if shop in (7, 11) else 5, "10:01:00") for shop in range(20)]
    with pytest.raises(InputError, match="violates a constraint of the database"):
        stream.absorb(arrive(tmp_path, "0", *orders, (1, 1, "10:12:00")), source="orders")
    with pytest.raises(InputError, match="violates a constraint of the database"):
        Stream(spark, plan, tmp_path / "home")
    steps: list[str] = []
    rows = refused_rows(spark, stream.home, plan, steps.append)
    assert steps == [f"entry {rows[0].entry}, curve: 2 rows refused"]
    assert [f'"shop":"{shop}"' in one.row for shop, one in zip((7, 11), rows)] == [True, True]
    assert all("positive" in one.reason and one.end == SPAN.end for one in rows)
    assert server.query("SELECT COUNT(*) FROM wedged") == [["0"]]
    set_aside(stream.home, rows)
    again = Stream(spark, plan, tmp_path / "home")
    assert server.query("SELECT COUNT(*), MIN(gmv) FROM wedged") == [["18", "5.00"]]
    assert refused_rows(spark, stream.home, plan, steps.append) == []
    again.absorb(arrive(tmp_path, "1", (1, 3, "10:13:00"), (1, 9, "10:22:30")), source="orders")
    verdict = verify(spark, plan, again.home)
    assert verdict.is_proven and verdict.inserts[0].windows == 2


def test_backfill_and_verification_know_the_row(spark, server: Server, tmp_path: Path) -> None:
    server.query(f"CREATE TABLE known {CHECKED}")
    plan = report(tmp_path, server.url, "known", query=TUMBLED)
    stream = Stream(spark, plan, tmp_path / "home")
    with pytest.raises(InputError, match="violates a constraint of the database"):
        stream.absorb(
            arrive(tmp_path, "0", (7, -5, "10:01:00"), (1, 4, "10:02:00"), (1, 1, "10:12:00")), source="orders"
        )
    set_aside(stream.home, refused_rows(spark, stream.home, plan, print))
    again = Stream(spark, plan, tmp_path / "home")
    assert verify(spark, plan, again.home).is_proven
    result = backfill(spark, plan, again.home, SPAN, check=False)
    assert len(result.published) == 1 and result.notes == ("curve: 1 row left out, which its table can't take",)
    assert server.query("SELECT shop, gmv FROM known") == [["1", "4.00"]]
    assert verify(spark, plan, again.home).is_proven
    assert read_status(again.home).set_aside == 1
    # The table is mended, and the row is wanted again.
    server.query("ALTER TABLE known DROP CONSTRAINT positive")
    assert [one.insert for one in take_back(again.home)] == ["curve"] and not [*all_set_aside(again.home)]
    assert not verify(spark, plan, again.home).is_proven
    assert backfill(spark, plan, again.home, SPAN, check=True, on_mismatch=REPAIR).verdict.is_proven  # type: ignore[union-attr]
    assert server.query("SELECT shop, gmv FROM known ORDER BY shop") == [["1", "4.00"], ["7", "-5.00"]]


def test_the_command(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    postgresql.query(f"CREATE TABLE commanded {CHECKED}")
    plan = report(tmp_path, postgresql.url, "commanded", query=TUMBLED)
    file = tmp_path / "orders_curve.sql"
    file.write_text(plan.script, encoding="utf-8")
    stream = Stream(spark, plan, tmp_path / "home")
    with pytest.raises(InputError, match=r"airflow-nrt set-aside$"):
        stream.absorb(arrive(tmp_path, "0", (7, -5, "10:01:00"), (1, 1, "10:12:00")), source="orders")

    def command(*arguments: str) -> str:
        asked = [sys.executable, "-m", "airflow_nrt.cli.main", "set-aside", str(file), "--home", str(stream.home.path)]
        return subprocess.run([*asked, *arguments], capture_output=True, text=True, check=True).stdout

    row, closing = command().splitlines()
    assert '"shop":"7"' in row and "window to 2024-06-18 10:10:00" in row and closing == "1 row set aside"
    Stream(spark, plan, tmp_path / "home")
    assert command("--take-back").splitlines()[-1] == "1 row taken back"


def test_rows_that_change(spark, server: Server, tmp_path: Path) -> None:
    server.query("CREATE TABLE changed (shop INT PRIMARY KEY, n BIGINT, CONSTRAINT few CHECK (n < 2))")
    columns, query = (
        "shop INT, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED",
        "SELECT shop, COUNT(*) FROM orders GROUP BY shop",
    )
    plan = report(tmp_path, server.url, "changed", columns, query)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    with pytest.raises(InputError, match="violates a constraint of the database"):
        stream.absorb(arrive(tmp_path, "1", (1, 5, "10:03:00"), (3, 7, "10:03:00")), source="orders")
    set_aside(stream.home, refused_rows(spark, stream.home, plan, print))
    again = Stream(spark, plan, tmp_path / "home")
    assert server.query("SELECT shop, n FROM changed ORDER BY shop") == [["1", "1"], ["2", "1"], ["3", "1"]]
    assert [one.row for one in all_set_aside(again.home)] == ['{"shop":"1","n":"2"}']
