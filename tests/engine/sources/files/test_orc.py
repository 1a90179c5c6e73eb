"""Files of ORC: values as they are, or a message about the column."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from airflow_nrt.engine.failures.failures import CorruptFileError
from tests.engine.sources.files.stored import read, write

POINT = pa.struct([("x", pa.int32()), ("y", pa.string())])
READ: list[tuple[pa.DataType, Any, str, Any]] = [
    (pa.bool_(), True, "BOOLEAN", True),
    (pa.string(), "é", "STRING", "é"),
    (pa.string(), "ab", "VARCHAR(5)", "ab"),
    (pa.date32(), date(1600, 1, 1), "DATE", "1600-01-01"),
    (pa.timestamp("us"), datetime(2024, 3, 10, 2, 30, 0, 123456), "TIMESTAMP(6)", "2024-03-10 02:30:00.123456"),
    (pa.timestamp("ms"), datetime(1850, 1, 1), "TIMESTAMP(3)", "1850-01-01 00:00:00.000"),
    (pa.list_(pa.int32()), [1, None], "ARRAY<BIGINT>", [1, None]),
    (pa.map_(pa.string(), pa.int32()), [("a", 1)], "MAP<STRING, INT>", {"a": 1}),
    (POINT, {"x": 1, "y": "b"}, "ROW<y STRING, x INT>", {"y": "b", "x": 1}),
]
REFUSED = [
    (pa.string(), "1", "INT", "its column v is STRING, and the table says INT"),
    (pa.int32(), 1, "STRING", "its column v is INT, and the table says STRING"),
    (pa.int64(), 1, "TIMESTAMP(3)", "its column v is BIGINT, and the table says TIMESTAMP"),
    (pa.timestamp("us"), datetime(2024, 1, 1), "TIMESTAMP_LTZ(3)", "and the table says TIMESTAMP_LTZ"),
    (pa.timestamp("us", "UTC"), datetime(2024, 1, 1), "TIMESTAMP(3)", "which Spark does not read of ORC"),
    (pa.list_(pa.int64()), [1], "ARRAY<INT>", "its column v is ARRAY<BIGINT>"),
    (pa.float64(), 1.5, "FLOAT", "its column v is DOUBLE"),
]


def test_values(spark, tmp_path: Path) -> None:
    for n, (kind, value, declared, found) in enumerate(READ):
        write("orc", tmp_path / f"t{n}", [value, None], kind)
        assert read(spark, "orc", tmp_path / f"t{n}", f"v {declared}") == [found, None], declared


def test_times_of_spark(spark, tmp_path: Path) -> None:
    """Spark writes a TIMESTAMP as a number."""
    spark.sql("SELECT TIMESTAMP_NTZ'2024-01-01 09:00:00' AS v").write.orc(str(tmp_path / "t"))
    assert read(spark, "orc", tmp_path / "t", "v TIMESTAMP(3)") == ["2024-01-01 09:00:00.000"]
    with pytest.raises(CorruptFileError):
        read(spark, "orc", tmp_path / "t", "v BIGINT")


@pytest.mark.parametrize(("kind", "value", "declared", "said"), REFUSED)
def test_types_that_are_others(spark, tmp_path: Path, kind: pa.DataType, value: Any, declared: str, said: str) -> None:
    write("orc", tmp_path / "t", [value], kind)
    with pytest.raises(CorruptFileError) as refused:
        read(spark, "orc", tmp_path / "t", f"v {declared}")
    assert said in str(refused.value)


def test_a_file_that_lacks_a_column(spark, tmp_path: Path) -> None:
    write("orc", tmp_path / "t", ["a"], pa.string())
    write("orc", tmp_path / "t", [1], pa.int32(), "n")
    assert sorted(read(spark, "orc", tmp_path / "t", "v STRING, n INT"), key=str) == [("a", None), (None, 1)]


def test_partitions(spark, tmp_path: Path) -> None:
    for day in ("01", "02"):
        (tmp_path / "t").mkdir(exist_ok=True)
        write("orc", tmp_path / "t" / f"ds={day}", [int(day)], pa.int32())
    columns = "v INT, ds STRING) PARTITIONED BY (ds"
    found = read(spark, "orc", tmp_path / "t", columns, query="SELECT ds, v FROM t WHERE ds = '02'")
    assert found == [("02", 2)]


def test_what_is_no_orc(spark, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.orc").write_text("no")
    with pytest.raises(CorruptFileError, match=r"/t/a\.orc can't be read"):
        read(spark, "orc", tmp_path / "t", "v INT")
