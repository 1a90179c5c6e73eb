"""Times with the fraction digits of their types: cut towards the past, wherever they stand."""

from __future__ import annotations

from datetime import datetime

import pytest

from airflow_nrt.basics.fractions import cut, holds_coarse
from airflow_nrt.basics.types import BIGINT, DataType

TIMES = (
    "1969-12-31 23:59:59.987654",
    "1969-12-31 23:59:58.5",
    "0001-01-01 00:00:00.999999",
    "2024-05-01 10:00:00.000001",
)
KINDS = [DataType(name, precision) for name in ("TIMESTAMP", "TIMESTAMP_LTZ") for precision in range(7)]


def of(kind: DataType, shape: str) -> DataType:
    fields = {"ARRAY": ("element",), "ROW": ("t",)}[shape]
    return DataType(shape, children=tuple((name, kind) for name in fields))


@pytest.mark.parametrize("name", ["TIMESTAMP", "TIMESTAMP_LTZ"])
def test_values(spark, name: str) -> None:
    """Of all digits, as columns and in an array of rows, in one job."""
    kinds = [kind for kind in KINDS if kind.name == name]
    times = [f"CAST(TIMESTAMP_NTZ'{time}' AS {kinds[0].spark})" for time in TIMES]
    rows = ", ".join(f"named_struct('t', {time})" for time in times)
    plain = (f"array({', '.join(cut(time, kind) for time in times)})" for kind in kinds)
    nested = (f"transform({cut(f'array({rows}, NULL)', of(of(kind, 'ROW'), 'ARRAY'))}, r -> r.t)" for kind in kinds)
    shown = (f"transform({one}, t -> CAST(t AS TIMESTAMP_NTZ))" for one in (*plain, *nested))
    (found,) = spark.sql(f"SELECT {', '.join(shown)}").collect()
    for precision in range(7):
        unit = 10 ** (6 - precision)
        wanted = [datetime.fromisoformat(time) for time in TIMES]
        wanted = [time.replace(microsecond=time.microsecond // unit * unit) for time in wanted]
        assert found[precision] == wanted
        assert found[7 + precision] == [*wanted, None]


def test_of_keys_that_become_one_the_first_counts(spark) -> None:
    kind = DataType("MAP", children=(("key", DataType("TIMESTAMP", 3)), ("value", BIGINT)))
    pairs = "map(TIMESTAMP_NTZ'2024-05-01 10:00:00.0001', 1, TIMESTAMP_NTZ'2024-05-01 10:00:00.0002', 2)"
    (found,) = spark.sql(f"SELECT {cut(pairs, kind)} AS m").collect()
    assert found.m == {datetime(2024, 5, 1, 10): 1}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(KINDS[3], True), (KINDS[6], False), (of(KINDS[0], "ROW"), True), (DataType("TIME", 3), False)],
)
def test_which_types_are_coarse(kind: DataType, expected: bool) -> None:
    assert holds_coarse(kind) is expected
