"""Columns of parquet and orc whose type in the file is not that of the table: no value changes."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from airflow_nrt.engine.failures.failures import explained
from tests.engine.sources.files.stored import read, write

FORMS = ("parquet", "orc")
READ: list[tuple[pa.DataType, Any, str, Any]] = [
    (pa.int8(), 7, "BIGINT", 7),
    (pa.int32(), 7, "SMALLINT", 7),
    (pa.int32(), -128, "TINYINT", -128),
    (pa.int64(), 7, "INT", 7),
    (pa.int32(), 7, "DECIMAL(10, 0)", "7"),
    (pa.int64(), 7, "DECIMAL(10, 2)", "7.00"),
    (pa.decimal128(5, 2), Decimal("123.45"), "DECIMAL(20, 4)", "123.4500"),
    (pa.decimal128(20, 2), Decimal("123.45"), "DECIMAL(5, 2)", "123.45"),
    (pa.decimal128(20, 4), Decimal("123.4500"), "DECIMAL(5, 2)", "123.45"),
    (pa.decimal128(20, 2), Decimal("123.00"), "INT", 123),
    (pa.float32(), 1.5, "DOUBLE", 1.5),
]
REFUSED: list[tuple[pa.DataType, Any, str]] = [
    (pa.int32(), 70000, "SMALLINT"),
    (pa.int64(), 1 << 40, "INT"),
    (pa.int64(), 123456, "DECIMAL(5, 2)"),
    (pa.decimal128(20, 2), Decimal("1234.50"), "DECIMAL(5, 2)"),
    (pa.decimal128(20, 2), Decimal("1.25"), "DECIMAL(5, 1)"),
]


def named(case: tuple[Any, ...]) -> str:
    return f"{case[0]} {case[1]} {case[2]}"


@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_other_widths(spark, tmp_path: Path, form: str) -> None:
    for n, (kind, value, declared, found) in enumerate(READ):
        place = tmp_path / f"t{n}"
        write(form, place, [value, None], kind)
        assert read(spark, form, place, f"v {declared}") == [found, None], declared


@pytest.mark.parametrize("form", FORMS)
def test_a_value_that_does_not_fit_stops_the_report(spark, tmp_path: Path, form: str) -> None:
    for n, (kind, value, declared) in enumerate(REFUSED):
        place = tmp_path / f"t{n}"
        write(form, place, [value], kind)
        with pytest.raises(Exception, match=r"in column v of a file is no") as stopped:
            read(spark, form, place, f"v {declared}")
        assert "Declare the column as it is in the file" in str(explained(stopped.value))


def test_files_of_several_widths(spark, tmp_path: Path) -> None:
    for kind in (pa.int16(), pa.int32(), pa.int64(), pa.uint8()):
        write("parquet", tmp_path / "t", [5], kind)
    assert read(spark, "parquet", tmp_path / "t", "v INT") == [5, 5, 5, 5]


NOON = datetime(2024, 1, 1, 12, 0, 0, 123456)
EARLY = datetime(1969, 12, 31, 23, 59, 59, 999999)


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_of_parquet(spark, tmp_path: Path, unit: str, zone: str | None) -> None:
    kind = pa.timestamp(unit, zone)
    values = [one.replace(microsecond=123000) if unit == "ms" else one for one in (NOON, EARLY)]
    write("parquet", tmp_path / "t", [*values, None], kind)
    digits = "123" if unit == "ms" else "123456"
    found = read(spark, "parquet", tmp_path / "t", "v TIMESTAMP(6)")
    assert found[0] == f"2024-01-01 12:00:00.{digits.ljust(6, '0')}"
    assert found[1].startswith("1969-12-31 23:59:59.") and found[2] is None
    assert read(spark, "parquet", tmp_path / "t", "v TIMESTAMP_LTZ(3)")[0] == "2024-01-01 12:00:00.123Z"


def test_older_times_of_parquet(spark, tmp_path: Path) -> None:
    write("parquet", tmp_path / "t", [NOON], pa.timestamp("ns"), use_deprecated_int96_timestamps=True)
    assert read(spark, "parquet", tmp_path / "t", "v TIMESTAMP(3)") == ["2024-01-01 12:00:00.123"]


def test_rows_without_a_column(spark, tmp_path: Path) -> None:
    for form in FORMS:
        write(form, tmp_path / form, [1, 2], pa.int32())
        assert read(spark, form, tmp_path / form, "v INT", query="SELECT COUNT(*) FROM t") == [2]
