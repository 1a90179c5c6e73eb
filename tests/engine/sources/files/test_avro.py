"""Object container files of Avro: each is read by the schema of its writer."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest

from airflow_nrt.engine.failures.failures import CorruptFileError
from airflow_nrt.engine.sources.files.avro_header import writer_schema
from tests.engine.sources.files.stored import read

NINE = datetime(2024, 1, 1, 9, 0, 0, 123000, tzinfo=timezone.utc)


def write(place: Path, kinds: dict[str, Any], *rows: dict[str, Any], codec: str = "null") -> Path:
    place.mkdir(parents=True, exist_ok=True)
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    file = place / f"{len(list(place.iterdir()))}.avro"
    with file.open("wb") as opened:
        fastavro.writer(opened, {"type": "record", "name": "one", "fields": fields}, rows, codec=codec)
    return file


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


def test_schemas_of_several_writers(spark, tmp_path: Path) -> None:
    """A field that a file lacks is NULL, one of another width is converted, times are in the unit of the writer."""
    ts, price = logical("long", "timestamp-millis"), logical("bytes", "decimal", precision=10, scale=1)
    write(tmp_path / "t", {"id": "int", "ts": ts}, {"id": 1, "ts": NINE}, codec="deflate")
    finer = {"ts": logical("long", "timestamp-micros"), "more": "string", "id": ["null", "long"], "price": price}
    write(tmp_path / "t", finer, {"ts": NINE, "more": "x", "id": 2, "price": Decimal("1.5")})
    found = read(spark, "avro", tmp_path / "t", "id BIGINT, ts TIMESTAMP(3), price DECIMAL(12, 2)")
    at = "2024-01-01 09:00:00.123"
    assert sorted(found) == [(1, at, None), (2, at, "1.50")]
    assert read(spark, "avro", tmp_path / "t", "id BIGINT", query="SELECT COUNT(*) FROM t") == [2]


def test_nested_values_and_partitions(spark, tmp_path: Path) -> None:
    point = {"type": "record", "name": "point", "fields": [{"name": "x", "type": "int"}]}
    kinds = {"tags": {"type": "array", "items": "string"}, "point": point}
    write(tmp_path / "t" / "ds=01", kinds, {"tags": ["a"], "point": {"x": 1}})
    columns = "tags ARRAY<STRING>, point ROW<x BIGINT>, ds STRING) PARTITIONED BY (ds"
    (found,) = read(spark, "avro", tmp_path / "t", columns, query="SELECT * FROM t WHERE ds = '01'")
    assert found == (["a"], {"x": 1}, "01")


def test_a_value_beyond_its_type(spark, tmp_path: Path) -> None:
    write(tmp_path / "t", {"id": "int", "n": "int"}, {"id": 1, "n": 300}, {"id": 2, "n": 3})
    with pytest.raises(Exception, match="column n: its value is beyond its type"):
        read(spark, "avro", tmp_path / "t", "id INT, n TINYINT")
    ignore = "'avro.ignore-parse-errors' = 'true'"
    assert read(spark, "avro", tmp_path / "t", "id INT, n TINYINT", ignore) == [(1, None), (2, 3)]


def test_a_schema_that_does_not_fit(spark, tmp_path: Path) -> None:
    write(tmp_path / "t", {"id": "string"}, {"id": "x"})
    with pytest.raises(CorruptFileError, match="its schema does not fit the table: field 'id': string is no INT"):
        read(spark, "avro", tmp_path / "t", "id INT")


@pytest.mark.parametrize("content", [b"", b"no", b"Obj\x01", b"Obj\x01\x02\x16avro.schema\xff"])
def test_what_is_no_file_of_avro(spark, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.avro").write_bytes(content)
    with pytest.raises(CorruptFileError, match=r"/t/a\.avro can't be read"):
        read(spark, "avro", tmp_path / "t", "id INT")


def test_the_schema_in_a_header(tmp_path: Path) -> None:
    assert '"name": "id"' in writer_schema(str(write(tmp_path / "t", {"id": "int"}, {"id": 1})))
