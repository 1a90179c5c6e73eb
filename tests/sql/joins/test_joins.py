"""Joins: what WHERE asks of both sides belongs to the join, wherever it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import UpdatingJoin
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

WINDOWS = "(SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)))"
SAME = "l.window_start = r.window_start AND l.window_end = r.window_end"
NEAR = "r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' HOUR"


SHOPS = (
    "CREATE TABLE shops (shop STRING, name STRING, id INT) WITH ('connector'='filesystem', 'path'='s', 'format'='csv');"
)

TWO = "shops a JOIN shops b USING (id)"


def planned(relations: str, rest: str = "") -> Plan:
    return plan_query(ORDERS, f"SELECT l.shop, r.id FROM {relations} {rest}", Path("/"))


def joins(plan: Plan) -> list[UpdatingJoin]:
    return [one for one in plan.updating if isinstance(one, UpdatingJoin)]


@pytest.mark.parametrize(
    ("relations", "rest"),
    [
        (f"{WINDOWS} l JOIN {WINDOWS} r ON l.id = r.id AND {SAME}", ""),
        (f"{WINDOWS} l, {WINDOWS} r", f"WHERE l.id = r.id AND {SAME} AND l.shop <> 'a'"),
        (f"{WINDOWS} l CROSS JOIN {WINDOWS} r", f"WHERE {SAME}"),
        (f"{WINDOWS} l JOIN {WINDOWS} r ON l.id = r.id", f"WHERE {SAME}"),
        (f"{WINDOWS} l, {WINDOWS} r, {WINDOWS} o", f"WHERE {SAME} AND {SAME.replace('r.', 'o.')}"),
    ],
)
def test_window_joins(relations: str, rest: str) -> None:
    assert not planned(relations, rest).updating


@pytest.mark.parametrize(
    "relations", ["orders l, orders r", "orders l CROSS JOIN orders r", "orders l JOIN orders r ON TRUE"]
)
def test_interval_joins(relations: str) -> None:
    (join,) = joins(planned(relations, f"WHERE l.id = r.id AND {NEAR}"))
    assert join.interval == (-3_600_000, 0)
    assert len(join.keys) == 1


def test_what_filters_an_outer_join_is_no_condition_of_it() -> None:
    (join,) = joins(planned("orders l LEFT JOIN orders r ON l.id = r.id", "WHERE l.shop = r.shop"))
    assert len(join.keys) == 1


def test_each_join_of_three_has_its_conditions() -> None:
    keys = [
        len(join.keys) for join in joins(planned("orders l, orders r, orders o", "WHERE l.id = r.id AND o.id = r.id"))
    ]
    assert keys == [1, 1]
    below = planned(
        "orders l JOIN orders r ON TRUE LEFT JOIN orders o ON o.id = l.id", "WHERE l.id = r.id AND l.id > 3"
    )
    assert [len(join.keys) for join in joins(below)] == [1, 1]


def test_all_pairs() -> None:
    (join,) = joins(planned("orders l, orders r"))
    assert not join.keys and join.condition == "TRUE"


def test_a_column_of_both_sides_is_told_once() -> None:
    names = [
        column.name
        for column in plan_query(ORDERS, "SELECT l.id, r.id, l.id FROM orders l, orders r", Path("/"))
        .inserts[0]
        .sink.columns
    ]
    assert names == ["id", "id0", "id1"]


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT * FROM orders o JOIN shops s USING (shop)", "shop id price ts name id0"),
        ("SELECT * FROM orders o LEFT JOIN shops s USING (shop, id)", "shop id price ts name"),
        ("SELECT * FROM orders o NATURAL RIGHT OUTER JOIN shops s", "id shop price ts name"),
        ("SELECT o.*, s.id FROM orders o FULL JOIN shops s USING (id)", "id shop price ts id0"),
        (f"SELECT * FROM {TWO} JOIN shops c USING (id)", "id shop name shop0 name0 shop1 name1"),
        (f"SELECT * FROM {TWO} JOIN shops c ON a.shop = c.shop", "id shop name shop0 name0 shop1 name1 id0"),
    ],
)  # fmt: skip
def test_common_columns_stand_in_front(query: str, columns: str) -> None:
    insert = plan_query(ORDERS + SHOPS, query, Path("/")).inserts[0]
    assert [column.name for column in insert.sink.columns] == columns.split()


def test_a_common_column_has_the_type_that_both_fit_in() -> None:
    query = "SELECT id, s.id AS id_of_shop FROM orders o RIGHT JOIN shops s USING (id)"
    columns = plan_query(ORDERS + SHOPS, query, Path("/")).inserts[0].sink.columns
    assert [column.type.name for column in columns] == ["BIGINT", "INT"]


def test_a_window_join_of_common_columns_is_one() -> None:
    bounds = "window_start, window_end"
    query = f"SELECT shop, COUNT(*) FROM {WINDOWS} l JOIN {WINDOWS} r USING ({bounds}, shop) GROUP BY shop, {bounds}"
    assert not plan_query(ORDERS, query, Path("/")).updating


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        ("orders o JOIN shops s USING (name)", "there is no column 'name'"),
        ("shops s JOIN orders o USING (id, price)", "there is no column 'price'"),
        ("orders o JOIN shops s USING (id) JOIN shops t USING (shop)", "column 'shop' is ambiguous"),
        ("orders o JOIN shops s USING (id) WHERE shop = 'a'", "column 'shop' is ambiguous"),
        ("orders NATURAL CROSS JOIN shops", "expected JOIN after NATURAL"),
    ],
)
def test_columns_that_are_not_common(relations: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_query(ORDERS + SHOPS, f"SELECT * FROM {relations}", Path("/"))


def test_a_key_is_known_by_the_name_of_the_common_column() -> None:
    counts = "(SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop)"
    (insert,) = plan_query(ORDERS, f"SELECT shop FROM {counts} l JOIN {counts} r USING (shop)", Path("/")).inserts
    assert insert.key == ("shop",)


NAMES = "(VALUES (1, 'a'), (2, 'bb'), (NULL, 'c')) AS t(id, name)"


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        (f"SELECT * FROM orders o JOIN {NAMES} ON o.id = t.id", "id shop price ts id0 name"),
        (f"SELECT * FROM {NAMES} RIGHT JOIN orders o USING (id)", "id name shop price ts"),
        (f"SELECT name, shop FROM {NAMES}, orders o WHERE t.id = o.id", "name shop"),
        (f"WITH n AS (SELECT id + 1 AS id FROM {NAMES}) SELECT * FROM orders JOIN n ON TRUE", "id shop price ts id0"),
        ("VALUES (1, 2.5), (3, NULL)", "EXPR$0 EXPR$1"),
        ("SELECT 1 AS one, 'x'", "one EXPR$1"),
    ],
)  # fmt: skip
def test_constants_need_no_state(query: str, columns: str) -> None:
    plan = plan_query(ORDERS, query, Path("/"))
    assert [column.name for column in plan.inserts[0].sink.columns] == columns.split()
    assert not plan.updating and not plan.inserts[0].changes


def test_constants_below_a_window_leave_it_its_slices() -> None:
    query = f"SELECT name, COUNT(*) FROM {WINDOWS} o JOIN {NAMES} USING (id) GROUP BY name, window_start, window_end"
    (operator,) = plan_query(ORDERS, query, Path("/")).operators
    assert not operator.keeps_rows


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("VALUES (1, 2), (3)", "the rows of VALUES have different numbers of columns"),
        ("VALUES (1), ('a')", r"column 9: the values of a column of VALUES have different types: INT, CHAR\(1\)"),
        ("SELECT *", r"SELECT \* needs FROM"),
    ],
)
def test_constants_that_do_not_fit(query: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_query(ORDERS, query, Path("/"))


def test_what_a_row_becomes_has_no_key() -> None:
    counts = "(SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop)"
    relations = f"{counts} a CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (x) JOIN orders o ON o.shop = a.shop"
    (insert,) = plan_query(ORDERS, f"SELECT a.shop, x, o.id FROM {relations}", Path("/")).inserts
    assert insert.key is None
