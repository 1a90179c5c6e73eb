"""Queries whose results change as rows come, with what DuckDB says to the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.tables import Table
from tests.engine.reports import events_table, ordered, plan_of

TENS = "TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
BOUNDS = "window_start, window_end"


def best(order: str, outer: str = "*", limit: str = "n <= 3", rank: str = "ROW_NUMBER") -> str:
    ranked = f"SELECT shop, id, price, ts, {rank}() OVER (PARTITION BY shop ORDER BY {order}) AS n FROM events"
    return f"SELECT {outer} FROM ({ranked}) WHERE {limit}"


QUERIES: dict[str, tuple[str, str, str]] = {
    "totals": (
        "shop INT, n BIGINT, users BIGINT, gmv DECIMAL(38, 2), least DOUBLE, most DECIMAL(10, 2), user_sum INT, "
        "mean DOUBLE, dear BIGINT, dear_users BIGINT",
        query := """SELECT shop, COUNT(*), COUNT(DISTINCT user_id), SUM(price), MIN(weight), MAX(price),
            SUM(DISTINCT user_id), AVG(weight), COUNT(*) FILTER (WHERE price > 50),
            COUNT(DISTINCT user_id) FILTER (WHERE price > 50) FROM events GROUP BY shop HAVING COUNT(*) > 9""",
        query,
    ),
    "all_rows": ("n BIGINT, items BIGINT", query := "SELECT COUNT(*), COUNT(DISTINCT item) FROM events", query),
    "starts": (
        "at TIMESTAMP(3), shop INT, n BIGINT, users BIGINT",
        f"SELECT window_start, shop, COUNT(*), COUNT(DISTINCT user_id) FROM {TENS} GROUP BY window_start, shop",
        """SELECT time_bucket(INTERVAL 10 MINUTE, ts) AS s, shop, count(*), count(DISTINCT user_id)
            FROM events GROUP BY s, shop""",
    ),
    "sets": (
        "shop INT, item STRING, n BIGINT, gid BIGINT",
        "SELECT shop, item, COUNT(*), GROUPING_ID(shop, item) FROM events GROUP BY CUBE (shop, item)",
        "SELECT shop, item, COUNT(*), GROUPING(shop, item) FROM events GROUP BY CUBE (shop, item)",
    ),
    "pairs": ("shop INT, item STRING", query := "SELECT DISTINCT shop, item FROM events WHERE price > 20", query),
    "best": (
        "shop INT, id BIGINT, n BIGINT",
        query := best("price DESC NULLS LAST, id", "shop, id, n"),
        query,
    ),
    "best_unnumbered": (
        "shop INT, id BIGINT",
        query := best("price DESC NULLS LAST, id", "shop, id", "n BETWEEN 2 AND 4"),
        query,
    ),
    "ranked": (
        "shop INT, id BIGINT, n BIGINT",
        best("item", "shop, id, n", rank="RANK"),
        best("item NULLS FIRST", "shop, id, n", rank="RANK"),
    ),
    "first_rows": ("shop INT, id BIGINT", query := best("ts", "shop, id", "n = 1"), query),
    "last_rows": ("shop INT, id BIGINT", query := best("ts DESC", "shop, id", "n < 2"), query),
    "dear_starts": (
        "at TIMESTAMP(3), id BIGINT, n BIGINT",
        """SELECT window_start, id, n FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start ORDER BY price DESC NULLS LAST, id) AS n
            FROM HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '20' MINUTE)) WHERE n <= 2""",
        """SELECT s, id, n FROM (
            SELECT *, row_number() OVER (PARTITION BY s ORDER BY price DESC NULLS LAST, id) AS n FROM (
                SELECT id, price, time_bucket(INTERVAL 10 MINUTE, ts) - INTERVAL 10 MINUTE * back AS s
                FROM events, range(2) t(back))) WHERE n <= 2""",
    ),
    "dearest": (
        "id BIGINT, shop INT",
        query := "SELECT id, shop FROM events ORDER BY price DESC NULLS LAST, id LIMIT 4",
        query,
    ),
    "leaders": (
        "user_id INT, n BIGINT, place BIGINT",
        query := """SELECT user_id, n, place FROM (
            SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC, user_id DESC NULLS LAST) AS place FROM (
                SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id))
        WHERE place <= 3""",
        query,
    ),
    "sizes": (
        "n BIGINT, users BIGINT, least INT",
        query := """SELECT n, COUNT(*), MIN(user_id) FROM (
            SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) GROUP BY n""",
        query,
    ),
    "fullest": (
        "shop INT, n BIGINT, windows BIGINT",
        f"""SELECT shop, MAX(n), COUNT(*) FROM (
            SELECT shop, COUNT(*) AS n, {BOUNDS} FROM {TENS} GROUP BY shop, {BOUNDS}) GROUP BY shop""",
        """SELECT shop, max(n), count(*) FROM (
            SELECT shop, count(*) AS n, time_bucket(INTERVAL 10 MINUTE, ts) AS s FROM events GROUP BY s, shop)
        GROUP BY shop""",
    ),
    "so_far": (
        "id BIGINT, gmv DECIMAL(38, 2), n BIGINT, most DOUBLE",
        query := """SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY user_id NULLS FIRST),
            COUNT(*) OVER (PARTITION BY shop ORDER BY user_id NULLS FIRST),
            MAX(weight) OVER (PARTITION BY shop ORDER BY user_id NULLS FIRST) FROM events WHERE price > 20""",
        query,
    ),
    "share_of_leaders": (
        "shop INT, n BIGINT, so_far BIGINT, place BIGINT",
        query := """SELECT shop, n, SUM(n) OVER (ORDER BY n DESC, shop), ROW_NUMBER() OVER (ORDER BY n DESC, shop)
            FROM (SELECT shop, COUNT(*) AS n FROM events GROUP BY shop) AS t""",
        query,
    ),
    "pairs_so_far": (
        "e TIMESTAMP(3), n BIGINT, items BIGINT",
        """SELECT window_end, COUNT(*), COUNT(DISTINCT item) FROM CUMULATE((
            SELECT l.ts, r.item FROM events AS l JOIN events AS r
            ON l.shop = r.shop AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '3' MINUTE
        ), DESCRIPTOR(ts), INTERVAL '20' MINUTE, INTERVAL '1' HOUR) GROUP BY window_start, window_end""",
        """SELECT e, count(*), count(DISTINCT item) FROM (
            SELECT r.item, time_bucket(INTERVAL 1 HOUR, l.ts) + INTERVAL 20 MINUTE * step AS e, l.ts
            FROM events AS l JOIN events AS r ON l.shop = r.shop AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 3 MINUTE,
                range(1, 4) t(step)) WHERE ts < e GROUP BY e""",
    ),
    "met": (
        "first BIGINT, second BIGINT",
        query := """SELECT l.id, r.id AS other FROM events AS l JOIN events AS r
            ON l.shop = r.shop AND r.user_id = l.user_id AND l.id < r.id AND r.price > 20""",
        query,
    ),
    "met_of_many": (
        "first BIGINT, second BIGINT, n BIGINT",
        query := """SELECT l.id, r.id, t.n
            FROM events AS l, events AS r, (SELECT shop, COUNT(*) AS n FROM events GROUP BY shop) AS t
            WHERE l.shop = r.shop AND r.user_id = l.user_id AND l.id < r.id AND r.shop = t.shop AND t.n > r.price""",
        query,
    ),
    "ids_of_size": (
        "id BIGINT, n BIGINT",
        query := """SELECT e.id, t.n - 1 AS n FROM events AS e
            JOIN (SELECT shop, COUNT(*) AS n FROM events GROUP BY shop) AS t ON e.id = t.n - 1""",
        query,
    ),
    "dearer": (
        "id BIGINT, shop INT, dearer BIGINT",
        query
        := """SELECT l.id, l.shop, r.id AS other FROM events AS l LEFT JOIN (SELECT * FROM events WHERE price > 60) AS r
            ON l.shop = r.shop AND l.item = r.item AND l.price < r.price AND l.price > 10""",
        query,
    ),
    "dearer_counts": (
        "shop INT, n BIGINT, dearer BIGINT",
        query := """SELECT l.shop, COUNT(*), COUNT(r.id) FROM events AS l LEFT JOIN (
            SELECT * FROM events WHERE price > 60) AS r ON l.shop = r.shop AND l.item = r.item AND l.price < r.price
            GROUP BY l.shop""",
        query,
    ),
    "same_size": (
        "user_id INT, item STRING, n BIGINT",
        query := """SELECT l.user_id, r.item, l.n FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) AS l
            FULL JOIN (SELECT item, shop, COUNT(*) AS n FROM events GROUP BY item, shop) AS r
            ON l.n = r.n AND l.user_id < r.shop + 3""",
        query,
    ),
    "larger": (
        "shop INT, n BIGINT, other INT",
        query := """SELECT l.shop, l.n, r.shop AS other FROM (SELECT shop, COUNT(*) AS n FROM events GROUP BY shop) AS l
            RIGHT JOIN (SELECT shop, COUNT(*) AS n FROM events GROUP BY shop) AS r ON l.n > r.n""",
        query,
    ),
    "window_of_shop": (
        "shop INT, n BIGINT, at TIMESTAMP(3), id BIGINT",
        f"""SELECT l.shop, l.n, l.s, r.id FROM (
            SELECT shop, COUNT(*) AS n, window_start AS s, window_end FROM {TENS} GROUP BY shop, {BOUNDS}) AS l
            FULL JOIN (SELECT * FROM events WHERE price > 60) AS r ON l.shop = r.shop AND l.n > r.user_id""",
        """SELECT l.shop, l.n, l.s, r.id FROM (
            SELECT shop, count(*) AS n, time_bucket(INTERVAL 10 MINUTE, ts) AS s FROM events GROUP BY s, shop) AS l
            FULL JOIN (SELECT * FROM events WHERE price > 60) AS r ON l.shop = r.shop AND l.n > r.user_id""",
    ),
}
"""Columns of the result, the query, and what DuckDB is asked instead. No two rows have the same `ts`."""


def changing_plan(place: Path, *names: str, settings: str = "") -> Plan:
    """A report of these queries whose changelogs go to parquet files below `place/<name>`."""
    inserts = [
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'print');\nINSERT INTO {name} {query};"
        for name, (columns, query, _) in ((name, QUERIES[name]) for name in names)
    ]
    return published_in_parquet(plan_of(place, settings, events_table(), *inserts), place)


def published_in_parquet(plan: Plan, place: Path) -> Plan:
    """The plan with changelogs in place of what its sinks print."""
    sinks = []
    for insert in plan.inserts:
        options = {"connector": "filesystem", "path": str(place / insert.name), "format": "parquet"}
        sinks.append(replace(insert, sink=Table(insert.name, insert.sink.columns, "filesystem", options=options)))
    return replace(plan, inserts=tuple(sinks))


@dataclass
class Folded:
    """A table as its changelog makes it. Whatever is taken back must be there, and no key is inserted twice."""

    rows: Counter[tuple[Any, ...]]
    keys: set[str]
    ops: Counter[str]

    @classmethod
    def of(cls, changes: Iterable[tuple[str, str, tuple[Any, ...]]]) -> Folded:
        """Of (operation, key, row), in their order."""
        table = cls(Counter(), set(), Counter())
        for op, key, row in changes:
            table.apply(op, key, row)
        return table

    def apply(self, op: str, key: str, row: tuple[Any, ...]) -> None:
        self.ops[op] += 1
        if op.startswith("-"):
            assert self.rows[row] > 0, f"{op} of a row that is not there: {row}"
        self.rows[row] += 1 if op.startswith("+") else -1
        assert (key in self.keys) is (op != "+I"), f"{op} of key {key}"
        if op in ("+I", "-D"):
            self.keys ^= {key}

    @property
    def table(self) -> list[tuple[Any, ...]]:
        return ordered(self.rows.elements())


def emitted(directory: Path) -> list[tuple[str, str, tuple[Any, ...]]]:
    """The changes that were emitted to a sink, in order: (operation, key, row)."""
    if not list(directory.glob("*.parquet")):
        return []
    changes = duckdb.sql(
        f"SELECT * FROM read_parquet('{directory}/*.parquet') ORDER BY _nrt_entry, _nrt_key, {OP} NOT IN ('-U', '-D')"
    )
    places = {name: n for n, name in enumerate(changes.columns)}
    hidden = (OP, "_nrt_key", "_nrt_entry")
    shown = [n for name, n in places.items() if name not in hidden]
    rows = changes.fetchall()
    return [(row[places[OP]], row[places["_nrt_key"]], tuple(row[n] for n in shown)) for row in rows]


def folded(directory: Path) -> Folded:
    """The changes that were emitted to a sink, folded."""
    return Folded.of(emitted(directory))


def said_by_duckdb(file: Path, names: Iterable[str]) -> Mapping[str, list[tuple[Any, ...]]]:
    """The queries over the rows of one csv file."""
    connection = duckdb.connect()
    connection.execute(
        f"""CREATE TABLE events AS SELECT * FROM read_csv('{file}', header = false, nullstr = 'NULL', columns = {{
        id: 'BIGINT', shop: 'INT', user_id: 'INT', item: 'VARCHAR', price: 'DECIMAL(10,2)', weight: 'DOUBLE',
        ts: 'TIMESTAMP'}})"""
    )
    return {name: ordered(connection.execute(QUERIES[name][2]).fetchall()) for name in names}
