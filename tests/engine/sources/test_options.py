"""Options of Flink's formats that take effect on the lines of a source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines

NESTED = "ROW<a INT, many ARRAY<ROW<b INT>>, named MAP<STRING, ROW<c INT>>>"


def read(spark, place: Path, columns: str, form: str, lines: list[str], *options: str) -> list[dict[str, Any]]:
    write_lines(place / "t" / f"lines.{form}", lines)
    given = ", ".join(("'connector' = 'filesystem'", f"'path' = '{place}/t'", f"'format' = '{form}'", *options))
    plan = plan_query(f"CREATE TABLE t ({columns}) WITH ({given});", "SELECT * FROM t", place)
    return [json.loads(line) for line in run_bounded(spark, plan, "batch")]


@pytest.mark.parametrize("spelling", [r"\t", r"\u0009", r"\11", "\t"])
def test_a_tab_as_java_writes_it(spark, tmp_path: Path, spelling: str) -> None:
    found = read(spark, tmp_path, "a INT, b STRING", "csv", ["1\tx, y", "2\t"], f"'csv.field-delimiter' = '{spelling}'")
    assert found == [{"a": 1, "b": "x, y"}, {"a": 2, "b": ""}]


@pytest.mark.parametrize("delimiter", [r"\\", "|"])
def test_other_delimiters(spark, tmp_path: Path, delimiter: str) -> None:
    line = f"1{delimiter[-1]}x"
    assert read(spark, tmp_path, "a INT, b STRING", "csv", [line], f"'csv.field-delimiter' = '{delimiter}'") == [
        {"a": 1, "b": "x"}
    ]


def test_comments(spark, tmp_path: Path) -> None:
    lines = ["# a, b", "1,#", "  # 2,y"]
    assert read(spark, tmp_path, "a INT, b STRING", "csv", lines, "'csv.allow-comments' = 'true'") == [
        {"a": 1, "b": "#"}
    ]


WHOLE = '{"k": 1, "r": {"a": null, "many": [{"b": 1}, null], "named": {"x": {"c": 1}}}}'
LACKING = {
    "a column": '{"r": {"a": 1, "many": [], "named": {}}}',
    "a field of a row": '{"k": 1, "r": {"many": [], "named": {}}}',
    "a field in an array": '{"k": 1, "r": {"a": 1, "many": [{"b": 1}, {}], "named": {}}}',
    "a field in a map": '{"k": 1, "r": {"a": 1, "many": [], "named": {"x": {"d": 1}}}}',
}


@pytest.mark.parametrize("what", LACKING)
def test_a_missing_field(spark, tmp_path: Path, what: str) -> None:
    columns, option = f"k INT, r {NESTED}", "'json.fail-on-missing-field' = '{}'"
    assert len(read(spark, tmp_path, columns, "json", [WHOLE, LACKING[what]], option.format("false"))) == 2
    assert len(read(spark, tmp_path, columns, "json", [WHOLE, '{"k": 2, "r": null}'], option.format("true"))) == 2
    with pytest.raises(Exception) as failure:
        read(spark, tmp_path, columns, "json", [WHOLE, LACKING[what]], option.format("true"))
    assert LACKING[what] in str(explained(failure.value))
