# ruff: noqa: E501 (a row of a table is one line)
"""`airflow-nrt plan` says what a report does in the report's own words; `docs/reference/plan.md` shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.place import REPORT
from tests.sample import ORDERS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
WINDOW = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
SHOPS = "CREATE TABLE shops (id STRING, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'json');\n"
COUNTED = f"SELECT shop, window_start, window_end, COUNT(*) AS n FROM {WINDOW} GROUP BY shop, window_start, window_end"


def test_the_documentation_shows_what_is_printed(command: Command, tmp_path: Path) -> None:
    report, shown = re.findall(r"```(?:sql|text)\n([^`]*)```", TEXT)
    (tmp_path / "top100.sql").write_text(report)
    assert command("plan", tmp_path / "top100.sql").out == shown


def planned(command: Command, place: Path, query: str, columns: str) -> dict[str, Any]:
    sink = f"CREATE TABLE told ({columns}) WITH ('connector' = 'print');\n"
    (place / "report.sql").write_text(f"{ORDERS}{SHOPS}{sink}INSERT INTO told {query};")
    answer = command("plan", place / "report.sql", "--json")
    assert answer.status == 0, answer.err
    plan: dict[str, Any] = json.loads(answer.out)
    assert not re.search(r'"[cgkov]\d+ ', answer.out), "a name that nobody wrote"
    return plan


STEPS = {
    "a table": ("SELECT id FROM orders", "id BIGINT", [{"does": "read", "of": ["orders"]}]),
    "conditions keep their parentheses": (
        "SELECT id FROM orders AS o WHERE (o.id > 1 OR shop = 'a') AND NOT (price > 2 AND id - (id - 1) = 1)",
        "id BIGINT",
        [{"does": "filter", "of": ["orders AS o"], "where": "(o.id > 1 OR shop = 'a') AND NOT (price > 2 AND id - (id - 1) = 1)"}],
    ),
    "groups of windows": (
        f"SELECT window_end, MAX(n) AS most FROM ({COUNTED}) AS c WHERE n > 1 GROUP BY window_start, window_end HAVING MAX(n) < 9",
        "window_end TIMESTAMP(3), most BIGINT",
        [
            {"does": "aggregate", "of": ["orders"], "window": "TUMBLE 1 hour over ts", "group_by": ["shop", "window_start", "window_end"], "gives": ["COUNT(*) AS n"], "operators": ["w1"], "called": "c"},
            {"does": "aggregate", "of": ["step 1 (c)"], "where": "n > 1", "group_by": ["window_start", "window_end"], "gives": ["MAX(n) AS most"], "having": "MAX(n) < 9", "operators": ["g1"]},
        ],
    ),
    "a regular join": (
        "SELECT o.id, s.name FROM orders AS o LEFT JOIN shops AS s ON o.shop = s.id",
        "id BIGINT, name STRING",
        [
            {"does": "newest rows", "of": ["shops AS s"], "of_each": ["id"], "operators": ["u1"], "called": "s"},
            {"does": "join", "of": ["orders AS o", "step 1 (s)"], "kind": "LEFT", "on": "o.shop = s.id", "operators": ["u2"]},
        ],
    ),
    "a window join": (
        f"SELECT l.shop, r.id FROM (SELECT * FROM {WINDOW}) AS l JOIN (SELECT * FROM {WINDOW}) AS r ON l.shop = r.shop AND l.window_start = r.window_start AND l.window_end = r.window_end",
        "shop STRING, id BIGINT",
        [
            {"does": "window", "of": ["orders"], "window": "TUMBLE 1 hour over ts", "operators": ["w1"], "called": "l"},
            {"does": "window", "of": ["orders"], "window": "TUMBLE 1 hour over ts", "operators": ["w1"], "called": "r"},
            {"does": "window join", "of": ["step 1 (l)", "step 2 (r)"], "kind": "INNER", "on": "l.shop = r.shop AND l.window_start = r.window_start AND l.window_end = r.window_end", "in": "the same window, TUMBLE 1 hour over ts"},
        ],
    ),
    "deduplication in windows": (
        f"SELECT shop, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, shop ORDER BY ts DESC) AS n FROM {WINDOW}) WHERE n = 1",
        "shop STRING, id BIGINT",
        [{"does": "deduplicate", "of": ["orders"], "window": "TUMBLE 1 hour over ts", "rank": "ROW_NUMBER() OVER (PARTITION BY window_start, window_end, shop ORDER BY ts DESC) AS n", "partition_by": ["window_start", "window_end", "shop"], "order_by": "ts DESC", "as": "n", "keeps": "n = 1", "limit": 1, "operators": ["w1"]}],
    ),
    "a Top-N and a filter": (
        "SELECT shop, id FROM (SELECT *, RANK() OVER (PARTITION BY shop ORDER BY price DESC, id) AS n FROM orders) WHERE n < 4 AND id > 7",
        "shop STRING, id BIGINT",
        [
            {"does": "top-n", "of": ["orders"], "rank": "RANK() OVER (PARTITION BY shop ORDER BY price DESC, id) AS n", "partition_by": ["shop"], "order_by": "price DESC, id", "as": "n", "keeps": "n < 4", "limit": 3, "operators": ["u1"]},
            {"does": "filter", "of": ["step 1"], "where": "id > 7"},
        ],
    ),
    "OVER": (
        "SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY ts) AS so_far FROM orders",
        "id BIGINT, so_far DECIMAL(38, 2)",
        [{"does": "over", "of": ["orders"], "over": ["SUM(price) OVER (PARTITION BY shop ORDER BY ts) AS so_far"], "operators": ["w1"]}],
    ),
    "a union": (
        "SELECT id FROM orders WHERE id > 1 UNION ALL SELECT CASE WHEN id > 5 THEN 5 ELSE id END AS id FROM orders",
        "id BIGINT",
        [
            {"does": "filter", "of": ["orders"], "where": "id > 1"},
            {"does": "select", "of": ["orders"], "gives": ["CASE WHEN id > 5 THEN 5 ELSE id END AS id"]},
            {"does": "union all", "of": ["step 1", "step 2"]},
        ],
    ),
    "a subquery": (
        f"SELECT shop FROM (SELECT * FROM {WINDOW}) AS l WHERE shop IN (SELECT shop FROM ({COUNTED}) AS r WHERE l.window_start = r.window_start AND l.window_end = r.window_end)",
        "shop STRING",
        [
            {"does": "window", "of": ["orders"], "window": "TUMBLE 1 hour over ts", "operators": ["w1"], "called": "l"},
            {"does": "aggregate", "of": ["orders"], "window": "TUMBLE 1 hour over ts", "group_by": ["shop", "window_start", "window_end"], "gives": ["COUNT(*) AS n"], "operators": ["w2"], "called": "r"},
            {"does": "filter", "of": ["step 2 (r)"], "where": "l.window_start = r.window_start AND l.window_end = r.window_end"},
            {"does": "filter", "of": ["step 1 (l)", "step 3"], "where": "shop IN (step 3)"},
        ],
    ),
    "LIMIT": ("SELECT id FROM orders ORDER BY price DESC LIMIT 3", "id BIGINT", [{"does": "limit", "of": ["orders"], "order_by": "price DESC", "limit": "3", "operators": ["u1"]}]),
}  # fmt: skip


@pytest.mark.parametrize("what", STEPS)
def test_the_steps_of_an_insert(command: Command, tmp_path: Path, what: str) -> None:
    query, columns, steps = STEPS[what]
    (insert,) = planned(command, tmp_path, query, columns)["inserts"]
    assert insert["steps"] == [{"step": n, **step} for n, step in enumerate(steps, 1)]


def test_a_view_is_told_once(command: Command, tmp_path: Path) -> None:
    query = f"WITH c AS ({COUNTED}) SELECT a.n, b.shop FROM c AS a JOIN c AS b ON a.window_start = b.window_start AND a.window_end = b.window_end"
    (insert,) = planned(command, tmp_path, query, "n BIGINT, shop STRING")["inserts"]
    assert [(step["does"], step["of"]) for step in insert["steps"]] == [
        ("aggregate", ["orders"]),
        ("window join", ["step 1 (c) AS a", "step 1 (c) AS b"]),
    ]


PROGRAM = """
from airflow_nrt.table import *
def build(t_env):
    t_env.execute_sql('''{ORDERS}''')
    t_env.execute_sql("CREATE TABLE told (shop STRING, n BIGINT) WITH ('connector' = 'print')")
    hours = Tumble.over(lit(1).hours).on(col("ts")).alias("w")
    cheap = t_env.from_path("orders").filter(col("price") < 3).window(hours).group_by(col("w"), col("shop"))
    cheap.select(col("shop"), col("id").count.alias("n")).execute_insert("told")
"""


def test_a_program_is_told_as_the_sql_that_it_means(command: Command, tmp_path: Path) -> None:
    (tmp_path / "report.py").write_text(PROGRAM.replace("{ORDERS}", ORDERS.replace(";", "")))
    (insert,) = json.loads(command("plan", tmp_path / "report.py", "--json").out)["inserts"]
    step = {"step": 1, "does": "aggregate", "of": ["orders"], "where": "price < 3", "operators": ["w1"]}
    assert insert["steps"] == [
        {**step, "group_by": ["TUMBLE(ts, INTERVAL '1' HOUR)", "shop"], "gives": ["COUNT(id) AS n"]}
    ]


def test_an_operator_says_what_it_reads(command: Command, tmp_path: Path) -> None:
    query = "SELECT shop, SUM(price * (1 + id)) FROM orders AS o WHERE o.price > 1 GROUP BY o.shop"
    (operator,) = planned(command, tmp_path, query, "shop STRING, total DECIMAL(38, 2)")["operators"]
    told = {name: operator[name] for name in ("reads", "columns", "where", "keys", "aggregates")}
    assert told == {
        "reads": ["orders"],
        "columns": ["id", "shop", "price"],
        "where": "price > 1",
        "keys": ["shop STRING"],
        "aggregates": ["SUM(price * (1 + id)): DECIMAL(38, 2)"],
    }


def test_an_operator_that_keeps_rows_says_which(command: Command, tmp_path: Path) -> None:
    query = "SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY ts) FROM orders"
    (operator,) = planned(command, tmp_path, query, "id BIGINT, n BIGINT")["operators"]
    assert operator["rows_of"] == ["id BIGINT"]
    assert operator["frames"] == ["PARTITION BY shop, RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"]


def test_inserts_that_share_an_operator_both_name_it(command: Command, tmp_path: Path) -> None:
    sums = COUNTED.replace("COUNT(*) AS n", "SUM(price) AS s")
    plan = planned(
        command,
        tmp_path,
        f"SELECT a.n, b.s FROM ({COUNTED}) AS a JOIN ({sums}) AS b ON a.shop = b.shop AND "
        "a.window_start = b.window_start AND a.window_end = b.window_end",
        "n BIGINT, s DECIMAL(38, 2)",
    )
    assert [step.get("operators") for step in plan["inserts"][0]["steps"]] == [["w1"], ["w1"], None]
    assert plan["operators"][0]["columns"] == ["shop", "price"]


@pytest.mark.parametrize("alone", ["--start", "--end"])
def test_an_interval_has_two_ends(command: Command, tmp_path: Path, alone: str) -> None:
    (tmp_path / "report.sql").write_text(
        ORDERS + "CREATE TABLE told (id BIGINT) WITH ('connector' = 'print'); INSERT INTO told SELECT id FROM orders;"
    )
    answer = command("plan", tmp_path / "report.sql", alone, "2024-06-18 00:00")
    assert answer.status == 2
    assert "--start and --end name an interval together: give both, or none" in answer.err


# ---------------------------------------------------------------------------------------------------- against a home


@pytest.fixture
def changed(streamed: Path, tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes the streamed report with a change into another directory; gives its path. It has the same places."""
    script = REPORT.replace("'orders'", f"'{streamed}/orders'").replace("'curve', 'f", f"'{streamed}/curve', 'f")

    def write(old: str, new: str) -> Path:
        assert not old or old in script
        (tmp_path / "curve.sql").write_text(script.replace(old, new) if old else new + script)
        return tmp_path / "curve.sql"

    return write


REFUSED = (
    "the next driver refuses this report in this home. Ways out: let a driver compute the changed report beside the one "
    "that counts, until it takes its place (--on-change rebuild), start it in a new home, with other tables for its "
    "results, or undo the change."
)
Changed = Callable[[str, str], Path]


def test_a_change_that_needs_the_past(command: Command, streamed: Path, changed: Changed) -> None:
    before = {path: path.stat().st_mtime_ns for path in (streamed / "home").rglob("*")}
    answer = command("plan", changed("SUM(price)", "SUM(price * id)"), "--against", streamed / "home")
    kind, detail, driver = answer.out.splitlines()
    assert kind.startswith("curve: recomputed from the first row on (2024-06-18 10:00:00), about 7 rows and ")
    assert (detail, driver, answer.err) == ("  gmv: SUM(price) -> SUM(price * id)", REFUSED, "")
    assert answer.status == 4
    assert {path: path.stat().st_mtime_ns for path in (streamed / "home").rglob("*")} == before


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("", "-- a comment\n", ["curve: as it was", "the text: metadata alone: it is spelled otherwise, and means the same"]),
        ("'200 ms'", "'1 s'", ["curve: metadata alone: what is published stays as it is", "  orders, option source.monitor-interval: 200 ms -> 1 s (from the next driver on)"]),
    ],
)  # fmt: skip
def test_a_change_that_a_driver_takes(
    command: Command, streamed: Path, changed: Changed, old: str, new: str, lines: list[str]
) -> None:
    answer = command("plan", changed(old, new), "--against", streamed / "home")
    assert (answer.status, answer.out.splitlines()) == (0, [*lines, "the next driver goes on with this home"])


def test_an_added_insert(command: Command, streamed: Path, changed: Changed) -> None:
    report = changed("", "")
    table, insert = re.findall(r"(?:CREATE TABLE curve|INSERT INTO curve).*?;", report.read_text(), re.DOTALL)
    table = table.replace("curve", "more").replace(f"{streamed}/", f"{report.parent}/")
    report.write_text(report.read_text() + table + insert.replace("INTO curve", "INTO more"))
    answer = command("plan", report, "--against", streamed / "home")
    assert answer.status == 0 and answer.out.splitlines()[1:] == [
        "more: added: filled with the windows of curve",
        "the next driver goes on with this home, and fills more with the windows of curve",
    ]


def test_a_change_as_json(command: Command, streamed: Path, changed: Changed) -> None:
    answer = command(
        "plan", changed("window_end;", "window_end HAVING COUNT(*) > 1;"), "--against", streamed / "home", "--json"
    )
    assert answer.status == 4
    told = json.loads(answer.out)
    (insert,) = told["inserts"]
    assert (insert["insert"], insert["kind"], insert["accepted"]) == ("curve", "state can be kept", False)
    assert insert["changes"] == ["+ HAVING: COUNT(*) > 1"]
    assert told["driver"] == {"does": "refuses", "text": REFUSED, "rebuilds": True}


def test_a_check_ends_with_what_changes(command: Command, streamed: Path, changed: Changed) -> None:
    report = changed("SUM(price)", "SUM(price * id)")
    answer = command("check", report, "--home", streamed / "home")
    assert answer.status == 2
    assert (
        answer.err
        == f"{report}: the report 'curve' computes something else than when its home {streamed / 'home'} was made\n"
    )
    plan = command("plan", report, "--against", streamed / "home")
    assert answer.out.splitlines() == [f"{report}: {line}" for line in plan.out.splitlines()]
    same = streamed / "curve.sql"
    fine = command("check", same, "--home", streamed / "home")
    assert fine.status == 0 and fine.out.splitlines()[-2:] == [
        f"{same}: curve: as it was",
        f"{same}: the next driver goes on with this home",
    ]


def test_what_is_no_comparison(command: Command, streamed: Path, changed: Changed, tmp_path: Path) -> None:
    report = changed("", "")
    for rest in (("--rate", "5"), ("--start", "2024-06-18", "--end", "2024-06-19")):
        answer = command("plan", report, "--against", streamed / "home", *rest)
        assert answer.status == 2 and "--against compares reports" in answer.err
    answer = command("plan", report, "--against", tmp_path / "nowhere")
    assert answer.status == 2 and "is no home of a report" in answer.err
    answer = command("plan", report, "--against", streamed / "home", "--set", "pipeline.name=other")
    assert answer.status == 2 and "is the home of the report 'curve', not of 'other'" in answer.err
