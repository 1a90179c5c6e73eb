"""SQL types in the spellings of Flink and of Spark."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.types import BIGINT, INT, STRING, DataType, decimal

ROW = DataType("ROW", children=(("a", INT), ("b", DataType("ARRAY", children=(("element", STRING),)))))


@pytest.mark.parametrize(
    ("kind", "flink", "spark"),
    [
        (BIGINT, "BIGINT", "BIGINT"),
        (decimal(10, 2), "DECIMAL(10, 2)", "DECIMAL(10,2)"),
        (DataType("VARCHAR", precision=20), "VARCHAR(20)", "STRING"),
        (DataType("CHAR", precision=1), "CHAR(1)", "STRING"),
        (DataType("BYTES"), "BYTES", "BINARY"),
        (DataType("TIMESTAMP", precision=3), "TIMESTAMP(3)", "TIMESTAMP_NTZ"),
        (DataType("TIMESTAMP_LTZ", precision=3), "TIMESTAMP_LTZ(3)", "TIMESTAMP"),
        (
            DataType("MAP", children=(("key", STRING), ("value", decimal(4, 1)))),
            "MAP<STRING, DECIMAL(4, 1)>",
            "MAP<STRING,DECIMAL(4,1)>",
        ),
        (ROW, "ROW<`a` INT, `b` ARRAY<STRING>>", "STRUCT<`a`:INT,`b`:ARRAY<STRING>>"),
    ],
)
def test_spellings(kind: DataType, flink: str, spark: str) -> None:
    assert (kind.flink, kind.spark) == (flink, spark)


def test_nullability_is_said_only_where_it_is_excluded() -> None:
    assert str(BIGINT) == "BIGINT"
    assert str(BIGINT.with_nullable(False)) == "BIGINT NOT NULL"
    assert str(DataType("ARRAY", children=(("element", INT.with_nullable(False)),))) == "ARRAY<INT NOT NULL>"


@pytest.mark.parametrize(("kind", "digits"), [(INT, 10), (BIGINT, 19), (decimal(12, 3), 12)])
def test_digits(kind: DataType, digits: int) -> None:
    assert kind.digits == digits
