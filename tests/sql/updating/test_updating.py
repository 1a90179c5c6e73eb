# ruff: noqa: E501 (a row of a table is one line)
"""Queries without windows: what bounds their state, which sinks take their changes, and what is kept of Top-N.

Covers airflow_nrt/model/updating, whose operators these plans are made of.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.home.identity.fingerprint import differences, fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import UpdatingAggregate, UpdatingJoin, UpdatingRows, UpdatingSessions
from airflow_nrt.sql.planner import plan_query, plan_report
from tests.sample import CURVE, INSERT, ORDERS, plan_of

LIVE = ORDERS.replace("'format' = 'csv'", "'format' = 'csv', 'source.monitor-interval' = '1 s'")
TVF = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))"
BY_SHOP = "SELECT shop, COUNT(*) FROM orders GROUP BY shop"
TTL = "SET 'table.exec.state.ttl' = '1 h';\n"
CONSENT = "SET 'table.exec.state.unbounded' = 'allow';\n"
WAY_OUT = (
    "; or SET 'table.exec.state.ttl' = '1 h' to forget keys that no row touches for so long, "
    "or SET 'table.exec.state.unbounded' = 'allow'"
)
JOINED = (
    "write FROM TABLE(TUMBLE(TABLE …, DESCRIPTOR(…), size)) on both sides and "
    "ON l.window_start = r.window_start AND l.window_end = r.window_end"
)
CUMULATE = "write FROM TABLE(CUMULATE(TABLE …, DESCRIPTOR(…), step, size)) and "


def printed(query: str, columns: str = "a STRING, b BIGINT", tables: str = ORDERS) -> str:
    """A report that prints a query; the query begins on line 9."""
    return f"{tables}CREATE TABLE told ({columns}) WITH ('connector' = 'print');\nINSERT INTO told\n{query};\n"


def ranked(over: str, relation: str = "orders") -> str:
    return f"SELECT shop, id FROM (SELECT *, ROW_NUMBER() OVER ({over}) AS n FROM {relation}) WHERE n <= 3"


UNBOUNDED = {
    "GROUP BY": (BY_SHOP, f"an aggregation without a window keeps every key for ever: {CUMULATE}GROUP BY window_start, window_end"),
    "DISTINCT": ("SELECT DISTINCT shop, id FROM orders", f"an aggregation without a window keeps every key for ever: {CUMULATE}GROUP BY window_start, window_end"),
    "window_start alone": (
        f"SELECT shop, COUNT(*) FROM {TVF} GROUP BY shop, window_start",
        "an aggregation without window_end keeps every key for ever: add window_end to GROUP BY",
    ),
    "no bound": (
        f"SELECT shop, COUNT(*) FROM {TVF} GROUP BY shop, window_time",
        "an aggregation without window_start and window_end keeps every key for ever: add window_start, window_end to GROUP BY",
    ),
    "Top-N": (
        ranked("PARTITION BY shop ORDER BY price"),
        f"ROW_NUMBER without a window keeps every key for ever: {CUMULATE}PARTITION BY window_start, window_end",
    ),
    "Top-N of a window_start": (
        ranked("PARTITION BY window_start ORDER BY price", TVF),
        "ROW_NUMBER without window_end keeps every key for ever: add window_end to PARTITION BY",
    ),
    "windows of all time": (
        f"SELECT shop, MAX(n) FROM (SELECT shop, window_start, window_end, COUNT(*) AS n FROM {TVF} GROUP BY shop, window_start, window_end) GROUP BY shop",
        "an aggregation without window_start and window_end keeps every key for ever: add window_start, window_end to GROUP BY",
    ),
    "OVER": (
        "SELECT shop, SUM(id) OVER (PARTITION BY shop ORDER BY price) FROM orders",
        "OVER by anything but time keeps every key for ever: ORDER BY the time attribute inside OVER",
    ),
    "a regular join": (
        "SELECT a.shop, b.id FROM orders AS a JOIN orders AS b ON a.id = b.id",
        f"a join without windows keeps every key for ever: {JOINED}",
    ),
    "IN": (
        "SELECT shop, id FROM orders WHERE id IN (SELECT id FROM orders WHERE price > 9)",
        "IN (SELECT …) without windows keeps every key for ever: window both queries, and compare their window_start and window_end with =",
    ),
    "NOT EXISTS": (
        "SELECT shop, id FROM orders AS o WHERE NOT EXISTS (SELECT * FROM orders AS p WHERE p.id = o.id AND p.ts < o.ts)",
        "NOT EXISTS (SELECT …) without windows keeps every key for ever: window both queries, and compare their window_start and window_end with =",
    ),
    "a query as a value": (
        "SELECT shop, id FROM orders WHERE price > (SELECT AVG(price) FROM orders)",
        "a query as a value keeps every key for ever: compute it in the same windows, and join both by window_start and window_end",
    ),
    "a join without window_end": (
        f"SELECT L.shop, R.id FROM {TVF} AS L LEFT JOIN {TVF} AS R ON L.id = R.id AND L.window_start = R.window_start",
        "a join without equal window_end keeps every key for ever: add L.window_end = R.window_end to ON",
    ),
    "a join of two windowings": (
        f"SELECT L.shop, R.id FROM {TVF} AS L FULL JOIN {TVF.replace('10', '20')} AS R ON L.window_end = R.window_end AND L.window_start = R.window_start",
        "a join of TUMBLE 10 minutes with TUMBLE 20 minutes keeps every key for ever: use the same window on both sides",
    ),
}  # fmt: skip
ADDS_ONLY = ("a regular join", "IN")
"""What no row is ever taken back of, so that files take it."""


@pytest.mark.parametrize("what", UNBOUNDED)
def test_state_without_a_bound_wants_consent(what: str) -> None:
    query, message = UNBOUNDED[what]
    script = printed(query, tables=LIVE)
    with pytest.raises(InputError, match=re.escape(message + WAY_OUT)) as wrong:
        plan_of(script)
    assert "line 10, column" in str(wrong.value)
    assert [type(one) for one in plan_of(TTL + script).updating] == [
        type(one) for one in plan_of(CONSENT + script).updating
    ]


@pytest.mark.parametrize("what", UNBOUNDED)
def test_what_ends_needs_no_consent(what: str) -> None:
    """Neither a source that ends nor a query that is asked once keeps anything for ever."""
    query, _ = UNBOUNDED[what]
    changes = what not in ADDS_ONLY
    assert plan_of(printed(query)).inserts[0].changes is changes
    assert plan_query(LIVE, query, Path("/data")).inserts[0].changes is changes


LATE_FIRE = "SET 'table.exec.emit.late-fire.enabled' = 'true';\n"
EARLY_FIRE = "SET 'table.exec.emit.early-fire.enabled' = 'true';\n"
GROUPED = "SELECT shop, COUNT(*) FROM orders GROUP BY shop, TUMBLE(ts, INTERVAL '10' MINUTES)"


@pytest.mark.parametrize("setting", [LATE_FIRE, EARLY_FIRE, EARLY_FIRE + LATE_FIRE])
def test_older_windows_fire_early_and_late(setting: str) -> None:
    plan = plan_of(setting + printed(GROUPED))
    assert [field.type.name for field in plan.updating[0].keys] == ["STRING", "TIMESTAMP", "TIMESTAMP"]
    assert not plan.operators and plan.inserts[0].changes
    name = "table.exec.emit.late-fire.enabled"
    overridden = plan_report(printed(GROUPED), "report", Path("/data"), {name: "true"})
    assert len(overridden.updating) == 1
    with pytest.raises(InputError, match=r"line \d+, column 50: a window with early-fire or late-fire keeps every key"):
        plan_of(setting + printed(GROUPED, tables=LIVE))
    sessions = plan_of(setting + printed(GROUPED.replace("TUMBLE", "SESSION")))
    assert [type(one) for one in sessions.updating] == [UpdatingSessions, UpdatingAggregate]
    with pytest.raises(InputError, match="a window over rows that change"):
        above = f"SELECT shop, COUNT(*) FROM ({GROUPED.replace('COUNT(*)', 'TUMBLE_ROWTIME(ts, INTERVAL 10 MINUTES) AS t')})"
        plan_of(
            setting
            + printed(f"{above} GROUP BY shop, TUMBLE(t, INTERVAL '1' HOUR)".replace("INTERVAL 10", "INTERVAL '10'"))
        )


def test_a_ttl_of_nothing_is_none() -> None:
    with pytest.raises(InputError, match="keeps every key for ever"):
        plan_of("SET 'table.exec.state.ttl' = '0 s';\n" + printed(BY_SHOP, tables=LIVE))


FILE = "CREATE TABLE told (a STRING, b BIGINT) WITH ('connector' = 'filesystem', 'path' = 'told', 'format' = 'json');"


@pytest.mark.parametrize("what", [what for what in UNBOUNDED if what not in ADDS_ONLY])
def test_files_take_nothing_back(what: str) -> None:
    query, message = UNBOUNDED[what]
    does, _, clause = message.partition(" keeps every key for ever: ")
    expected = f"Table sink 'told' doesn't support consuming update changes, which {does} makes: {clause}, or declare"
    with pytest.raises(InputError, match=re.escape(expected)):
        plan_of(f"{ORDERS}{FILE}\nINSERT INTO told {query};")


@pytest.mark.parametrize("what", ADDS_ONLY)
def test_files_take_what_is_only_added(what: str) -> None:
    query, _ = UNBOUNDED[what]
    (insert,) = plan_of(f"{ORDERS}{FILE}\nINSERT INTO told SELECT * FROM ({query}) WHERE id > 3;").inserts
    assert not insert.changes
    assert "_nrt_" not in insert.query.sql.partition("FROM")[0]
    with pytest.raises(InputError, match="doesn't support consuming update changes, which an aggregation"):
        plan_of(f"{ORDERS}{FILE}\nINSERT INTO told SELECT shop, COUNT(*) FROM ({query}) GROUP BY shop;")


def only(plan: Plan) -> UpdatingRows:
    (operator,) = plan.updating
    assert isinstance(operator, UpdatingRows)
    return operator


LIMITS = {
    "n <= 3": 3, "n < 3": 2, "n = 1": 1, "3 >= n": 3, "n BETWEEN 2 AND 4": 4, "t.n <= 3 AND id > 5": 3,
    "n <= 3 AND n <= 2": 2, "n >= 3": None, "n <= 3 OR n = 7": None, "n <= id": None, "n NOT BETWEEN 1 AND 3": None,
    "id <= 3": None,
}  # fmt: skip


@pytest.mark.parametrize("condition", LIMITS)
def test_rows_that_no_condition_lets_pass_are_not_kept(condition: str) -> None:
    inner = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS n FROM orders"
    plan = plan_of(printed(f"SELECT shop, id FROM ({inner}) AS t WHERE {condition}"))
    assert only(plan).limit == LIMITS[condition]
    view = f"{ORDERS}CREATE VIEW t AS {inner};\n"
    assert only(plan_of(printed(f"SELECT shop, id FROM t WHERE {condition}", tables=view))).limit == LIMITS[condition]


def test_a_limit_on_another_name_is_none() -> None:
    inner = "SELECT id AS n, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS m, shop FROM orders"
    renamed = {
        f"SELECT shop, n FROM ({inner}) AS t (m, n, shop) WHERE m <= 3": ORDERS,
        f"WITH t (m, n, shop) AS ({inner}) SELECT shop, n FROM t WHERE m <= 3": ORDERS,
        "SELECT shop, n FROM t WHERE m <= 3": f"{ORDERS}CREATE VIEW t (m, n, shop) AS {inner};\n",
    }
    for query, tables in renamed.items():
        plan = plan_query(tables, query, Path("/data"))
        assert only(plan).limit is None
        assert len(only(plan).columns) == 3


def test_of_rows_that_change_all_are_kept() -> None:
    """A row after the limit moves up when one before it is removed."""
    plan = plan_of(printed(ranked("ORDER BY id DESC", f"({BY_SHOP.replace('COUNT(*)', 'COUNT(*) AS id')})")))
    totals, best = plan.updating
    assert isinstance(totals, UpdatingAggregate) and isinstance(best, UpdatingRows)
    assert best.changing and best.limit is None


def test_an_operator_is_shared_and_a_limit_is_its_own() -> None:
    number = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS n FROM orders"
    queries = [f"SELECT shop, id FROM ({number}) WHERE n <= {limit}" for limit in (3, 3, 5)]
    inserts = "".join(f"INSERT INTO told {query};\n" for query in [*queries, BY_SHOP, f"{BY_SHOP} HAVING COUNT(*) > 1"])
    plan = plan_of(f"{ORDERS}CREATE TABLE told (a STRING, b BIGINT) WITH ('connector' = 'print');\n{inserts}")
    assert [one.limit for one in plan.updating if isinstance(one, UpdatingRows)] == [3, 5]
    assert len(plan.updating) == 3
    assert len(plan.inserts) == 5


def test_windows_and_changes_live_beside_each_other() -> None:
    plan = plan_of(printed(BY_SHOP) + CURVE + INSERT)
    assert [insert.changes for insert in plan.inserts] == [True, False]
    assert plan.inserts[0].operators == () and plan.inserts[1].operators == ("w1",)


def test_the_plan_says_what_is_kept() -> None:
    top = plan_of(TTL + printed(ranked("PARTITION BY shop ORDER BY price"), tables=LIVE))
    (operator,) = describe(top)["operators"]
    assert operator["stored"] == ["the rows up to rank 3 of each key"]
    assert operator["bounded_by"] == "a key that no row touches for 1 hour of processing time is forgotten"
    assert describe(top)["inserts"][0]["publishes"] == "what each batch changes"
    (operator,) = describe(plan_of(printed(BY_SHOP)))["operators"]
    assert operator["bounded_by"] == "nothing but the end of its sources"


def test_the_plan_says_what_a_join_keeps() -> None:
    query = "SELECT a.shop, b.id FROM orders AS a LEFT JOIN orders AS b ON a.shop = b.shop AND a.id < b.id"
    (operator,) = describe(plan_of(TTL + printed(query, tables=LIVE)))["operators"]
    assert operator["join"] == "LEFT JOIN ON a.shop = b.shop AND a.id < b.id"
    assert operator["keys"] == ["a.shop = b.shop STRING"]
    sides = ("left", "right")
    assert operator["stored"] == [f"all rows of the {side} side, by key: 2 columns" for side in sides]
    assert operator["bounded_by"] == "a row is forgotten 1 hour of processing time after it was last written"
    over = "SELECT shop, SUM(id) OVER (PARTITION BY shop ORDER BY price) FROM orders"
    (operator,) = describe(plan_of(printed(over)))["operators"]
    assert operator["aggregates"] == ["SUM(id): BIGINT"] and operator["stored"] == ["all rows of each key"]


CHANGES = {
    "a join": (
        "SELECT a.shop, b.id FROM orders AS a JOIN orders AS b ON a.id = b.id",
        "insert into told, FROM was: orders; now: orders INNER JOIN orders ON orders#1.id = orders#2.id",
    ),
    "the key": (
        BY_SHOP.replace("GROUP BY shop", "GROUP BY shop, id"),
        "insert into told, GROUP BY was: shop; now: shop, id",
    ),
    "the aggregate": (BY_SHOP.replace("COUNT(*)", "COUNT(id)"), "insert into told, SELECT 2 was: COUNT(*)"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_another_meaning_is_another_home(what: str) -> None:
    other, expected = CHANGES[what]
    found = differences(fingerprint(plan_of(printed(BY_SHOP))), fingerprint(plan_of(printed(other))))
    assert any(one.startswith(expected) for one in found)


def test_another_limit_or_memory_is_another_meaning() -> None:
    narrow, wide = (ranked("ORDER BY price").replace("3", limit) for limit in ("3", "4"))
    found = differences(fingerprint(plan_of(printed(narrow))), fingerprint(plan_of(printed(wide))))
    assert found == ["insert into told, WHERE was: n <= 3; now: n <= 4"]
    found = differences(fingerprint(plan_of(printed(narrow))), fingerprint(plan_of(TTL + printed(narrow))))
    assert found == ["setting table.exec.state.ttl is new: 1 h"]


def test_a_limit_is_a_top_n() -> None:
    plan = plan_query(
        ORDERS,
        "SELECT id FROM (SELECT id, shop FROM orders ORDER BY price DESC LIMIT 5) WHERE shop = 'a'",
        Path("/data"),
    )
    assert only(plan).limit == 5
    assert "ORDER BY o0 DESC NULLS LAST" in only(plan).computed[0][1]
    assert [field.name for field in plan.inserts[0].query.fields] == ["id"]


@pytest.mark.parametrize(
    ("select", "kept"),
    [
        ("SELECT shop, id FROM ({}) WHERE n <= 3", {"shop", "id", "price"}),
        ("SELECT id FROM ({}) WHERE n <= 3 AND shop <> 'x'", {"shop", "id", "price"}),
        ("SELECT n FROM ({}) WHERE n <= 3", {"price"}),
        ("SELECT MAX(id) FROM ({}) GROUP BY price", {"id", "price"}),
        ("SELECT t.* FROM ({}) AS t", {"id", "shop", "price", "ts"}),
    ],
)
def test_columns_that_nobody_looks_at_are_not_kept(select: str, kept: set[str]) -> None:
    ranked = "SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS n FROM orders"
    rows = plan_query(ORDERS, select.format(ranked), Path("/data")).updating[0]
    assert isinstance(rows, UpdatingRows)
    assert set(re.findall(r"`(\w+)` AS [co]\d", rows.input.sql)) == kept
    assert len(rows.columns) == len(kept)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("SELECT DISTINCT COUNT(*) FROM orders GROUP BY shop", ["UpdatingAggregate", "UpdatingAggregate"]),
        (f"SELECT DISTINCT COUNT(*) FROM {TVF} GROUP BY shop, window_start, window_end", ["UpdatingAggregate"]),
        (f"SELECT DISTINCT COUNT(*), window_start, window_end FROM {TVF} GROUP BY shop, window_start, window_end", []),
    ],
)
def test_distinct_results_of_groups(query: str, kinds: list[str]) -> None:
    plan = plan_query(ORDERS, query, Path("/"))
    assert [type(one).__name__ for one in plan.updating] == kinds


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("id IN (SELECT id FROM orders WHERE shop = 'a') AND price > 3", [("SEMI", 1, [2, 2])]),
        ("id NOT IN (SELECT id FROM orders)", [("ANTI", 0, [2, 1])]),
        ("NOT id IN (SELECT COUNT(*) FROM orders GROUP BY shop) OR FALSE", [("LEFT", 1, [2, 1]), ("LEFT", 0, [3, 2])]),
        ("NOT EXISTS (SELECT * FROM orders AS r WHERE r.id = o.id AND shop > o.shop)", [("ANTI", 1, [2, 2])]),
        (
            "EXISTS (SELECT 1 FROM orders WHERE ts > o.ts AND id = o.id) AND shop IN (SELECT shop FROM orders LIMIT 2)",
            [("SEMI", 1, [3, 2]), ("SEMI", 1, [2, 1])],
        ),
    ],
)
def test_subqueries_of_rows_are_joins(where: str, kept: list[tuple[str, int, list[int]]]) -> None:
    """By kind, the number of keys and of the columns of either side."""
    query = f"SELECT shop, id FROM orders AS o WHERE {where}"
    joins = [one for one in plan_query(ORDERS, query, Path("/")).updating if isinstance(one, UpdatingJoin)]
    assert [(one.kind, len(one.keys), [len(one.left.columns), len(one.right.columns)]) for one in joins] == kept


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("id IN (SELECT id, shop FROM orders)", "IN wants a query of one column"),
        ("nope IN (SELECT id FROM orders)", "there is no column 'nope'"),
        ("id IN (SELECT id FROM orders WHERE nope > 3)", "there is no column 'nope'"),
        ("ts IN (SELECT id FROM orders)", "can't compare"),
    ],
)
def test_subqueries_of_rows_that_are_wrong(where: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_query(ORDERS, f"SELECT shop FROM orders WHERE {where}", Path("/"))


@pytest.mark.parametrize(
    "rest", ["LIMIT 3 OFFSET 2", "OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY", "OFFSET 2 LIMIT 3", "LIMIT 3 OFFSET 2 ROWS"]
)
def test_rows_after_others(rest: str) -> None:
    (insert,) = (plan := plan_query(ORDERS, f"SELECT shop FROM orders ORDER BY price {rest}", Path("/"))).inserts
    (rows,) = plan.updating
    assert isinstance(rows, UpdatingRows) and rows.limit == 5
    assert "> 2" in insert.query.sql


def test_all_rows_after_others_are_kept() -> None:
    (rows,) = plan_query(ORDERS, "SELECT shop FROM orders ORDER BY price OFFSET 2", Path("/")).updating
    assert isinstance(rows, UpdatingRows) and rows.limit is None


def test_repeated_rows_inside_windows_stay_there() -> None:
    rows = f"SELECT shop, window_start, window_end FROM {TVF}"
    assert not plan_query(ORDERS, f"{rows} EXCEPT ALL {rows}", Path("/")).updating
