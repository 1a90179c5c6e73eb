"""What functions give as rows."""

from __future__ import annotations

from datetime import datetime

import pytest

from airflow_nrt.engine.functions.conversion import conversion, rows_conversion
from airflow_nrt.table.functions import DataTypes, Row

NUMBERS = DataTypes.ROW([DataTypes.ARRAY(DataTypes.INT())])
WORDS = DataTypes.ROW([DataTypes.STRING()])
PAIRS = DataTypes.ROW([DataTypes.ARRAY(DataTypes.INT()), DataTypes.INT()])


@pytest.mark.parametrize(
    ("kind", "given", "rows"),
    [
        (NUMBERS, iter([[1, 2, 3], ([4],), Row([5]), None]), [([1, 2, 3],), ([4],), ([5],), (None,)]),
        (WORDS, iter(["a", ["b"], ("c",)]), [("a",), ("b",), ("c",)]),
        (PAIRS, iter([[[1], 2], Row([3], 4)]), [([1], 2), ([3], 4)]),
    ],
)
def test_a_row_or_its_one_value(kind, given, rows) -> None:
    assert rows_conversion(kind)(given) == rows


@pytest.mark.parametrize("digits", range(7))
def test_a_time_has_the_digits_of_its_type(digits: int) -> None:
    unit = 10 ** (6 - digits)
    given = datetime(1969, 12, 31, 23, 59, 59, 987654)
    assert conversion(DataTypes.TIMESTAMP(digits))(given) == given.replace(microsecond=987654 // unit * unit)
