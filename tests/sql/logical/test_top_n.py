"""A condition of WHERE on a rank becomes part of it, for the planner and in the plan that is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.updating import UpdatingRows
from airflow_nrt.sql.logical.filter import Filter
from airflow_nrt.sql.logical.named import Derived, View
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.project import Project
from airflow_nrt.sql.logical.rank import Deduplicate, Rank, TopN
from airflow_nrt.sql.logical.scan import Scan
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.logical.top_n import limit_of, with_top_n
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.statements import parse_query
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

RANKS = "SELECT id, {}() OVER (PARTITION BY shop ORDER BY price DESC) AS n FROM orders"


def where(condition: str) -> ast.Expression:
    query = parse_query(f"SELECT 1 FROM t WHERE {condition}")
    assert isinstance(query, ast.Select) and query.where is not None
    return query.where


def ranks(call: str = "ROW_NUMBER") -> tuple[ast.Select, Rank]:
    query = parse_query(RANKS.format(call))
    assert isinstance(query, ast.Select)
    node = selected(query, Scan("orders"), ("u1",))
    assert isinstance(node, Rank)
    return query, node


@pytest.mark.parametrize(
    ("condition", "limit"),
    [
        ("n <= 3", 3),
        ("n < 3", 2),
        ("3 > r.n", 2),
        ("n = 1 AND id > 7", 1),
        ("n BETWEEN 2 AND 5", 5),
        ("n < 9 AND n <= 4", 4),
        ("n > 3", None),
        ("n NOT BETWEEN 2 AND 5", None),
        ("n < 3 OR id = 1", None),
        ("m < 3", None),
        ("other.n < 3", None),
    ],
)
def test_the_greatest_rank_that_a_condition_lets_pass(condition: str, limit: int | None) -> None:
    assert limit_of(where(condition), "n", "r") == limit


@pytest.mark.parametrize(
    ("call", "condition", "kind"),
    [
        ("ROW_NUMBER", "n = 1", Deduplicate),
        ("RANK", "n = 1", TopN),
        ("ROW_NUMBER", "n <= 2", TopN),
        ("ROW_NUMBER", "n > 2", TopN),
    ],
)
def test_a_filter_of_ranks_is_a_top_n(call: str, condition: str, kind: type[TopN]) -> None:
    query, rank = ranks(call)
    derived = with_top_n(Filter(Derived(rank, query, None), where(condition)))
    assert isinstance(derived, Derived)
    assert type(derived.input) is kind and derived.input.operators == ("u1",)


def test_what_else_the_filter_asks_stays_above() -> None:
    query, rank = ranks()
    everything = parse_query("SELECT * FROM r")
    assert isinstance(everything, ast.Select)
    passed = Project(Derived(rank, query, "r"), everything.items)
    node = with_top_n(Filter(Derived(passed, everything, "s"), where("n < 3 AND id > 7")))
    assert isinstance(node, Filter) and node.condition == where("id > 7")
    below: Node = node
    while not isinstance(below, TopN):
        (below,) = below.inputs
    assert below.facts[-2:] == (("keeps", "n < 3"), ("limit", 2))


def test_a_view_stays_a_ranking() -> None:
    query, rank = ranks()
    for rows in (View(rank, query, "ranked", "r"), Derived(View(rank, query, "ranked", "r"), query, None)):
        node = Filter(rows, where("n < 3"))
        assert with_top_n(node) is node


def test_a_list_of_names_hides_the_limit() -> None:
    query, rank = ranks()
    derived = with_top_n(Filter(Derived(rank, query, "r", ("id", "n")), where("n = 1")))
    assert isinstance(derived, Derived) and derived.input.facts[-1] == ("keeps", "n = 1")


@pytest.mark.parametrize(("condition", "limit"), [("n < 3", 2), ("n BETWEEN 1 AND 4 AND id > 7", 4), ("n > 3", None)])
def test_so_many_rows_are_kept(condition: str, limit: int | None) -> None:
    (operator,) = plan_query(ORDERS, f"SELECT id FROM ({RANKS.format('RANK')}) WHERE {condition}", Path("/")).updating
    assert isinstance(operator, UpdatingRows) and operator.limit == limit
