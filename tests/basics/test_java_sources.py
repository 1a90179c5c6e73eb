"""The records of the classes in Java are all there is, and `docs/reference/java-classes.md` says what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.java_sources import JAVA_SOURCES, SPEED_RULES, JavaSource, SpeedRule
from airflow_nrt.basics.spark_version import SPARK_VERSION
from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.sql.errors import SqlError
from tests.sample import REPORT, plan_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "java-classes.md").read_text(encoding="utf-8")


def cells(source: JavaSource) -> list[str]:
    switch = f"`{source.switch}`" if isinstance(source, SpeedRule) else ""
    return [f"`{source.name}`", source.does, source.without, switch, ", ".join(source.proven)]


def test_each_source_has_a_record() -> None:
    there = {file.stem for file in (ROOT / "airflow_nrt" / "engine" / "java").glob("*.java")}
    assert set(JAVA_SOURCES) == there


def test_the_table_of_versions_is_that_of_the_records() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\| `.*\|$", PAGE, re.M)]
    assert rows == [cells(source) for source in JAVA_SOURCES.values()]


def test_all_are_proven_with_the_spark_that_is_installed() -> None:
    assert [source.name for source in JAVA_SOURCES.values() if SPARK_VERSION not in source.proven] == []


@pytest.mark.parametrize("rule", SPEED_RULES, ids=lambda rule: rule.name)
def test_a_switch_is_a_setting_that_changes_no_result(rule: SpeedRule) -> None:
    off = plan_of(f"SET '{rule.switch}' = 'false';\n" + REPORT)
    assert (off.setting(rule.switch), fingerprint(off)) == ("false", fingerprint(plan_of()))
    with pytest.raises(SqlError, match="'maybe' is neither 'true' nor 'false'"):
        plan_of(f"SET '{rule.switch}' = 'maybe';\n" + REPORT)


def test_a_switch_that_is_misspelt_is_an_error() -> None:
    with pytest.raises(SqlError, match=r"did you mean 'plan.rule.plain-texts'\?"):
        plan_of("SET 'plan.rule.plain-text' = 'false';\n" + REPORT)
    with pytest.raises(ValueError, match="not one like plan"):
        SpeedRule("PlainTexts", "does", "without", switch="PlainTexts")
