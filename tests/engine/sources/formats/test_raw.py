"""Format raw: lines and records as they are, and what Flink 2.3 reads of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.sinks.kafka.contents import written
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.kafka.contents import parsed
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.connectors.kafka_options import value_part
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.sql.planner import plan_query


def read(
    spark, place: Path, content: bytes, *options: str, columns: str = "l STRING", query: str = "SELECT * FROM t"
) -> list[Any]:
    (place / "t").mkdir(exist_ok=True)
    (place / "t" / "a.log").write_bytes(content)
    given = ", ".join(("'connector' = 'filesystem'", f"'path' = '{place}/t'", "'format' = 'raw'", *options))
    plan = plan_query(f"CREATE TABLE t ({columns}) WITH ({given});", query, place)
    return [tuple(json.loads(line).values()) for line in run_bounded(spark, plan, "batch")]


@pytest.mark.parametrize(
    ("content", "options", "lines"),
    [
        (b"a\n\nb\r\n c\rd ", (), ["a", "", "b", " c\rd "]),
        ("é".encode("latin-1"), (), ["\ufffd"]),
        ("é".encode("latin-1"), ("'raw.charset' = 'ISO-8859-1'",), ["é"]),
        ("né".encode("latin-1"), ("'raw.charset' = 'US-ASCII'",), ["n\ufffd"]),
    ],
)
def test_lines(spark, tmp_path: Path, content: bytes, options: tuple[str, ...], lines: list[str]) -> None:
    assert read(spark, tmp_path, content, *options) == [(line,) for line in lines]


def test_bytes_and_other_columns(spark, tmp_path: Path) -> None:
    """The one column of the line stands beside computed ones and those of METADATA."""
    columns = "l BYTES, n AS CHAR_LENGTH(DECODE(l, 'utf-8')), `file.name` STRING NOT NULL METADATA"
    found = read(spark, tmp_path, b"ab\n", columns=columns, query="SELECT DECODE(l, 'utf-8'), n, `file.name` FROM t")
    assert found == [("ab", 2, "a.log")]


def test_a_line_that_is_too_long(spark, tmp_path: Path) -> None:
    limit, ignore = "'source.max-line-length' = '5 b'", "'raw.ignore-parse-errors' = 'true'"
    assert read(spark, tmp_path, b"12345\n123456\n", limit, ignore) == [("12345",)]
    with pytest.raises(Exception, match=r"it has 6 bytes, and 'source\.max-line-length' allows 5"):
        read(spark, tmp_path, b"12345\n123456\n", limit)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("l STRING, m STRING", "format 'raw' is of one column, here are 2"),
        ("l INT", "INT in lines of format 'raw'"),
        ("l TIMESTAMP(3)", r"TIMESTAMP\(3\) in lines of format 'raw'"),
    ],
)
def test_columns_that_are_not_raw(spark, tmp_path: Path, columns: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(spark, tmp_path, b"", columns=columns)


def test_a_sink_has_another_format(tmp_path: Path) -> None:
    table = Table(
        "lines", (Column("l", DataType("STRING")),), "filesystem", options={"path": str(tmp_path), "format": "raw"}
    )
    with pytest.raises(InputError, match="a sink with 'format' = 'raw': not there yet; use csv, json or parquet"):
        connector_of(table).check_sink(table)


RECORDS: list[tuple[str, Any, bytes]] = [
    ("STRING", "é", b"\xc3\xa9"),
    ("BOOLEAN", True, b"\x01"),
    ("TINYINT", -2, b"\xfe"),
    ("SMALLINT", -2, b"\xff\xfe"),
    ("INT", 1 << 30, b"\x40\x00\x00\x00"),
    ("INT", -1, b"\xff\xff\xff\xff"),
    ("BIGINT", -(1 << 63), b"\x80\x00\x00\x00\x00\x00\x00\x00"),
    ("BIGINT", 258, b"\x00\x00\x00\x00\x00\x00\x01\x02"),
]


def topic(kind: str, **options: str) -> Table:
    given = {"topic": "lines", "format": "raw", **{name.replace("_", "."): text for name, text in options.items()}}
    return Table("lines", (Column("v", DataType(kind)),), "kafka", options=given)


@pytest.mark.parametrize("order", ["big-endian", "little-endian"])
@pytest.mark.parametrize(("kind", "value", "content"), RECORDS)
def test_records(spark, kind: str, value: Any, content: bytes, order: str) -> None:
    part = value_part(topic(kind, raw_endianness=order))
    content = content if order == "big-endian" or kind == "STRING" else content[::-1]
    rows = spark.createDataFrame([(value,)], f"v {kind}")
    assert bytes(rows.selectExpr(f"CAST({written(part)} AS BINARY) AS c").first()["c"]) == content
    records = spark.createDataFrame([(content,)], "c BINARY")
    (row,) = parsed(records, "c", part, part.columns, KeptSchemas(None)).collect()
    assert (row["v"], row["_nrt_fault"]) == (value, None)


def test_texts_of_other_charsets(spark) -> None:
    for charset, content in (("iso-8859-1", b"\xe9?"), ("us-ascii", b"??")):
        part = value_part(topic("STRING", raw_charset=charset))
        found = spark.createDataFrame([("é€",)], "v STRING").selectExpr(f"{written(part)} AS c").first()
        assert bytes(found["c"]) == content


def test_a_number_of_another_size(spark) -> None:
    part = value_part(topic("INT"))
    records = spark.createDataFrame([(b"\x01",), (None,)], "c BINARY")
    wrong, none = parsed(records, "c", part, part.columns, KeptSchemas(None)).collect()
    assert (wrong["v"], wrong["_nrt_fault"], wrong["_nrt_line"]) == (None, "", "01")
    assert wrong["_nrt_why"] == "it has 1 bytes, and INT in format 'raw' has 4"
    assert (none["v"], none["_nrt_fault"]) == (None, None)


def test_what_counts_malformed_records() -> None:
    """Any bytes are a text, so that the option is that of the key."""
    key = {"key.format": "json", "key.fields": "v", "properties.bootstrap.servers": "x"}
    for kind, option in (("STRING", "key.json.ignore-parse-errors"), ("INT", "raw.ignore-parse-errors")):
        table = Table("lines", (Column("v", DataType(kind)),), "kafka", options={"topic": "t", "format": "raw", **key})
        assert connector_of(table).leniency(table) == option
