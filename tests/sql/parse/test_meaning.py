"""The meaning of a query: each change of its syntax tree is seen, blanks and aliases of tables are not."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from airflow_nrt.basics.types import DataType
from airflow_nrt.home.identity.fingerprint import changes_between, fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.meaning import meaning_of
from airflow_nrt.sql.parse.statements import parse_query
from tests.sample import ORDERS, REPORT, plan_of

QUERIES = (
    """WITH a (x, y) AS (SELECT id, shop FROM orders), b AS (SELECT * FROM a)
    SELECT DISTINCT o.id AS n, b.*, -price + 2 * 3, CASE shop WHEN 'a' THEN 1 WHEN 'b' THEN 2 ELSE 3 END,
        CASE WHEN id > 1 THEN 'x' END, CAST(id AS STRING), TRY_CAST(shop AS INT), tags[1], m[1].name,
        EXTRACT(DAY FROM ts),
        COUNT(DISTINCT id) FILTER (WHERE id > 3), LISTAGG(shop, ',') WITHIN GROUP (ORDER BY id DESC NULLS LAST)
    FROM orders o LEFT JOIN b USING (shop, x) JOIN c ON o.id = c.id NATURAL JOIN d
        JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id
        CROSS JOIN UNNEST(o.tags) WITH ORDINALITY AS t (tag, n) LEFT JOIN LATERAL TABLE(f(o.id)) AS g (v) ON TRUE,
        (SELECT id FROM e) AS sub (k)
    WHERE id BETWEEN 1 AND 10 AND shop NOT IN ('a', 'b') AND id IN (SELECT id FROM f) AND shop LIKE 'a!%' ESCAPE '!'
        AND shop SIMILAR TO 'b+' AND shop IS NOT NULL AND EXISTS (SELECT 1 FROM g WHERE g.id = o.id)
        AND price > (SELECT MAX(price) FROM h) AND ts > TIMESTAMP '2024-01-01 00:00:00' - INTERVAL '1 02' DAY(2) TO HOUR
    GROUP BY GROUPING SETS ((id), (id, shop)), price
    HAVING COUNT(*) > 1
    ORDER BY n DESC, shop NULLS FIRST LIMIT 3 OFFSET 2""",
    """SELECT SUM(v) OVER w, COUNT(*) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
        LAG(v, 1) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND UNBOUNDED FOLLOWING)
    FROM t WHERE v > ALL (SELECT v FROM u) AND (ts - started) DAY TO SECOND > INTERVAL '1' DAY
    WINDOW w AS (PARTITION BY k ORDER BY ts)""",
    """SELECT k, window_end, COUNT(*)
    FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), GAP => INTERVAL '5' MINUTE)) s
    GROUP BY k, window_start, window_end
    UNION ALL SELECT k, ts, n FROM (VALUES (1, TIMESTAMP '2024-01-01 00:00:00', 2)) v (k, ts, n) LIMIT 5""",
)
TREES = tuple(map(parse_query, QUERIES))
WITHOUT_A_MEANING = {
    ("TableName", "alias"), ("Derived", "alias"), ("FunctionTable", "alias"), ("Lateral", "alias"),
    ("TableName", "options"), ("TableVersion", "alias"), ("TableVersion", "options"), ("Frame", "text"),
    ("Literal", "kind"),
}  # fmt: skip
"""Aliases of tables are in what they qualify, OPTIONS are in a table's facts, a frame's bounds are its text, and the
quotes of a literal say its kind."""


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, tuple):
        for place, one in enumerate(value):
            yield from nodes(one, (*path, place))
    elif is_dataclass(value) and not isinstance(value, (Place, DataType)):
        yield path, value
        for field in fields(value):
            yield from nodes(getattr(value, field.name), (*path, field.name))


def placed(whole: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return (*whole[:first], placed(whole[first], rest, value), *whole[first + 1 :])
    return replace(whole, **{first: placed(getattr(whole, first), rest, value)})


def another(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case str():
            return f"{value}x"
        case DataType():
            return replace(value, nullable=not value.nullable)
        case tuple() if value:
            return value[:-1]
    return None


NODES = [(tree, path, node) for tree in TREES for path, node in nodes(tree)]
KINDS = sorted({type(node) for _, _, node in NODES}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_node_is_in_the_words(kind: type) -> None:
    for field in fields(kind):
        if not field.compare or (kind.__name__, field.name) in WITHOUT_A_MEANING:
            continue
        for tree, path, node in NODES:
            other = another(getattr(node, field.name)) if type(node) is kind else None
            if other is not None:
                assert meaning_of(placed(tree, (*path, field.name), other), {}) != meaning_of(tree, {}), (
                    node,
                    field.name,
                )


def test_the_queries_have_every_node() -> None:
    declared = {one for one in vars(ast).values() if dataclasses.is_dataclass(one) and one.__module__ == ast.__name__}
    # A planner makes Absent of grouping sets, and Uuid of calls.
    assert {one.__name__ for one in declared - set(KINDS)} <= {"Absent", "Uuid"}


def over(frame: str) -> Plan:
    report = "CREATE TABLE told (id BIGINT, n BIGINT) WITH ('connector' = 'print');\nINSERT INTO told "
    query = f"SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY ts {frame}) AS n FROM orders;"
    return plan_of(ORDERS + report + query)


ROWS = "ROWS BETWEEN {} PRECEDING AND CURRENT ROW"
RANGE = "RANGE BETWEEN INTERVAL '{}' HOUR PRECEDING AND CURRENT ROW"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ROWS.format(1), ROWS.format(2)),
        (RANGE.format(1), RANGE.format(2)),
        (ROWS.format("UNBOUNDED"), RANGE.format(1)),
        (ROWS.format("UNBOUNDED"), "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
    ],
)
def test_another_frame_is_another_meaning(one: str, other: str) -> None:
    (change,) = changes_between(over(one), over(other))
    assert change.startswith("insert into told, SELECT 2 was: COUNT(*) OVER (PARTITION BY shop ORDER BY ts R")


JOINED = """CREATE TABLE pairs (a BIGINT, b BIGINT) WITH ('connector' = 'print');
SET 'table.exec.state.ttl' = '1 h';
INSERT INTO pairs SELECT {a}.id, {b}.id
FROM orders {a} JOIN orders AS {b} ON {a}.shop = {b}.shop WHERE {a}.price > 3;"""
REWRITES = {
    "blanks and comments": (REPORT, REPORT.replace(" ", "  /* ; */ ")),
    "lines": (REPORT, REPORT.replace("\n", "\r\n\n")),
    "case of keywords": (REPORT, REPORT.replace("SELECT", "select").replace("GROUP BY", "group  by")),
    "order of options": (
        REPORT,
        REPORT.replace(
            "'connector' = 'filesystem', 'path' = 'orders'", "'path' = 'orders', 'connector' = 'filesystem'"
        ),
    ),
    "an alias": (REPORT, REPORT.replace("SUM(price)", "SUM(w.price)").replace("HOUR))", "HOUR)) AS w")),
    "aliases of a join": (ORDERS + JOINED.format(a="x", b="y"), ORDERS + JOINED.format(a="one", b="two")),
}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_what_is_written_otherwise_and_means_the_same(rewrite: str) -> None:
    one, other = map(plan_of, REWRITES[rewrite])
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT `a.b` FROM t", "SELECT a.b FROM t"),
        (
            "SELECT 1 FROM t GROUP BY GROUPING SETS ((a), (a, b))",
            "SELECT 1 FROM t GROUP BY GROUPING SETS ((a, a), (b))",
        ),
        ("SELECT a - (b - c) FROM t", "SELECT a - b - c FROM t"),
        ("SELECT '1' FROM t", "SELECT 1 FROM t"),
        ("SELECT a.x FROM t a JOIN t b ON a.k = b.k", "SELECT b.x FROM t a JOIN t b ON a.k = b.k"),
    ],
)
def test_words_are_not_ambiguous(one: str, other: str) -> None:
    assert meaning_of(parse_query(one), {}) != meaning_of(parse_query(other), {})


def test_a_view_that_is_read_counts_and_one_that_is_not_does_not() -> None:
    view = "CREATE VIEW v AS SELECT id, shop FROM orders WHERE price > {};\n"
    read = "CREATE TABLE told (id BIGINT) WITH ('connector' = 'print');\nINSERT INTO told SELECT id FROM v;"
    one, other = (plan_of(ORDERS + view.format(price) + read) for price in (1, 2))
    assert changes_between(one, other) == ["insert into told, view v, WHERE was: price > 1; now: price > 2"]
    unread = [plan_of(ORDERS + view.format(price) + REPORT.removeprefix(ORDERS)) for price in (1, 2)]
    assert fingerprint(unread[0]) == fingerprint(unread[1])


def test_a_query_inside_may_have_the_name_of_what_it_reads() -> None:
    query = parse_query("WITH t AS (SELECT id FROM t WHERE id > 1) SELECT id FROM t")
    assert dict(meaning_of(query, {})) == {
        "SELECT 1": "id", "FROM": "t", "WITH t, SELECT 1": "id", "WITH t, FROM": "t", "WITH t, WHERE": "id > 1",
    }  # fmt: skip


PAIRS = """CREATE TABLE one (n BIGINT) WITH ('connector' = 'print');
CREATE TABLE two (n BIGINT) WITH ('connector' = 'print');
SET 'table.exec.state.ttl' = '1 h';
"""
COUNTED = "INSERT INTO {} SELECT COUNT(*) FROM orders WHERE shop = '{}';\n"
COMPUTED = """CREATE TABLE calc (a BIGINT, b BIGINT, ts TIMESTAMP(3), id AS {} + 0, WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'calc', 'format' = 'json');
CREATE TABLE told (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'print');
INSERT INTO told SELECT id, ts FROM calc;"""
TWO = """CREATE TABLE told ({}) WITH ('connector' = 'print');
INSERT INTO told SELECT id, id + 1 FROM orders;"""
STAR = """CREATE TABLE told (x BIGINT, y BIGINT) WITH ('connector' = 'print');
CREATE TABLE pairs ({}) WITH ('connector' = 'filesystem', 'path' = 'pairs', 'format' = 'json');
INSERT INTO told SELECT * FROM pairs;"""
EXISTS = """CREATE TABLE told (id BIGINT) WITH ('connector' = 'print'); SET 'table.exec.state.ttl' = '1 h';
INSERT INTO told SELECT id FROM orders a WHERE EXISTS (SELECT 1 FROM orders b WHERE b.id = a.id AND {});"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Operators, and so their states, are numbered as the inserts stand.
        (
            ORDERS + PAIRS + COUNTED.format("one", "x") + COUNTED.format("two", "y"),
            ORDERS + PAIRS + COUNTED.format("two", "y") + COUNTED.format("one", "x"),
        ),
        (ORDERS + TWO.format("c BIGINT, d BIGINT"), ORDERS + TWO.format("d BIGINT, c BIGINT")),
        (STAR.format("a BIGINT, b BIGINT"), STAR.format("b BIGINT, a BIGINT")),
        (COMPUTED.format("a"), COMPUTED.format("b")),
        (COMPUTED.format("a"), COMPUTED.format("a").replace("a BIGINT", "a INT")),
        (ORDERS + EXISTS.format("b.price > a.price"), ORDERS + EXISTS.format("a.price > b.price")),
    ],
)
def test_what_looks_alike_and_is_another_meaning(one: str, other: str) -> None:
    assert changes_between(plan_of(one), plan_of(other))


def test_an_alias_in_quotes() -> None:
    one, other = (ORDERS + JOINED.format(a=name, b="other") for name in ("one", "`the one`"))
    assert fingerprint(plan_of(one)) == fingerprint(plan_of(other))
