"""The examples of `docs/reference/sql.md` that show their result: the short ones in batch, others also as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.query import run_bounded, run_changelog
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query
from tests.golden.run import MODES
from tests.golden.statements import ERRORS

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "sql.md").read_text(encoding="utf-8")
SHOWN = TEXT.partition("## Examples\n")[2].partition("\n## ")[0]
FENCES = r"```sql\n([^`]*)```\n\n```json\n([^`]*)```"
SHORT = re.findall(FENCES, SHOWN)
OTHERS = re.findall(FENCES, TEXT.replace(SHOWN, ""))
FILES = re.findall(r"\n([\w/]+\.json):\n\n```json\n([^`]*)```", SHOWN)
TABLES = re.findall(r"```sql\n(CREATE TABLE [^`]*)```", SHOWN)[0]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files lie that the examples read."""
    place = tmp_path_factory.mktemp("examples")
    for name, lines in FILES:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(lines, encoding="utf-8")
    return place


def planned(example: str, base: Path) -> Plan:
    """The plan of a query with statements in front of it, or of statements alone."""
    tables = fill_placeholders((ERRORS / "ddl.sql").read_text(), {"CASE_DIR": str(ERRORS)}) + TABLES
    statements, end, query = example.rpartition(";")
    if not query.strip():
        return plan_script(tables + example, {}, "example", base)
    return plan_query(tables + statements + end, query, base)


def shown(spark: SparkSession, plan: Plan, mode: str) -> Iterator[str]:
    """The rows of one insert after the other."""
    for insert in plan.inserts:
        yield from sorted(run_bounded(spark, replace(plan, inserts=(insert,)), mode))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("example", "lines"), OTHERS)
def test_an_example_shows_its_result(spark, base: Path, example: str, lines: str, mode: str) -> None:
    assert list(shown(spark, planned(example, base), mode)) == lines.splitlines()


@pytest.mark.parametrize(("example", "lines"), SHORT)
def test_a_short_example_shows_its_result(spark, base: Path, example: str, lines: str) -> None:
    plan = planned(example, base)
    changes = lines.startswith('{"op"')
    told = run_changelog(spark, plan, "stream") if changes else shown(spark, plan, "batch")
    assert list(told) == lines.splitlines()


def test_there_are_examples() -> None:
    assert len(OTHERS) >= 6 and len(SHORT) >= 15
