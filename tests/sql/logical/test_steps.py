# ruff: noqa: E501 (a query is one line)
"""Steps are a function of the nodes that a query has become, and name the operators that planning has made for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.steps import as_json
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.planner import plan_query
from tests.golden.run import Case, cases_below
from tests.golden.statements import STATEMENTS
from tests.sample import ORDERS

ROOT = Path(__file__).resolve().parents[3]
CASES = cases_below(ROOT / "tests" / "golden" / "cases")
SHOPS = "CREATE TABLE shops (id STRING, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'json');"
RANKED = "CREATE VIEW ranked AS SELECT id, shop, RANK() OVER (PARTITION BY shop ORDER BY price DESC) AS n FROM orders;"
WINDOW = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
SESSION = "TABLE(SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '1' HOUR))"


def planned(query: str) -> Plan:
    return plan_query(ORDERS + SHOPS + RANKED, query, Path("/"))


def steps_of(query: str) -> list[dict[str, Any]]:
    return as_json(planned(query).inserts[0].steps)


def operators(plan: Plan) -> set[str]:
    return {one.name for one in (*plan.operators, *plan.regroups, *plan.updating)}


def named(plan: Plan) -> set[str]:
    return {name for insert in plan.inserts for step in insert.steps for name in step.operators}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_operator_is_that_of_a_step(case: Case) -> None:
    plan = plan_query(case.ddl, case.text("query.sql"), case.directory)
    assert named(plan) == operators(plan)


def plans() -> Iterator[Plan]:
    for statement in STATEMENTS:
        try:
            yield statement.plan()
        except InputError:
            continue


def test_each_operator_of_a_statement_is_that_of_a_step() -> None:
    found = list(plans())
    assert len(found) > 80
    assert [named(plan) for plan in found] == [operators(plan) for plan in found]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM (SELECT id, shop FROM orders UNION ALL SELECT 1, id FROM shops) AS u WHERE shop IN (SELECT id FROM shops)",
        f"SELECT id, SUM(price) OVER (ORDER BY window_time) FROM {WINDOW}",
        f"SELECT id FROM {SESSION} WHERE id > 3",
        "SELECT shop, RANK() OVER (ORDER BY SUM(price)) AS r FROM orders GROUP BY shop HAVING SUM(price) > (SELECT MAX(id) FROM orders)",
        "SELECT DISTINCT shop, COUNT(*) OVER (ORDER BY price, id) FROM orders",
        "(SELECT shop FROM orders INTERSECT ALL SELECT id FROM shops) EXCEPT SELECT name FROM shops ORDER BY shop",
        "SELECT id FROM orders WHERE id NOT IN (SELECT id FROM ranked WHERE n = 1) ORDER BY price LIMIT 3",
    ],
)  # fmt: skip
def test_each_operator_of_what_is_planned_in_parts(query: str) -> None:
    plan = planned(query)
    assert named(plan) == operators(plan) != set()


def kinds(node: type[Node]) -> Iterator[str]:
    if isinstance(does := getattr(node, "does", None), str):
        yield does
    for kind in node.__subclasses__():
        yield from kinds(kind)


def test_the_reference_lists_all_kinds_of_steps() -> None:
    listed = (ROOT / "docs" / "reference" / "plan.md").read_text().partition("| `does` |")[2]
    found = {"read", "window", *kinds(Node)}
    assert len(found) > 15
    assert [one for one in sorted(found) if f"`{one}`" not in listed] == []


def test_joins_of_one_from_have_their_own_operators() -> None:
    steps = steps_of(
        "SELECT a.id FROM orders AS a JOIN shops AS b ON a.shop = b.id JOIN orders AS c ON c.shop = b.name"
    )
    joins = [step for step in steps if step["does"] == "join"]
    assert [step["operators"] for step in joins] == [["u2"], ["u3"]]


def test_a_view_that_is_planned_twice_has_its_steps_once() -> None:
    ranks, *filters, union = steps_of("SELECT id FROM ranked WHERE n < 3 UNION ALL SELECT id FROM ranked WHERE n < 5")
    assert (ranks["does"], ranks["operators"]) == ("rank", ["u1", "u2"])
    assert [(step["of"], step["where"]) for step in filters] == [
        (["step 1 (ranked)"], "n < 3"),
        (["step 1 (ranked)"], "n < 5"),
    ]
    assert union["of"] == ["step 2", "step 3"]


def test_a_query_as_a_value_is_a_step() -> None:
    value, spread = steps_of(
        "SELECT o.price - (SELECT AVG(price) FROM orders AS i WHERE i.shop = o.shop) AS d FROM orders AS o"
    )
    assert value == {
        "step": 1,
        "does": "aggregate",
        "of": ["orders AS i"],
        "where": "i.shop = o.shop",
        "gives": ["AVG(price)"],
        "operators": ["u1"],
    }
    assert spread == {
        "step": 2,
        "does": "select",
        "of": ["orders AS o", "step 1"],
        "gives": ["o.price - (step 1) AS d"],
        "operators": ["u2"],
    }


def test_each_query_of_a_condition_stands_in_its_place() -> None:
    *_, filtered = steps_of(
        "SELECT id FROM orders WHERE price > (SELECT AVG(price) FROM orders) AND shop IN (SELECT id FROM shops) AND NOT EXISTS (SELECT 1 FROM ranked WHERE ranked.id = orders.id)"
    )
    assert filtered["of"] == ["orders", "step 1", "step 2 (shops)", "step 4"]
    assert filtered["where"] == "price > (step 1) AND shop IN (step 2) AND NOT EXISTS (step 4)"
    assert filtered["operators"] == ["u2", "u4", "u6"]


def test_what_keeps_the_rows_of_windows_is_named_where_they_are_read() -> None:
    inner = f"SELECT shop FROM {WINDOW} AS r WHERE l.window_start = r.window_start AND l.window_end = r.window_end AND r.price > l.price"
    steps = steps_of(f"SELECT id FROM {WINDOW} AS l WHERE EXISTS ({inner})")
    assert [(step["does"], step["operators"]) for step in steps] == [("filter", ["w1"]), ("filter", ["w1"])]


def test_a_join_with_constants_has_no_window() -> None:
    of_window, joined, _ = steps_of(
        f"SELECT name, window_start, window_end, COUNT(*) FROM (SELECT * FROM {WINDOW}) AS o JOIN (VALUES (1, 'a')) AS v (id, name) USING (id) GROUP BY name, window_start, window_end"
    )
    assert of_window["window"] == "TUMBLE 1 hour over ts"
    assert joined == {"step": 2, "does": "join", "of": ["step 1 (o)", "VALUES"], "kind": "INNER", "using": ["id"]}
