"""ORDER BY without LIMIT in a report: what is published stands in this order, over all batches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.state import compaction
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table.reports.load import load_report
from tests.engine.reports import (
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    cut,
    events_table,
    insert_result,
    options,
    plan_of,
    random_events,
    source_file,
    write_events,
)
from tests.engine.sinks.test_standard_output import printed

EVENTS = random_events(5, 60, 3 * HOUR)
BOUNDED = events_table(source__max_batch_size="1 b")
LIVE = events_table(source__monitor_interval="1 s")
GROUPED = "FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, shop"

STEPS = GROUPED.replace("TUMBLE", "CUMULATE").replace("INTERVAL '1'", "INTERVAL '10' MINUTE, INTERVAL '1'")


def sink(columns: str, keys: str = "", **given: str) -> str:
    table = {
        "connector": "filesystem",
        "path": "${DATA}/out",
        "format": "json",
        "json__encode__ignore_null_fields": "false",
    }
    return f"CREATE TABLE out ({columns}) {keys} WITH ({options(**{**table, **given})});"


def arrived(place: Path, batches: int = 3) -> list[Path]:
    """The rows by their time, in files that are a batch each."""
    parts = cut(EVENTS, 1, batches)
    return [write_events(place / "events" / f"{n}.csv", part) for n, part in enumerate(parts)]


def run(spark, plan: Plan, place: Path) -> Home:
    home = Home.create(place / "home", plan)
    assert Runner(spark, plan, home).run() == "finished"
    return home


def rows_of_files(place: Path) -> list[dict[str, Any]]:
    """The rows of the files by their names, each as it stands there."""
    return [
        json.loads(line) for file in sorted((place / "out").glob("*.json")) for line in file.read_text().splitlines()
    ]


def least_null(value: Any) -> tuple[bool, Any]:
    return value is not None, value


QUERIES: dict[str, tuple[str, str, Callable[[dict[str, Any]], Any]]] = {
    "by several columns, of which one is not selected": (
        "id BIGINT, shop INT",
        "SELECT id, shop FROM events WHERE id <> 3 ORDER BY shop DESC NULLS FIRST, price, id",
        lambda row: (
            (row["shop"] is not None, -(row["shop"] or 0)),
            least_null(EVENTS[row["id"]].price),
            row["id"],
        ),
    ),
    "of all windows, by what they hold": (
        "ends TIMESTAMP(3), shop INT, n BIGINT",
        f"SELECT window_end, shop, COUNT(*) AS n {GROUPED} ORDER BY n DESC, window_end, shop",
        lambda row: (-row["n"], row["ends"], least_null(row["shop"])),
    ),
    "of rows that changed until the end": (
        "shop INT, n BIGINT",
        "SELECT shop, COUNT(*) FROM events GROUP BY shop HAVING COUNT(*) > 3 ORDER BY 2 DESC, 1",
        lambda row: (-row["n"], least_null(row["shop"])),
    ),
    "of a join": (
        "id BIGINT, item STRING",
        "SELECT a.id, b.item FROM events AS a JOIN events AS b ON a.id = b.user_id ORDER BY b.item DESC, a.id, b.id",
        lambda row: (-ord(row["item"] or " "), row["id"]),
    ),
}


@pytest.mark.parametrize("what", QUERIES)
def test_all_rows_of_bounded_tables(spark, tmp_path: Path, what: str) -> None:
    columns, query, by = QUERIES[what]
    files = arrived(tmp_path)
    plan = plan_of(tmp_path, BOUNDED, sink(columns), f"INSERT INTO out {query};")
    home = run(spark, plan, tmp_path)
    rows = rows_of_files(tmp_path)
    assert len(list((tmp_path / "out").glob("*.json"))) == 1 and len(rows) > 2
    assert rows == sorted(rows, key=by)
    batch = insert_result(spark, plan, plan.inserts[0], {"events": list(map(source_file, files))})
    assert len(rows) == batch.count()
    verdict = verify(spark, plan, home)
    assert verdict.is_proven
    assert [note[:55] for note in verdict.notes] == (
        ["out: windows in one order of all can't be verified; tho"] if GROUPED in query else []
    )
    assert [one.equal for one in verdict.inserts] == ([] if GROUPED in query else [1])
    with pytest.raises(InputError, match="out has no windows: a backfill publishes windows"):
        backfill(spark, plan, home, Interval(MORNING, MORNING + HOUR), check=True)


def test_all_rows_wait_for_the_end(spark, tmp_path: Path, monkeypatch) -> None:
    """Also through a restart, where the last row of a group goes, and where many files are merged."""
    monkeypatch.setattr(compaction, "FANOUT", 3)
    query = "SELECT shop, COUNT(*) FROM events GROUP BY shop HAVING COUNT(*) < 4 ORDER BY shop DESC"
    plan = plan_of(tmp_path, BOUNDED, sink("shop INT, n BIGINT"), f"INSERT INTO out {query};")
    batches = [[1, 3], [2], [2, 3, 3], [4, 3], [4], [4, 3, 5], [1, 4]]
    events = [[Event(0, shop, 1, "a", None, None, MORNING) for shop in batch] for batch in batches]
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, events[:4])
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, events[4:])
    assert rows_of_files(tmp_path) == [] and stream.firings == 0
    assert len(stream.driver.position.updating["u2"]) <= 3
    waiting = verify(spark, plan, stream.home)
    assert waiting.notes == ("out: its rows wait for the end of their sources: nothing is published yet",)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.end()
    assert [tuple(row.values()) for row in rows_of_files(tmp_path)] == [(5, 1), (2, 2), (1, 2)]
    assert verify(spark, plan, stream.home).inserts[0].equal == 1
    with pytest.raises(InputError, match="source 'events' has ended, and its rows are published in their order"):
        stream.absorb_batches(tmp_path, events[:1])
    assert len(rows_of_files(tmp_path)) == 3


def test_windows_by_their_time(spark, tmp_path: Path) -> None:
    """Of a table that never ends, too: each is published when it is complete, and can be made anew."""
    query = f"SELECT window_start, shop, COUNT(*) {GROUPED} ORDER BY window_start, COUNT(*) DESC, shop DESC"
    columns = "starts TIMESTAMP(3), shop INT, n BIGINT"
    plan = plan_of(tmp_path, LIVE, sink(columns), f"INSERT INTO out {query};")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(*arrived(tmp_path)[:2])
    first = rows_of_files(tmp_path)
    assert stream.firings > 0 and first
    stream.absorb(tmp_path / "events" / "2.csv")
    stream.end()
    rows = rows_of_files(tmp_path)
    assert rows[: len(first)] == first and len(list((tmp_path / "out").glob("*.json"))) == 3
    assert rows == sorted(rows, key=lambda row: (row["starts"], -row["n"], -(row["shop"] or 0)))
    assert verify(spark, plan, stream.home).inserts[0].equal == 3
    result = backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 3 * HOUR), check=False)
    assert len(result.published) == 3 and rows_of_files(tmp_path) == rows


def test_rows_by_their_time(spark, tmp_path: Path, capfd) -> None:
    """Of a table that never ends rows come when the watermark passes them."""
    table = "CREATE TABLE out (id BIGINT, shop INT) WITH ('connector' = 'print');"
    plan = plan_of(tmp_path, LIVE, table, "INSERT INTO out SELECT id, shop FROM events ORDER BY ts, shop DESC, id;")
    stream = Stream(spark, plan, tmp_path / "home")

    def absorbed(*minutes: int) -> list[str]:
        events = [Event(n, n % 3, 1, "a", None, None, MORNING + at * MINUTE) for n, at in enumerate(minutes)]
        capfd.readouterr()
        stream.absorb_batches(tmp_path, [events])
        return printed(capfd)

    assert absorbed(3, 1, 2, 1, 1) == []
    assert absorbed(8, 2) == ["+I[1, 1]", "+I[4, 1]", "+I[3, 0]", "+I[2, 2]", "+I[1, 1]", "+I[0, 0]"]
    stream.end()
    assert printed(capfd) == ["+I[0, 0]"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT window_end AS at, id FROM TABLE(SESSION(TABLE events PARTITION BY id, DESCRIPTOR(ts), INTERVAL '1' "
        "MINUTE)) GROUP BY window_start, window_end, id ORDER BY window_end, id DESC",
        "SELECT ts AS at, COUNT(*) OVER (PARTITION BY id ORDER BY ts) AS id FROM events ORDER BY ts, 2 DESC",
    ],
)
def test_sessions_and_over_by_their_time(spark, tmp_path: Path, query: str, capfd) -> None:
    table = "CREATE TABLE out (at TIMESTAMP(3), id BIGINT) WITH ('connector' = 'print');"
    plan = plan_of(tmp_path, LIVE, table, f"INSERT INTO out {query};")
    stream = Stream(spark, plan, tmp_path / "home")
    events = [Event(n % 7, 1, 1, "a", None, None, MORNING + n * n % 40 * 20_000) for n in range(60)]
    batches = [[one for one in events if first <= one.at - MORNING < first + 5 * MINUTE] for first in (0, 5 * MINUTE)]
    capfd.readouterr()
    stream.absorb_batches(tmp_path, [*batches, [Event(8, 1, 1, "a", None, None, MORNING + HOUR)]])
    rows = printed(capfd)
    assert stream.firings > 1 and len(rows) > 9
    told = [row.removeprefix("+I[").removesuffix("]").split(", ") for row in rows]
    assert told == sorted(told, key=lambda row: (row[0], -int(row[1])))


def test_of_two_tables_both_must_end(spark, tmp_path: Path) -> None:
    both = "SELECT id FROM events UNION ALL SELECT id FROM more ORDER BY id DESC"
    more = BOUNDED.replace("events", "more")
    plan = plan_of(tmp_path, BOUNDED, more, sink("id BIGINT"), f"INSERT INTO out {both};")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [EVENTS[:20], EVENTS[40:]])
    stream.driver.note("events", ended=True)
    assert rows_of_files(tmp_path) == []
    stream.absorb_batches(tmp_path, [EVENTS[20:40]], source="more")
    stream.driver.note("more", ended=True)
    assert [row["id"] for row in rows_of_files(tmp_path)] == list(range(59, -1, -1))


def test_partitions_are_sorted_each(spark, tmp_path: Path) -> None:
    table = sink("id BIGINT, at TIMESTAMP(3), item STRING", "PARTITIONED BY (item, at)")
    hours = "CAST(FLOOR(ts TO HOUR) AS TIMESTAMP(3))"
    plan = plan_of(
        tmp_path, BOUNDED, table, f"INSERT INTO out SELECT id, {hours}, item FROM events ORDER BY price DESC, id;"
    )
    arrived(tmp_path)
    run(spark, plan, tmp_path)
    files = list((tmp_path / "out").rglob("*.json"))
    ids = [[json.loads(line)["id"] for line in file.read_text().splitlines()] for file in files]
    assert sum(map(len, ids)) == len(EVENTS) and len(files) > 6

    def dearest(event: int) -> tuple[bool, Any, int]:
        price = EVENTS[event].price
        return price is None, -(price or 0), event

    assert ids == [sorted(part, key=dearest) for part in ids]


PROGRAM = """
from airflow_nrt.table import col


def build(t_env):
    t_env.execute_sql(DDL)
    rows = t_env.from_path("events").select(col("id"), col("price"))
    rows.order_by(col("price").desc, col("id")).execute_insert("out")
"""


def test_of_a_program(spark, tmp_path: Path, capfd) -> None:
    table = "CREATE TABLE out (id BIGINT, price DECIMAL(10, 2)) WITH ('connector' = 'print');"
    ddl = f"{BOUNDED}{table}".replace("${DATA}", str(tmp_path))
    (tmp_path / "dearest.py").write_text(f"DDL = {ddl!r}\n{PROGRAM}")
    arrived(tmp_path)
    plan = load_report(tmp_path / "dearest.py", {})
    assert (
        describe(plan)["inserts"][0]["publishes"] == "all rows at once, in their order, when their sources have ended"
    )
    assert [(one.does, one.operators) for one in plan.inserts[0].steps][-1] == ("sort", ("u1",))
    capfd.readouterr()
    run(spark, plan, tmp_path)
    # In programs NULL is the greatest value, as in PyFlink.
    by_price = sorted(EVENTS, key=lambda event: (event.price is not None, -(event.price or 0), event.id))
    assert printed(capfd) == [f"+I[{one.id}, {'null' if one.price is None else one.price}]" for one in by_price]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "SELECT id, shop FROM events ORDER BY shop",
            "ORDER BY without LIMIT sorts all rows, and table 'events' never ends: add LIMIT, or leave "
            "'source.monitor-interval' out",
        ),
        ("SELECT id, ts FROM events ORDER BY ts DESC", "or begin with ts (ORDER BY ts, …), or leave"),
        (f"SELECT window_end, shop {GROUPED} ORDER BY shop", "or begin with window_end (ORDER BY window_end, …), or"),
        (
            f"SELECT window_start, window_end {STEPS} ORDER BY window_start",
            "or begin with window_end",
        ),
        ("SELECT shop, COUNT(*) FROM events GROUP BY shop ORDER BY shop", "never ends: add LIMIT, or leave"),
        ("SELECT a FROM (SELECT id AS a FROM events ORDER BY a)", "ORDER BY without LIMIT inside another query"),
    ],
)
def test_no_order(tmp_path: Path, query: str, message: str) -> None:
    columns = {"id": "BIGINT", "a": "BIGINT", "shop": "INT", "ts": "TIMESTAMP(3)", "COUNT(*)": "BIGINT"}
    names = query.removeprefix("SELECT ").partition(" FROM")[0].split(", ")
    declared = ", ".join(f"c{n} {columns.get(name, 'TIMESTAMP(3)')}" for n, name in enumerate(names))
    with pytest.raises(SqlError, match=re.escape(message)):
        plan_of(tmp_path, LIVE, sink(declared), f"SET 'table.exec.state.unbounded' = 'allow'; INSERT INTO out {query};")


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_a_query_of_rows_that_change(spark, tmp_path: Path, mode: str) -> None:
    arrived(tmp_path)
    tables = BOUNDED.replace("${DATA}", str(tmp_path))
    query = "SELECT shop, COUNT(*) AS n FROM events WHERE id < 40 GROUP BY shop ORDER BY MAX(id) DESC"
    last = {shop: max(e.id for e in EVENTS[:40] if e.shop == shop) for shop in {event.shop for event in EVENTS[:40]}}
    rows = map(json.loads, run_bounded(spark, plan_query(tables, query, tmp_path), mode))
    assert [row.get("shop") for row in rows] == sorted(last, key=lambda shop: -last[shop])
