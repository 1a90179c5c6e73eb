# ruff: noqa: E501 (a row of a table is one line)
"""What is kept of rows whose windows are not complete: the columns that are read, of the rows that can matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query

OPTIONS = "WITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'json');"
TABLES = (
    "CREATE TABLE l (ts TIMESTAMP(3), item STRING, price INT, qty INT, flag BOOLEAN, a STRING, b STRING, words ARRAY<STRING>,"
    f" WATERMARK FOR ts AS ts) {OPTIONS}"
    f"CREATE TABLE r (ts TIMESTAMP(3), item STRING, price INT, qty INT, z STRING, WATERMARK FOR ts AS ts) {OPTIONS}"
    "CREATE VIEW everything AS SELECT * FROM l;"
)
TENS = "TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTES)"
LEFT, RIGHT = TENS.format("l"), TENS.format("r")
SAME = "l.item = r.item AND l.window_start = r.window_start AND l.window_end = r.window_end"
RANKED = "(SELECT {}, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS n FROM {})"
HOUR = "SUM(qty) OVER (PARTITION BY item ORDER BY ts RANGE INTERVAL '1' HOUR PRECEDING) AS total"
SESSIONS = "SESSION(TABLE l PARTITION BY item, DESCRIPTOR(ts), INTERVAL '5' MINUTES)"


def planned(query: str) -> Plan:
    return plan_query(TABLES, query, Path("/"))


def kept(operator: WindowAggregate) -> str:
    """The columns that an operator keeps, and of which rows."""
    names = [operator.written.of(field.name) or "?" for field in operator.input.fields]
    return " ".join(names) + (f" WHERE {operator.written.where}" if operator.written.where else "")


@pytest.mark.parametrize(
    ("query", "read", "keeps"),
    [
        (f"SELECT item, {HOUR} FROM l WHERE flag", "ts item qty flag", ["item WHERE flag"]),
        (f"SELECT item, total FROM (SELECT *, {HOUR} FROM l)", "ts item qty", ["ts item"]),
        (f"SELECT a AS total, {HOUR.removesuffix(' AS total')} FROM (SELECT * FROM everything)", "ts item qty a", ["a"]),
        (f"SELECT * FROM {RANKED.format('a, b', LEFT + ' WHERE flag')} WHERE n = 1", "ts price flag a b", ["price a b WHERE flag"]),
        (f"SELECT b FROM {RANKED.format('*', LEFT)} WHERE n < 3 AND qty > 1", "ts price qty b", ["price qty b"]),
        (f"SELECT a FROM {RANKED.format('a', LEFT + ' WHERE flag AND qty > 1 AND window_end > ts')} WHERE n < 3", "ts price qty flag a", ["ts price a WHERE flag AND qty > 1"]),
        (f"SELECT l.a FROM {LEFT} AS l WHERE qty > 1 AND item IN (SELECT item FROM {RIGHT} AS r WHERE {SAME} AND r.price > 2)", "ts item qty a", ["item a WHERE qty > 1", "item WHERE r.price > 2"]),
        (f"SELECT a FROM {LEFT} AS l WHERE EXISTS (SELECT * FROM {RIGHT} AS r WHERE {SAME} AND r.qty > l.qty)", "ts item qty a", ["item qty a", "item qty"]),
        (f"SELECT item, window_end, SUM(qty) FROM {SESSIONS} WHERE flag GROUP BY item, window_start, window_end", "ts item qty flag", ["item qty flag"]),
        (f"SELECT a FROM {RANKED.format('a', SESSIONS + ''' WHERE flag AND item = 'x' ''')} WHERE n = 1", "ts item price flag a", ["item price flag a WHERE item = 'x'"]),
        (f"SELECT a, MAX(price) OVER (ORDER BY window_time) FROM {LEFT} WHERE flag", "ts price flag a", ["price a WHERE flag", "a"]),
        (f"SELECT t.word, l.a FROM {LEFT} AS l JOIN {RIGHT} AS r ON {SAME} CROSS JOIN UNNEST(l.words) AS t (word)", "ts item a words", ["item a words", "item"]),
    ],
)  # fmt: skip
def test_columns_and_rows(query: str, read: str, keeps: list[str]) -> None:
    plan = planned(query)
    assert plan.source("l").columns == tuple(read.split())
    assert [kept(operator) for operator in plan.operators if operator.keeps_rows] == keeps


@pytest.mark.parametrize(
    ("join", "where", "keeps"),
    [
        ("INNER", "l.qty > 1 AND r.price > 2", ["item a WHERE l.qty > 1", "item z WHERE r.price > 2"]),
        ("LEFT", "l.qty > 1 AND r.price > 2", ["item a WHERE l.qty > 1", "item price z"]),
        ("RIGHT", "l.qty > 1 AND r.price > 2", ["item qty a", "item z WHERE r.price > 2"]),
        ("FULL", "l.qty > 1 AND r.price > 2", ["item qty a", "item price z"]),
        ("INNER", "flag AND price > 2 AND l.window_end > l.ts", None),
        ("INNER", "flag AND l.price > r.price AND l.window_end > l.ts", ["ts item price a WHERE flag", "item price z"]),
    ],
)
def test_conditions_of_a_join(join: str, where: str, keeps: list[str] | None) -> None:
    query = f"SELECT l.a, r.z FROM {LEFT} AS l {join} JOIN {RIGHT} AS r ON {SAME} WHERE {where}"
    if keeps is None:
        with pytest.raises(InputError, match="column 'price' is ambiguous"):
            planned(query)
    else:
        assert [kept(operator) for operator in planned(query).operators] == keeps


@pytest.mark.parametrize(
    ("join", "keeps"),
    [
        ("INNER", ["item a WHERE l.qty > 1", "item z WHERE r.price > 2"]),
        ("LEFT", ["item qty a", "item z WHERE r.price > 2"]),
        ("RIGHT", ["item a WHERE l.qty > 1", "item price z"]),
        ("FULL", ["item qty a", "item price z"]),
    ],
)
def test_conditions_after_on(join: str, keeps: list[str]) -> None:
    condition = f"{SAME} AND l.qty > 1 AND r.price > 2"
    plan = planned(f"SELECT l.a, r.z FROM {LEFT} AS l {join} JOIN {RIGHT} AS r ON {condition}")
    assert [kept(operator) for operator in plan.operators] == keeps


def test_a_table_with_itself_is_kept_once() -> None:
    (both,) = planned(f"SELECT l.b, r.a FROM {LEFT} AS l JOIN {LEFT} AS r ON {SAME}").operators
    assert kept(both) == "item a b"
    sinks = "".join(f"CREATE TABLE s{n} (x STRING, n BIGINT) WITH ('connector' = 'print');" for n in range(2))
    top = [f"INSERT INTO s{n} SELECT * FROM {RANKED.format(name, LEFT)} WHERE n = 1;" for n, name in enumerate("ab")]
    (shared,) = plan_script(TABLES + sinks + "".join(top), {}, "report", Path("/")).operators
    assert kept(shared) == "price a b"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT pric FROM {RANKED.format('*', LEFT)} WHERE n = 1",
        f"SELECT l.pric FROM {LEFT} AS l JOIN {RIGHT} AS r ON {SAME}",
        f"SELECT pric, {HOUR} FROM l",
    ],
)
def test_a_wrong_name_gets_the_nearest_of_all(query: str) -> None:
    with pytest.raises(InputError, match="there is no column 'pric'; did you mean 'price'"):
        planned(query)


def test_the_plan_names_filters_and_of_distinct_values() -> None:
    (over,) = describe(planned(f"SELECT item, {HOUR} FROM l WHERE flag"))["operators"]
    assert over["where"] == "flag" and over["rows_of"] == ["item STRING"]
    for call, stored in (
        ("COUNT(*)", "one partial"),
        ("COUNT(DISTINCT a)", "one partial, and the distinct values that are counted,"),
    ):
        (group,) = describe(planned(f"SELECT item, {call} FROM l GROUP BY item"))["operators"]
        assert group["stored"] == [f"{stored} of each key"]
