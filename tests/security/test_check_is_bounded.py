"""A script that somebody sends costs no more than its size: not by what it doubles, repeats, nests or gets wrong."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import MOST_PROBLEMS, SqlError, SqlErrors
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.parse.words.lexer import tokenize
from airflow_nrt.sql.select import SelectPlanner

GENEROUS = 20
"""Seconds. What stands here took minutes, or all memory."""
TABLES = """
CREATE TABLE t (k STRING, b BOOLEAN, v BIGINT, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'csv');
CREATE TABLE texts (k STRING) WITH ('connector' = 'print');
CREATE TABLE numbers (v BIGINT) WITH ('connector' = 'print');
"""
WINDOWED = """SELECT k, window_start, window_end, SUM(v) AS v
FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY k, window_start, window_end"""


def planned(script: str, **settings: str) -> Plan:
    return plan_script(TABLES + script, {name.replace("_", "."): text for name, text in settings.items()}, "r", Path())


def problem_of(script: str) -> str:
    with pytest.raises((SqlError, SqlErrors)) as wrong:
        plan_script(TABLES + script, {}, "r", Path())
    return str(wrong.value)


@pytest.fixture(autouse=True)
def in_time() -> object:
    started = time.process_time()
    yield
    assert time.process_time() - started < GENEROUS


def doubled(first: str, step: str, count: int) -> str:
    """Views of which each reads the one before twice."""
    steps = [step.replace("<before>", f"v{n}") for n in range(count)]
    return "".join(f"CREATE VIEW v{n} AS {query};\n" for n, query in enumerate([first, *steps]))


JOINED = "SELECT a.k, a.v + b.v AS v FROM <before> a JOIN <before> b ON a.k = b.k"


@pytest.mark.parametrize("count", [22, 40])
def test_views_that_double_are_planned_once(count: int) -> None:
    plan = planned(f"{doubled('SELECT k, v FROM t', JOINED, count)} INSERT INTO numbers SELECT v FROM v{count};")
    assert len(plan.updating) == count


def test_each_view_is_planned_once_where_it_is_declared_and_once_where_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []
    select = SelectPlanner.relation
    monkeypatch.setattr(SelectPlanner, "relation", lambda self, *given: (calls.append(given), select(self, *given))[1])
    planned(doubled("SELECT k, v FROM t", JOINED, 12) + "INSERT INTO numbers SELECT v FROM v12;")
    assert len(calls) == 2 * 13 + 1


@pytest.mark.parametrize(
    ("first", "step"),
    [
        (WINDOWED, "SELECT a.k, a.window_start, a.window_end, a.v + b.v AS v FROM <before> a JOIN <before> b ON "
         "a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end"),
        (WINDOWED, "SELECT * FROM <before> UNION ALL SELECT * FROM <before>"),
        ("SELECT k, v FROM t", "SELECT k, v FROM <before> UNION ALL SELECT k, v FROM <before>"),
        ("SELECT k, v FROM t", "SELECT k, v FROM <before> WHERE v = 1 UNION ALL SELECT * FROM <before> WHERE k = 'a'"),
    ],
    ids=["window join", "union of windows", "union", "union of different parts"],
)  # fmt: skip
def test_sql_that_doubles_ends_at_the_limit_of_nodes(first: str, step: str) -> None:
    script = doubled(first, step, 22) + "INSERT INTO numbers SELECT v FROM v22;"
    assert "the limit is 2000" in (text := problem_of(script)) and "SET 'plan.max-nodes'" in text


def test_a_smaller_plan_is_as_the_option_allows() -> None:
    script = doubled("SELECT k, v FROM t", "SELECT k, v FROM <before> UNION ALL SELECT k, v FROM <before>", 3)
    script += "INSERT INTO numbers SELECT v FROM v3;"
    assert planned(script).inserts
    with pytest.raises((SqlError, SqlErrors), match="the limit is 20"):
        planned("SET 'plan.max-nodes' = '20';\n" + script)


@pytest.mark.parametrize(
    "script",
    [
        "INSERT INTO texts " + " UNION ".join(["SELECT k FROM t"] * 100) + ";",
        "INSERT INTO texts " + "SELECT k FROM (" * 30 + "SELECT k FROM t" + " UNION SELECT k FROM t)" * 30 + ";",
    ],
    ids=["beside each other", "inside each other"],
)
def test_unions_of_distinct_rows_are_planned_once(script: str) -> None:
    assert planned(script).inserts


@pytest.mark.parametrize(
    ("inner", "around"),
    [
        ("d", "(<inner> / 2)"),
        ("d", "TRUNCATE(<inner>, 2)"),
        ("b", "(<inner> BETWEEN SYMMETRIC TRUE AND FALSE)"),
        ("v", "CASE v WHEN 1, 2, 3 THEN <inner> ELSE 0 END"),
        ("v", "CASE <inner> WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 0 END"),
    ],
)
def test_what_functions_repeat_ends_before_memory_does(inner: str, around: str) -> None:
    for _ in range(40):
        inner = around.replace("<inner>", inner)
    text = problem_of(f"INSERT INTO texts SELECT CAST({inner} AS STRING) FROM t;")
    assert "in a subquery in FROM" in text


def test_a_long_literal_takes_no_more_memory_than_a_few_times_its_length() -> None:
    literal = "'" + "it''s " * 170_000 + "'"
    tracemalloc.start()
    try:
        tokenize(f"SELECT {literal}")
        assert tracemalloc.get_traced_memory()[1] < 10 * len(literal)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [10_000_000, 2_500_000])
def test_a_script_above_the_limit_is_not_even_read(size: int) -> None:
    script = f"INSERT INTO texts SELECT '{'a' * size}' FROM t;"
    assert "the limit is 1048576" in (text := problem_of(script)) and "--set script.max-size=" in text


def test_the_limit_of_a_script_comes_from_outside() -> None:
    script = f"INSERT INTO texts SELECT '{'a' * 1_500_000}' FROM t;"
    assert plan_script(TABLES + script, {"script.max-size": "2 mb"}, "r", Path()).inserts
    inside = problem_of("SET 'script.max-size' = '2 mb'; INSERT INTO texts SELECT k FROM t;")
    assert "give --set script.max-size='2 mb'" in inside


def names(count: int) -> str:
    return f"INSERT INTO texts SELECT k FROM t WHERE k IN ({', '.join(['k'] * count)});"


def cases(count: int) -> str:
    branches = " ".join(f"WHEN {n} THEN 'a{n}'" for n in range(count))
    return f"INSERT INTO texts SELECT CASE v {branches} END FROM t;"


def stars(count: int) -> str:
    columns = ", ".join(f"c{n} STRING" for n in range(count))
    views = "".join(f"CREATE VIEW v{n + 1} AS SELECT * FROM v{n};" for n in range(8))
    options = "'connector' = 'filesystem', 'path' = '/in', 'format' = 'json'"
    return f"CREATE TABLE v0 ({columns}) WITH ({options}); {views} INSERT INTO texts SELECT c1 FROM v8;"


def fields(count: int) -> str:
    row, options = ", ".join(f"f{n} INT" for n in range(count)), "'connector' = 'filesystem', 'path' = '/in'"
    table = f"CREATE TABLE rows_of (a ROW<{row}>) WITH ({options}, 'format' = 'json');"
    return f"{table} INSERT INTO numbers SELECT a.f1 FROM rows_of;"


@pytest.mark.parametrize(("script", "count"), [(names, 10_000), (cases, 2_000), (stars, 3_000), (fields, 30_000)])
def test_long_lists_take_time_in_proportion(script: Callable[[int], str], count: int) -> None:
    assert planned(script(count)).inserts


def test_unknown_settings_are_looked_up_for_the_first_problems_alone() -> None:
    text = problem_of("".join(f"SET 'table.exec.unknown{n}' = 'x';\n" for n in range(8_000)))
    assert text.startswith(f"{MOST_PROBLEMS} problems:") and text.endswith("what else is wrong was not looked for")
    assert len(text) < 100_000


def test_problems_on_a_long_line_show_the_part_that_is_meant() -> None:
    text = problem_of(f"INSERT INTO texts SELECT {', '.join(f'x{n}' for n in range(1000))} FROM t;")
    assert len(text) < 50_000 and "x99, x100" in text


@pytest.mark.parametrize(
    "script",
    [
        f"INSERT INTO texts SELECT {'(' * 5000}k{')' * 5000} FROM t;",
        f"INSERT INTO texts SELECT {'(' * 5000}k FROM t;",
        f"INSERT INTO texts SELECT k FROM t WHERE {' OR '.join(['b'] * 5000)};",
        f"INSERT INTO texts {' UNION ALL '.join(['SELECT k FROM t'] * 2000)};",
        f"INSERT INTO texts {' UNION '.join(['SELECT k FROM t'] * 400)};",
        "INSERT INTO texts SELECT 'a FROM t;" + "a\n" * 100_000,
        "INSERT INTO texts SELECT `" + "a" * 500_000,
        "/*" * 100_000,
        f"INSERT INTO texts SELECT {'a' * 500_000} FROM t;",
        "CREATE VIEW v0 AS SELECT k FROM t;"
        + "".join(f"CREATE VIEW v{n + 1} AS SELECT k FROM v{n};" for n in range(1000))
        + "INSERT INTO texts SELECT k FROM v1000;",
    ],
    ids=lambda script: script[:40],
)
def test_what_nests_or_never_ends_is_a_clear_and_short_error(script: str) -> None:
    with pytest.raises(InputError) as wrong:
        planned(script)
    assert len(str(wrong.value)) < 5000


@pytest.mark.parametrize(
    "group",
    [
        "CUBE(" + ", ".join(["k"] * 30) + ")",
        ", ".join(["ROLLUP(k, v)"] * 20),
        "GROUPING SETS (" + ", ".join(["CUBE(" + ", ".join(["k"] * 30) + ")"] * 2) + ")",
        "GROUPING SETS (" + ", ".join(["CUBE(k, v, b, d, k, v, b, d, k)"] * 1_000) + ")",
        "CUBE(" + ", ".join(["k"] * 20_000) + ")",
    ],
)
def test_grouping_sets_are_counted_before_they_are_made(group: str) -> None:
    """A few hundred letters took all memory."""
    text = problem_of(f"INSERT INTO texts SELECT k FROM t GROUP BY {group};")
    assert "grouping sets, the limit is 2000: name only those that you need" in text
