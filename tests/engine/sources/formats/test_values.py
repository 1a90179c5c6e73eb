"""Texts of csv and json and the values that Flink 2.3 reads of them, or refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.sources.test_options import read

TIME = "2024-01-31 09:00:00"
CSV_VALUES: dict[str, dict[str, Any]] = {
    "BOOLEAN": {"TRUE": True, " true ": True, "t": False, "1": False, "": False, "false": False},
    "INT": {"5": 5, " -5 ": -5, "+7": 7},
    "DOUBLE": {"1e3": 1000.0, " 1.5": 1.5},
    "DECIMAL(5, 2)": {"1.005": "1.01", "1e2": "100.00"},
    "DATE": {"2024-01-31": "2024-01-31", "2024-1-1": "2024-01-01"},
    "TIMESTAMP(3)": {TIME: f"{TIME}.000", f"{TIME}.5": f"{TIME}.500", f"{TIME}.123456789": f"{TIME}.123"},
    "TIMESTAMP_LTZ(3)": {f"{TIME}Z": f"{TIME}.000Z", f"{TIME}.25Z": f"{TIME}.250Z"},
}
CSV_REFUSED = {
    "INT": ("1.0", "", "x", "3000000000"),
    "TINYINT": ("128",),
    "DOUBLE": ("", "one"),
    "DECIMAL(5, 2)": ("1000.00", "1,5"),
    "DATE": ("2024", "2024-01", "2024-02-30", f"{TIME}"),
    "TIMESTAMP(3)": (
        "2024", "2024-01-31", "2024-01-31 09:00", "2024-01-31T09:00:00", f"{TIME}Z", f"{TIME}+09:00", f"{TIME} UTC",
        "2024-01-31 9:00:00", "2024-1-31 09:00:00", "0000-00-00 00:00:00", f"{TIME}.0123456789", "2024-01-31 24:00:01",
    ),
    "TIMESTAMP_LTZ(3)": (TIME, f"{TIME}+09:00", "2024-01-31T09:00:00Z"),
}  # fmt: skip


def csv_cases() -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in CSV_REFUSED.items() for text in texts]


def quoted(text: str) -> str:
    return f'"{text}"' if "," in text else text


@pytest.mark.parametrize("kind", CSV_VALUES)
def test_values_of_csv(spark, tmp_path: Path, kind: str) -> None:
    lines = [f"{text},." for text in CSV_VALUES[kind]]
    found = read(spark, tmp_path, f"v {kind}, `end` STRING", "csv", lines)
    assert [row["v"] for row in found] == list(CSV_VALUES[kind].values())


def test_texts_that_csv_refuses(spark, tmp_path: Path) -> None:
    """Of each kind all at once: each becomes NULL where errors are ignored."""
    for number, (kind, texts) in enumerate(CSV_REFUSED.items()):
        lines = [f"{quoted(text)},." for text in texts]
        ignore = "'csv.ignore-parse-errors' = 'true'"
        found = read(spark, tmp_path / str(number), f"v {kind}, `end` STRING", "csv", lines, ignore)
        assert [row["v"] for row in found] == [None] * len(texts), kind


MESSAGES = {
    "header": ("id INT, name STRING", ["id,name", "1,a"], ("column id: 'id' is no INT", "looks like a header line")),
    "zone": ("ts TIMESTAMP(3)", [f"{TIME}Z"], (f"column ts: '{TIME}Z' is no TIMESTAMP(3)", "zone is a TIMESTAMP_LTZ")),
    "no zone": ("ts TIMESTAMP_LTZ(3)", [TIME], (f"column ts: '{TIME}' is no TIMESTAMP_LTZ(3)", "is a TIMESTAMP")),
    "second column": ("a INT, b INT", ["1,x"], ("column b: 'x' is no INT", "b c.csv: 1,x")),
    "short": ("a INT, b INT", ["1"], ("it has 1 field, and the table 2 columns (a, b)",)),
    "long": ("a INT, b INT", ["1,2,3"], ("it has 3 fields, and the table 2 columns (a, b)",)),
    "quote": ("a STRING, b STRING", ['"a,b'], ("a quote is not closed",)),
    "several lines": ("a STRING, b INT", ['"x', 'y",z'], (r"column b: 'z' is no INT", r'"x\ny",z')),
    "length": ("a INT, b STRING", [f"x,{300 * 'y'}"], ("column a: 'x' is no INT", "yyy…")),
}


@pytest.mark.parametrize("what", MESSAGES)
def test_what_a_malformed_line_says(spark, tmp_path: Path, what: str) -> None:
    columns, lines, said = MESSAGES[what]
    place = tmp_path / "wei+rd %20"
    text = refusal(spark, place, columns, "csv", lines)
    assert all(one in text for one in said), text
    assert f"{place}/t/b c.csv" in text and "in table t" in text and "'csv.ignore-parse-errors' = 'true'" in text


JSON_MESSAGES = {
    "pretty": ("a INT", ["{", '  "a": 1', "}"], ("no JSON object", "pretty-printed")),
    "text": ("a INT, b INT", ['{"b": "x", "a": 1}'], ("column b: 'x' is no INT",)),
    "fraction in a text": ("a INT", ['{"a": "1.7"}'], ("column a: '1.7' is no INT",)),
    "inside": ("a ARRAY<INT>", ['{"a": [1, "x"]}'], ("column a: '[1,\"x\"]' is no ARRAY<INT>",)),
    "zone": ("a TIMESTAMP(3)", [f'{{"a": "{TIME}Z"}}'], ("zone is a TIMESTAMP_LTZ",)),
    "no object": ("a INT", ["x"], ("'x' is no JSON object",)),
}


@pytest.mark.parametrize("what", JSON_MESSAGES)
def test_what_a_malformed_object_says(spark, tmp_path: Path, what: str) -> None:
    columns, lines, said = JSON_MESSAGES[what]
    text = refusal(spark, tmp_path, columns, "json", lines)
    assert all(one in text for one in said), text


def refusal(spark, place: Path, columns: str, form: str, lines: list[str]) -> str:
    directory = place / "t"
    directory.mkdir(parents=True)
    (directory / f"b c.{form}").write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(Exception) as failure:
        result(spark, place, columns, form)
    return str(explained(failure.value))


def result(spark, place: Path, columns: str, form: str, *options: str) -> list[dict[str, Any]]:
    given = ", ".join(("'connector' = 'filesystem'", f"'path' = '{place}/t'", f"'format' = '{form}'", *options))
    plan = plan_query(f"CREATE TABLE t ({columns}) WITH ({given});", "SELECT * FROM t", place)
    return [json.loads(line) for line in run_bounded(spark, plan, "batch")]


NESTED = "ROW<a INT, b STRING, c ARRAY<BIGINT>, d MAP<STRING, DOUBLE>, e ROW<f BOOLEAN>, g TIMESTAMP(3)>"
JSON_VALUES = {
    "INT": (('"5"', 5), ("1.7", 1), ("-1.7", -1), ("1e2", 100), ('" 6 "', 6)),
    "BIGINT": (("1.0", 1), ("9007199254740993", 9007199254740993)),
    "DOUBLE": (('"1.5"', 1.5), ("2", 2.0)),
    "BOOLEAN": (('"true"', True), ('"FALSE"', False), ("true", True), ("1", False)),
    "DECIMAL(30, 20)": (("0.12345678901234567890", "0.12345678901234567890"), ('"1.5"', "1.50000000000000000000")),
    "STRING": (("12.50", "12.50"), ("1e2", "1e2"), ("true", "true"), ('{"p": 1.50}', '{"p":1.5}'), ('"1.50"', "1.50")),
    "TIMESTAMP(3)": ((f'"{TIME}"', f"{TIME}.000"), ('"2024-01-31T09:00:00.5"', f"{TIME}.500")),
    "ARRAY<INT>": (('[1, "2", 3.9, null]', [1, 2, 3, None]), ("[]", []), ("null", None)),
    "ARRAY<STRING>": (('[1.50, "x", {"a": 1}]', ["1.50", "x", '{"a":1}']),),
    "MAP<STRING, INT>": (('{"a": "1", "b": 2.0}', {"a": 1, "b": 2}),),
    NESTED: (
        (
            '{"a": "1", "b": 2.50, "c": ["3", 4.9], "d": {"x": "0.5"}, "e": {"f": "true"}, "g": "2024-01-31 09:00:00"}',
            {"a": 1, "b": "2.50", "c": [3, 4], "d": {"x": 0.5}, "e": {"f": True}, "g": f"{TIME}.000"},
        ),
    ),
}


@pytest.mark.parametrize("kind", JSON_VALUES)
def test_values_of_json(spark, tmp_path: Path, kind: str) -> None:
    lines = [f'{{"v": {text}}}' for text, _ in JSON_VALUES[kind]]
    found = read(spark, tmp_path, f"v {kind}", "json", lines)
    assert [row["v"] for row in found] == [value for _, value in JSON_VALUES[kind]]


def test_changes_have_the_values_of_json(spark, tmp_path: Path) -> None:
    lines = ['{"before": null, "after": {"k": "1", "v": 12.50, "n": 1.7, "n": 5}, "op": "c"}']
    found = read(spark, tmp_path, "k INT, v STRING, n INT", "debezium-json", lines)
    assert found == [{"k": 1, "v": "12.50", "n": 1}]


def test_of_a_key_that_stands_twice_the_first_counts(spark, tmp_path: Path) -> None:
    lines = ['{"a": 1, "b": "x", "a": 2}', '{"a": 3, "b": {"c": 1, "c": 2}}', '{"a": null, "a": 4, "b": 1.50}']
    found = read(spark, tmp_path, "a INT, b STRING", "json", lines)
    assert [row["a"] for row in found] == [1, 3, None]
    assert found[2]["b"] == "1.50"
    nested = read(spark, tmp_path / "nested", "r ROW<a INT>", "json", ['{"r": {"a": 1, "a": 2}}'])
    assert nested == [{"r": {"a": 1}}]


def test_an_array_is_several_rows(spark, tmp_path: Path) -> None:
    lines = ['[{"a": 1, "b": 1.50}, {"a": "2"}]', "[]", '{"a": 3}']
    found = read(spark, tmp_path, "a INT, b STRING", "json", lines)
    assert found == [{"a": 1, "b": "1.50"}, {"a": 2, "b": None}, {"a": 3, "b": None}]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_bytes_that_are_no_utf_8(spark, tmp_path: Path, form: str) -> None:
    fine, bad = (b"1,ok\n", b"2,\xff\xfe\n") if form == "csv" else (b'{"a":1,"b":"ok"}\n', b'{"a":2,"b":"\xff"}\n')
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / f"x.{form}").write_bytes(fine + bad)
    with pytest.raises(Exception) as failure:
        result(spark, tmp_path, "a INT, b STRING", form)
    assert "no UTF-8" in str(explained(failure.value))
    found = result(spark, tmp_path, "a INT, b STRING", form, f"'{form}.ignore-parse-errors' = 'true'")
    assert found == [{"a": 1, "b": "ok"}]


def test_numbers_after_one_that_is_none(spark, tmp_path: Path) -> None:
    """Python writes -Infinity, which is no number of json: those that follow keep their digits."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.json").write_text('{"s": -Infinity, "d": 1.234567890123456789}\n')
    (row,) = result(spark, tmp_path, "s STRING, d DECIMAL(38, 18)", "json")
    assert row["d"] == "1.234567890123456789"


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("json", '[{"n": 99999999999}]'),
        ("debezium-json", '{"before": null, "after": {"n": 99999999999}, "op": "c"}'),
    ],
)
def test_a_number_is_said_as_it_was_written(spark, tmp_path: Path, form: str, line: str) -> None:
    said = refusal(spark, tmp_path, "n INT", form, [line])
    assert "column n: '99999999999' is no INT" in said and "\uffff" not in said
