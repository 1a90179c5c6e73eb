# ruff: noqa: E501 (a row of a table is one line)
"""Sinks with a key: which queries they take, and what is said of the others."""

from __future__ import annotations

import re

import pytest

from airflow_nrt.basics.errors import InputError
from tests.sample import ORDERS, plan_of

TVF = "TABLE({}(TABLE orders, DESCRIPTOR(ts), {}))"
TUMBLE = TVF.format("TUMBLE", "INTERVAL '10' MINUTES")
CUMULATE = TVF.format("CUMULATE", "INTERVAL '10' MINUTES, INTERVAL '1' HOUR")
SHOPS = "SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop"
RANKED = "(SELECT *, {} OVER (PARTITION BY shop ORDER BY price) AS n FROM orders)"
BOTH = "SELECT a.shop AS shop, b.n AS other FROM ({}) AS a {} JOIN ({}) AS b ON {}"


def inserted(columns: str, key: str, query: str, connector: str = "print") -> str:
    keyed = f", PRIMARY KEY ({key}) NOT ENFORCED" if key else ""
    return f"{ORDERS}{LATEST}CREATE TABLE told ({columns}{keyed}) WITH ('connector' = '{connector}');\nINSERT INTO told {query};\n"


UPDATED = "shop STRING, e TIMESTAMP(3), n BIGINT"
LATEST = ORDERS.replace("CREATE TABLE orders", "CREATE TABLE latest").replace(
    ",\n    WATERMARK", ",\n    PRIMARY KEY (id) NOT ENFORCED,\n    WATERMARK"
)
SESSIONS = "TABLE(SESSION(TABLE latest PARTITION BY {}, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
OF_LATEST = "SELECT shop, {}, COUNT(*) FROM {} GROUP BY shop, window_start, window_end"
BEST = "SELECT shop, e, n FROM (SELECT shop, window_{} AS e, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY s DESC) AS n FROM (SELECT shop, window_start, window_end, SUM(id) AS s FROM {} GROUP BY shop, window_start, window_end))"
TEXT_AND_COUNT = "shop STRING, n BIGINT"
TAKEN = {
    "the groups": (TEXT_AND_COUNT, "shop", SHOPS),
    "more than the groups": (TEXT_AND_COUNT, "shop, n", SHOPS),
    "one row": ("n BIGINT", "n", "SELECT COUNT(*) FROM orders"),
    "a projection and a filter": (TEXT_AND_COUNT, "shop", f"SELECT shop, n + 1 FROM ({SHOPS}) WHERE n > 1"),
    "the first of a key": (TEXT_AND_COUNT, "shop", f"SELECT shop, id FROM {RANKED.format('ROW_NUMBER()')} WHERE n = 1"),
    "a place in a ranking": (TEXT_AND_COUNT, "shop, n", f"SELECT shop, n FROM {RANKED.format('ROW_NUMBER()')} WHERE n <= 3"),
    "what is ranked": (TEXT_AND_COUNT, "shop", f"SELECT shop, n FROM (SELECT *, RANK() OVER (ORDER BY n DESC) AS r FROM ({SHOPS})) WHERE r <= 3"),
    "both sides of a join": ("shop STRING, other STRING", "shop, other", f"SELECT a.shop, b.shop AS other FROM ({SHOPS}) AS a JOIN ({SHOPS}) AS b ON a.n = b.n"),
    "a join by the other's key": (TEXT_AND_COUNT, "shop", BOTH.format(SHOPS, "LEFT", SHOPS, "a.shop = b.shop")),
    "a window's end": ("shop STRING, e TIMESTAMP(3), n BIGINT", "shop, e", f"SELECT shop, window_end, COUNT(*) FROM {CUMULATE} GROUP BY shop, window_start, window_end"),
    "a window's start": ("shop STRING, e TIMESTAMP(3), n BIGINT", "shop, e", f"SELECT shop, window_start, COUNT(*) FROM {TUMBLE} GROUP BY shop, window_start, window_end"),
    "an end over an update table": (UPDATED, "shop, e", OF_LATEST.format("window_end", TUMBLE.replace("orders", "latest"))),
    "a start over an update table": (UPDATED, "shop, e", OF_LATEST.format("window_start", TUMBLE.replace("orders", "latest"))),
    "an end of CUMULATE over an update table": (UPDATED, "shop, e", OF_LATEST.format("window_end", CUMULATE.replace("orders", "latest"))),
    "a start of a shop's sessions": (UPDATED, "shop, e", OF_LATEST.format("window_start", SESSIONS.format("shop"))),
    "sessions of which WHERE leaves rows out": (UPDATED, "shop, e", OF_LATEST.format("window_end", SESSIONS.format("shop") + " WHERE price > 3")),
    "sessions of each group": (UPDATED, "shop, e", "SELECT shop, SESSION_START(ts, INTERVAL '1' MINUTE), COUNT(*) FROM latest GROUP BY shop, SESSION(ts, INTERVAL '1' MINUTE)"),
    "a place in each session": (UPDATED, "shop, e, n", f"SELECT * FROM (SELECT shop, window_end, ROW_NUMBER() OVER (PARTITION BY shop, window_start, window_end ORDER BY price) AS n FROM {SESSIONS.format('shop')}) WHERE n <= 3"),
    "a place in each window": (UPDATED, "e, n", BEST.format("end", CUMULATE) + " WHERE n <= 3"),
    "the groups of a place in each window": (UPDATED, "shop, e", BEST.format("start", TUMBLE) + " WHERE n <= 3"),
    "one place in each window": (UPDATED, "e", BEST.format("start", TUMBLE) + " WHERE n = 2"),
    "a place in windows of an update table": (UPDATED, "e, n", f"SELECT * FROM (SELECT shop, window_end, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS n FROM {CUMULATE.replace('orders', 'latest')}) WHERE n <= 3"),
    "rows that only the author knows": ("id BIGINT, shop STRING", "id", "SELECT id, shop FROM orders"),
}  # fmt: skip
REFUSED = {
    "another column": (TEXT_AND_COUNT, "n", SHOPS, "its PRIMARY KEY (n) does not identify the query's rows, whose key is (shop): declare PRIMARY KEY (shop) NOT ENFORCED, or leave PRIMARY KEY out"),
    "a group that is not selected": ("n BIGINT", "n", "SELECT COUNT(*) FROM orders GROUP BY shop", "its PRIMARY KEY (n) is no key of the query, whose columns do not identify its rows: select all columns that it groups by"),
    "part of a key": (TEXT_AND_COUNT, "shop", f"SELECT shop, n FROM {RANKED.format('ROW_NUMBER()')} WHERE n <= 3", "whose key is (shop, n): declare PRIMARY KEY (shop, n) NOT ENFORCED"),
    "equal ranks": (TEXT_AND_COUNT, "shop, n", f"SELECT shop, n FROM {RANKED.format('RANK()')} WHERE n <= 3", "is no key of the query"),
    "a join of many": (TEXT_AND_COUNT, "shop", BOTH.format(SHOPS, "INNER", SHOPS, "a.n = b.n"), "is no key of the query"),
    "a start of sessions of others": (UPDATED, "shop, e", OF_LATEST.format("window_start", SESSIONS.format("id")), "is no key of the query"),
    "a start of CUMULATE over an update table": (UPDATED, "shop, e", OF_LATEST.format("window_start", CUMULATE.replace("orders", "latest")), "is no key of the query"),
    "a place without its window": (UPDATED, "n", BEST.format("end", TUMBLE) + " WHERE n <= 3", "whose key is (shop, e) or (e, n)"),
    "a window without its groups": ("shop STRING, e TIMESTAMP(3), n BIGINT", "e", f"SELECT shop, window_end, COUNT(*) FROM {TUMBLE} GROUP BY shop, window_start, window_end", "whose key is (shop, e): declare PRIMARY KEY (shop, e) NOT ENFORCED"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAKEN)
def test_a_key_that_identifies_rows(what: str) -> None:
    columns, key, query = TAKEN[what]
    (insert,) = plan_of(inserted(columns, key, query)).inserts
    assert insert.sink.primary_key == tuple(key.split(", "))
    assert plan_of(inserted(columns, "", query)).inserts[0].sink.primary_key == ()


@pytest.mark.parametrize("what", REFUSED)
def test_a_key_that_does_not(what: str) -> None:
    columns, key, query, message = REFUSED[what]
    with pytest.raises(InputError, match=re.escape(message)):
        plan_of(inserted(columns, key, query))
    plan_of(inserted(columns, "", query))


def test_a_row_does_not_move_between_partitions() -> None:
    files = "PARTITIONED BY (n) WITH ('path' = 'told', 'format' = 'debezium-json', 'connector' = 'filesystem')"
    script = inserted(TEXT_AND_COUNT, "shop", SHOPS)
    with pytest.raises(InputError, match=r"a row can't move from one partition to another: add n to its PRIMARY KEY"):
        plan_of(script.replace("WITH ('connector' = 'print')", files))


def test_files_of_changes_take_them() -> None:
    script = inserted(TEXT_AND_COUNT, "", SHOPS, "filesystem").replace(
        "'filesystem')", "'filesystem', 'path' = 'told', 'format' = '{}')"
    )
    assert plan_of(script.format("debezium-json")).inserts[0].changes
    with pytest.raises(
        InputError,
        match=r"doesn't support consuming update changes.*or declare PRIMARY KEY \(…\) NOT ENFORCED, by which rows are "
        r"replaced, or write to connector 'print', or to files of 'format' = 'debezium-json'",
    ):
        plan_of(script.format("json"))


def test_a_file_with_a_key_is_replaced() -> None:
    script = inserted(TEXT_AND_COUNT, "shop", SHOPS, "filesystem").replace(
        "'filesystem')", "'filesystem', 'path' = 'told', 'format' = '{}')"
    )
    assert plan_of(script.format("json")).inserts[0].replaces_table
    assert plan_of(script.format("csv")).inserts[0].replaces_table
    with pytest.raises(InputError, match=r"table '_told': .*files that begin with '_' are hidden from readers"):
        plan_of(script.format("json").replace("told", "_told"))
    partitioned = script.format("json").replace("NOT ENFORCED)", "NOT ENFORCED) PARTITIONED BY (shop)")
    assert plan_of(partitioned).inserts[0].replaces_table
    with pytest.raises(InputError, match=r"a row can't move from one partition to another: add n to its PRIMARY KEY"):
        plan_of(partitioned.replace("BY (shop)", "BY (n)"))
    assert plan_of(partitioned.replace("BY (shop)", "BY (n)").replace("KEY (shop)", "KEY (shop, n)")).inserts[0].changes


WINDOWED = f"SELECT {{}}, window_end, {{}} FROM {TUMBLE} GROUP BY {{}}window_start, window_end"
TWO = f"""{ORDERS}CREATE TABLE told (shop STRING, e TIMESTAMP(3), n BIGINT{{key}}) WITH ({{connector}});
INSERT INTO told {{first}};
INSERT INTO told {{second}};
"""
FILES = "'connector' = 'filesystem', 'path' = 'told', 'format' = 'json'"


def two(first: str, second: str, key: str = "shop, e", connector: str = FILES) -> str:
    declared = f", PRIMARY KEY ({key}) NOT ENFORCED" if key else ""
    return TWO.format(first=first, second=second, key=declared, connector=connector)


def test_two_inserts_have_no_key_in_common() -> None:
    counts, most = WINDOWED.format("shop", "COUNT(*)", "shop, "), WINDOWED.format("shop", "MAX(id)", "shop, ")
    with pytest.raises(
        InputError, match=r"the INSERT of line \d+ writes into it, too.*Make them one INSERT with UNION ALL"
    ):
        plan_of(two(counts, most))
    plan_of(two(counts, most, key=""))
    plan_of(two(counts, most, connector="'connector' = 'print'"))
    plan_of(inserted("shop STRING, e TIMESTAMP(3), n BIGINT", "shop, e", f"{counts} UNION ALL {most}"))
    all_of = [WINDOWED.format(f"'{name}'", "COUNT(*)", "") for name in ("all", "none", "all")]
    plan_of(two(*all_of[:2]))
    with pytest.raises(InputError, match="a different text in each for a column of"):
        plan_of(two(*all_of[1:]).replace("'none'", "'all'"))
    with pytest.raises(InputError, match="a different text in each for a column of"):
        plan_of(two(all_of[0], counts))
