"""ARRAY and ROW in csv: each field was read by Flink 2.3 once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from tests.engine.sources.test_options import read

TEXTS, NUMBERS, ROW = "ARRAY<STRING>", "ARRAY<INT>", "ROW<x INT, y STRING>"
NULL, IGNORE = "'csv.null-literal' = 'NA'", "'csv.ignore-parse-errors' = 'true'"
READ: list[tuple[str, str, tuple[str, ...], Any]] = [
    ("1;2;3", NUMBERS, (), [1, 2, 3]),
    ("1; 2 ", NUMBERS, (), [1, 2]),
    ("", NUMBERS, (), []),
    ('""', TEXTS, (), []),
    (" ", TEXTS, (), []),
    ("a;;b", TEXTS, (), ["a", "", "b"]),
    (";", TEXTS, (), ["", ""]),
    ('"a;b"', TEXTS, (), ["a", "b"]),
    (" a; b ", TEXTS, (), [" a", " b "]),
    ("1|2", NUMBERS, ("'csv.array-element-delimiter' = '|'",), [1, 2]),
    ("1\t2", NUMBERS, (r"'csv.array-element-delimiter' = U&'\0009'",), [1, 2]),
    ("1;NA", NUMBERS, (NULL,), [1, None]),
    ("NA", TEXTS, (NULL,), [None]),
    ("true;false", "ARRAY<BOOLEAN>", (), [True, False]),
    ("1;2", "ARRAY<DECIMAL(5, 2)>", (), ["1.00", "2.00"]),
    ("1;12345", "ARRAY<DECIMAL(5, 2)>", (), ["1.00", None]),
    ("1;x", NUMBERS, (IGNORE,), [1, None]),
    ("1;q", ROW, (), {"x": 1, "y": "q"}),
    (" 1; q", ROW, (), {"x": 1, "y": " q"}),
    ("1;q;3", ROW, (), {"x": 1, "y": "q"}),
    ("", ROW, (), None),
    ("NA;NA", ROW, (NULL,), {"x": None, "y": None}),
    ("1", ROW, (IGNORE,), {"x": 1, "y": None}),
    ("z;q", ROW, (IGNORE,), {"x": None, "y": "q"}),
    (
        "1;2024-03-01 10:00:00;1.005",
        "ROW<x INT, y TIMESTAMP(3), z DECIMAL(5, 2)>",
        (),
        {"x": 1, "y": "2024-03-01 10:00:00.000", "z": "1.01"},
    ),
]


@pytest.mark.parametrize("options", sorted({case[2] for case in READ}))
def test_fields_are_those_of_flink(spark, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Fields with the same options stand in one line."""
    cases = [(field, kind, value) for field, kind, given, value in READ if given == options]
    columns = ", ".join(f"c{n} {kind}" for n, (_, kind, _) in enumerate(cases))
    line = ",".join([*(field for field, _, _ in cases), "end"])
    (row,) = read(spark, tmp_path, f"{columns}, `end` STRING", "csv", [line], *options)
    assert [row[f"c{n}"] for n in range(len(cases))] == [value for _, _, value in cases]


@pytest.mark.parametrize(
    ("field", "kind", "why"),
    [
        (";", NUMBERS, "is no ARRAY<INT>"),
        ("1;x", NUMBERS, "is no ARRAY<INT>"),
        ("1", ROW, "is no ROW<"),
        ("z;q", ROW, "is no ROW<"),
        ("x;12345", "ARRAY<DECIMAL(5, 2)>", "is no ARRAY<"),
    ],
)
def test_fields_that_flink_refuses(spark, tmp_path: Path, field: str, kind: str, why: str) -> None:
    with pytest.raises(Exception, match=why):
        read(spark, tmp_path, f"a {kind}, b STRING", "csv", [f"{field},x"])


def test_a_field_that_is_missing(spark, tmp_path: Path) -> None:
    assert read(spark, tmp_path, f"b STRING, a {NUMBERS}", "csv", ["x"], IGNORE) == [{"b": "x", "a": None}]


@pytest.mark.parametrize("kind", ["MAP<STRING, INT>", f"ARRAY<{ROW}>", "ROW<x ARRAY<INT>>"])
def test_what_has_no_field(spark, tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputError, match="csv has no field for"):
        read(spark, tmp_path, f"a {kind}", "csv", [])
