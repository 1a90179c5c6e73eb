"""A Parquet file with a column of another type than the table's: file, column, both types, and the way out."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.failures.failures import CorruptFileError, explained

NOON = datetime(2024, 6, 18, 12)
UNFIT = {
    "BIGINT": (pa.array([1]), "string", "STRING"),
    "INT": (pa.array([1], pa.int32()), "boolean", "BOOLEAN"),
    "STRING": (pa.array(["a"]), "bigint", "BIGINT"),
    "DOUBLE": (pa.array([1.5]), "decimal(10,2)", "DECIMAL(10,2)"),
    "DECIMAL(12, 3)": (pa.array([Decimal("1.500")], pa.decimal128(12, 3)), "double", "DOUBLE"),
    "TIMESTAMP(6)": (pa.array([NOON], pa.timestamp("us")), "string", "STRING"),
    "TIMESTAMP_LTZ(3)": (pa.array([NOON], pa.timestamp("ms", tz="UTC")), "int", "INT"),
    "DATE": (pa.array([date(2024, 6, 18)]), "string", "STRING"),
    "TIME(3)": (pa.array([time(12)], pa.time32("ms")), "string", "STRING"),
    "BOOLEAN": (pa.array([True]), "timestamp_ntz", "TIMESTAMP"),
}


def why_unreadable(spark: SparkSession, place: Path, values: pa.Array, kind: str) -> str:
    file = place / "part-1.parquet"
    pq.write_table(pa.table({"id": pa.array([7]), "amount": values}), file)
    with pytest.raises(Exception) as failed:
        spark.read.schema(f"id bigint, amount {kind}").parquet(str(file)).collect()
    known = explained(failed.value)
    assert isinstance(known, CorruptFileError) and known.path == str(file)
    return str(known)


@pytest.mark.parametrize("stored", UNFIT)
def test_both_types_are_named(spark: SparkSession, tmp_path: Path, stored: str) -> None:
    values, kind, wanted = UNFIT[stored]
    assert why_unreadable(spark, tmp_path, values, kind) == (
        f"the file {tmp_path}/part-1.parquet can't be read: its column amount is {stored}, and the table says "
        f"{wanted}. Declare the column as it is in the file (a query converts it by CAST), or write the file with "
        f"{wanted}, or set 'source.ignore-corrupt' = 'true' to leave such files out and count them"
    )


def test_a_field_of_a_column_and_a_column_without_fields(spark: SparkSession, tmp_path: Path) -> None:
    said = why_unreadable(spark, tmp_path, pa.array([{"net": 1}]), "struct<net:string>")
    assert "its column amount.net is BIGINT, and the table says STRING" in said
    said = why_unreadable(spark, tmp_path, pa.array([1]), "struct<net:string>")
    assert "its column amount is BIGINT, and the table says a type with fields" in said
