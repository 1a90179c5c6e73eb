"""The table of types in `docs/reference/sql.md`: a type is a column that files keep, or its error says what to use."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.types import parse_type
from airflow_nrt.sql.planner import plan_query, plan_report
from tests.engine.reports import Stream, write_lines

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "sql.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("\n## Types\n")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| (`.+?`) \| (yes|no) \| (.*?) ?\|$", SECTION, re.MULTILINE)
HERE = [name for names, here, _ in ROWS if here == "yes" for name in re.findall("`([^`]+)`", names)]
MISSING = [(name, note) for names, here, note in ROWS if here == "no" for name in re.findall("`([^`]+)`", names)]

VALUES = {
    "BOOLEAN": "TRUE", "TINYINT": "-8", "SMALLINT": "-8", "INT": "-8", "BIGINT": "9000000000", "FLOAT": "1.5",
    "DOUBLE": "1.5", "DECIMAL": "12.3", "CHAR": "'ab'", "VARCHAR": "'ab,\"c'", "STRING": "'ab,\"c'",
    "BINARY": "X'4AFF10'", "VARBINARY": "X'4AFF10'", "BYTES": "X'4AFF10'", "DATE": "'2024-02-29'",
    "TIME": "'10:20:30.456'", "TIMESTAMP": "'2024-02-29 10:20:30.456'", "TIMESTAMP_LTZ": "'2024-02-29 10:20:30.456'",
}  # fmt: skip
"""What CAST brings to a type of this name."""
ROW = "CREATE TABLE s (k INT) WITH ('connector' = 'filesystem', 'path' = 's', 'format' = 'json');"


def parsed(name: str) -> DataType:
    return parse_type(Cursor(name))


def value_of(kind: DataType) -> str:
    inner = [value_of(child) for _, child in kind.children]
    shapes = {"ARRAY": "ARRAY[{}]", "MAP": "MAP[{}]", "ROW": "ROW({})"}
    if kind.name in shapes:
        return shapes[kind.name].format(", ".join(inner))
    return f"CAST({VALUES[kind.name]} AS {kind.flink})"


def kept(names: list[str], file_format: str) -> str:
    columns = ", ".join(f"c{n} {name}" for n, name in enumerate(names))
    return (
        f"CREATE TABLE kept ({columns}) WITH ('connector' = 'filesystem', 'path' = 'kept', 'format' = '{file_format}');"
    )


def test_the_table_has_all_of_them() -> None:
    assert len(HERE) > 40
    assert len(MISSING) > 15


@pytest.mark.parametrize("file_format", ["csv", "json", "parquet"])
def test_what_is_written_is_read_again(spark, tmp_path, file_format) -> None:
    names = [name for name in HERE if file_format != "csv" or not parsed(name).children]
    row = write_lines(tmp_path / "s" / "a.json", ['{"k": 1}'])
    kinds = [parsed(name) for name in names]
    values = [f"CAST({value_of(kind)} AS {kind.flink})" if kind.children else value_of(kind) for kind in kinds]
    query = f"SELECT {', '.join(f'{value} AS c{n}' for n, value in enumerate(values))} FROM s"
    stream = Stream(
        spark,
        plan_report(f"{ROW}{kept(names, file_format)}INSERT INTO kept {query};", "types", tmp_path),
        tmp_path / "home",
    )
    stream.absorb(row, source="s")
    stream.end()
    written = list(run_bounded(spark, plan_query(ROW, query, tmp_path), "batch"))
    read = list(run_bounded(spark, plan_query(kept(names, file_format), "SELECT * FROM kept", tmp_path), "batch"))
    differing = [
        f"{name}: {before!r} came back as {after!r}"
        for name, before, after in zip(names, json.loads(written[0]).values(), json.loads(read[0]).values())
        if before != after or after is None
    ]
    assert differing == []
    assert len(names) > 30


@pytest.mark.parametrize(("name", "note"), MISSING)
def test_what_is_not_there_says_what_to_use(name, note) -> None:
    with pytest.raises(InputError) as refused:
        plan_query(kept([name], "json"), "SELECT c0 FROM kept", Path("/base"))
    message = str(refused.value)
    way_out = message.partition("write ")[2] or message.partition("there yet")[2] or message
    assert re.search(r"write|there yet", message)
    if "the error names" not in note and "INTERVAL" not in name:
        assert way_out.partition("\n")[0].strip("; ").split(" or ")[0] in note


@pytest.mark.parametrize(
    ("cast", "value"),
    [
        ("CAST(12345 AS VARCHAR)", "12345"),
        ("CAST(12345 AS CHARACTER VARYING)", "12345"),
        ("CAST(12345 AS CHAR)", "1"),
        ("CAST(12345 AS VARCHAR(2))", "12"),
        ("CAST(CAST('10:20:30' AS BINARY(10)) AS STRING)", "10:20:30\0\0"),
        ("CAST(CAST('10:20:30' AS BINARY(2)) AS STRING)", "10"),
        ("CAST(CAST('10:20:30' AS VARBINARY(10)) AS STRING)", "10:20:30"),
        ("CAST(CAST('10:20:30' AS VARBINARY(2)) AS STRING)", "10"),
        ("CAST(CAST('10:20:30' AS VARBINARY) AS STRING)", "10:20:30"),
        ("X'0102' = CAST(X'010203' AS BINARY(2))", True),
        ("HEX(CAST(COALESCE(CAST(X'4A' AS BINARY(1)), X'4A4B') AS STRING))", "4A"),
        ("MD5(CAST(CAST(X'4A4B' AS BINARY(1)) AS STRING))", "ff44570aca8241914870afbc310cdb85"),
    ],
)
def test_lengths_are_those_of_flink(spark, tmp_path, cast, value) -> None:
    write_lines(tmp_path / "s" / "a.json", ['{"k": 1}'])
    rows = list(run_bounded(spark, plan_query(ROW, f"SELECT {cast} AS c FROM s", tmp_path), "batch"))
    assert [json.loads(row)["c"] for row in rows] == [value]
