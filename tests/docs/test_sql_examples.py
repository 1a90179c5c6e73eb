"""Examples of SQL in docstrings are what the functions give. They need no Spark session."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.sql.load import plan_script
from tests.docs.pages import ROOT
from tests.docs.sql_builders import builders

PRODUCT = ROOT / "airflow_nrt"
MODULES = [path for path in sorted(PRODUCT.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
EXPRESSIONS = PRODUCT / "sql" / "expressions"
COLUMNS = """
s STRING, t STRING, n INT, big BIGINT, d DOUBLE, arr ARRAY<STRING>, nums ARRAY<INT>, m MAP<STRING, INT>,
r ROW<a INT, c STRING>, ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3)
"""
"""The columns in examples of expressions."""
FOR_PEOPLE = "it is what the report says, or a message"
WITHOUT_EXAMPLE = {
    "basics/types.py": "names of types",
    "model/origins.py": FOR_PEOPLE,
    "model/result_timing.py": FOR_PEOPLE,
    "sql/logical/": FOR_PEOPLE,
    "sql/parse/": FOR_PEOPLE,
    "sql/from_clause/windowed_rows.py:_no_time_attribute": FOR_PEOPLE,
    "sql/inserts/in_order.py:_by_time": FOR_PEOPLE,
    "engine/aggregates/python.py:python": "an aggregate of a report in Python, which no example can have",
    "engine/dimensions/newest.py:digest_of": "it gives the result of its SQL",
    "engine/driver/failing_row.py:FailingRow._row": "it gives the result of its SQL",
    "engine/verify/against_topic.py:_samples": "it gives the result of its SQL",
    "sql/aggregates/grouping.py:Aggregation._above": "NULL of a type",
    "sql/expressions/functions/time_texts.py:_convert_tz": "long; `later_instant`, which it calls, has one",
    "sql/selects/subqueries.py:Subqueries._subquery": "it has all of the subquery",
}
"""By what their names begin with, the builders of SQL that need no example, and why."""


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_examples_are_true(path: Path) -> None:
    """A long text of SQL may go on in the next line."""
    found = doctest.testmod(importlib.import_module(name_of(path)), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted and not found.failed


def test_each_builder_of_sql_has_an_example() -> None:
    lacking = {str(one) for one in builders() if not one.has_example}
    excepted = {one for one in lacking if any(map(one.startswith, WITHOUT_EXAMPLE))}
    assert lacking == excepted
    assert [one for one in WITHOUT_EXAMPLE if not any(name.startswith(one) for name in excepted)] == []
    assert len([*builders()]) > 300


def said_of_expressions() -> Iterator[tuple[str, str]]:
    """The pairs of an expression of Flink and SQL of Spark in docstrings: `ABS(n) is "CAST(abs(`n`) AS INT)".`"""
    for path in sorted(EXPRESSIONS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            for flink, spark in re.findall(r'(?ms)^(?!It |A |Gives )([^\n"]+) is "([^"]+)"\.$', text or ""):
                yield flink, " ".join(spark.split())


@pytest.mark.parametrize(("flink", "sql"), [*dict(said_of_expressions()).items()])
def test_expressions_are_what_is_said_of_them(flink: str, sql: str) -> None:
    script = f"""
    CREATE TABLE o ({COLUMNS}) WITH ('connector' = 'filesystem', 'path' = 'o', 'format' = 'json');
    CREATE TEMPORARY VIEW v AS SELECT {flink} AS x FROM o;
    CREATE TABLE told (x STRING) WITH ('connector' = 'print');
    INSERT INTO told SELECT CAST(x AS STRING) FROM v;
    """
    (insert,) = plan_script(script, {}, "example", Path("/")).inserts
    assert sql in " ".join(insert.query.sql.split())


def test_there_are_such_expressions() -> None:
    assert len(dict(said_of_expressions())) > 30
