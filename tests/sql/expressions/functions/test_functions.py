"""Flink's functions: each expression has Flink's type and value, or the difference is written down and documented."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from airflow_nrt.basics.errors import InputError
from airflow_nrt.sql.expressions.functions import CHANGING, ELSEWHERE, FAMILIES, FUNCTIONS, MISSING
from airflow_nrt.sql.expressions.functions.clock import CLOCK_FUNCTIONS
from airflow_nrt.sql.expressions.functions.regex import groups_of
from tests.sql.expressions.functions.flink_functions import (
    Answer,
    answers,
    bare,
    computed,
    equal,
    family_of,
    one_row,
    planned,
)

TABLE = (Path(__file__).resolve().parents[4] / "docs" / "reference" / "functions.md").read_text(encoding="utf-8")
AT_ONCE = 60
"""Expressions in one query."""


@cache
def by_family() -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = {name: [] for name in (*FAMILIES, "Operators")}
    for answer in answers():
        found[family_of(answer)].append(answer)
    return found


@pytest.fixture(scope="module")
def table(spark: Any) -> DataFrame:
    return one_row(spark).cache()


@pytest.mark.parametrize("family", [*FAMILIES, "Operators"])
def test_type_and_value_are_those_of_flink(table: DataFrame, family: str) -> None:
    asked = [one for one in by_family()[family] if not (one.is_refused or one.fails)]
    wrong = []
    for start in range(0, len(asked), AT_ONCE):
        part = asked[start : start + AT_ONCE]
        for answer, (kind, value) in zip(part, computed(table, [one.expression for one in part])):
            if "t" in answer.flink and bare(answer.flink["t"]) != bare(kind):
                wrong.append(f"{answer.expression} is {kind}, in Flink {answer.flink['t']}")
            elif not equal(kind, answer.value, value):
                wrong.append(f"{answer.expression} gives {value!r}, expected is {answer.value!r}")
    assert wrong == []
    assert asked


@pytest.mark.parametrize("answer", [one for one in answers() if one.fails], ids=lambda one: one.expression)
def test_what_fails(table: DataFrame, answer: Answer) -> None:
    with pytest.raises((InputError, PySparkException)) as failed:
        computed(table, [answer.expression])
    if answer.here is not None:
        assert answer.here["error"] in str(failed.value)


@pytest.mark.parametrize("answer", [one for one in answers() if one.is_refused], ids=lambda one: one.expression)
def test_what_is_refused(answer: Answer) -> None:
    assert answer.here is not None
    with pytest.raises(InputError, match=re.escape(answer.here["refused"])):
        planned([answer.expression])


@pytest.mark.parametrize("name", sorted(CHANGING))
def test_a_function_that_changes_from_run_to_run_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} gives another value in each run, so that no backfill"):
        planned([f"{name}()"])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("SPLIT_INDEX(s, -1, 0)", "SPLIT_INDEX wants at least one character as the delimiter"),
        ("TRUNCATE(i, -99999999)", "TRUNCATE takes -38 to 38 places, not -99999999"),
        ("DATE_FORMAT(ts, 5)", "DATE_FORMAT wants a string as a pattern, not INT"),
        ("SHA2(s, 100)", "SHA2 has no 100 bits: write 224, 256, 384 or 512"),
        ("ARRAY[1][-1]", "the elements of an ARRAY begin at 1, there is no element -1"),
        ("i[1]", "[ ] takes an element of an ARRAY or a MAP, not of INT"),
        ("ARRAY[1, 'a']", "the elements of ARRAY[ ] have different types: INT, CHAR(1)"),
        ("MAP['a']", "MAP[ ] wants keys and values in turn"),
        ("ARRAY_CONTAINS(ARRAY[1], 'a')", "ARRAY_CONTAINS: CHAR(1) is no element of ARRAY<INT NOT NULL>: CAST it"),
        ("JSON_VALUE(s, 'a')", "JSON_VALUE: a path begins with $, as in '$.name', 'a' does not"),
        ("JSON_VALUE(s, '$' RETURNING DATE)", "JSON_VALUE returns STRING, BOOLEAN, INTEGER or DOUBLE, not DATE"),
        ("f % 2", "'%' wants exact numbers, f is DOUBLE"),
        ("x'686'", "X'686' must have an even number of hexadecimal digits"),
        ("U&'\\00'", "four hexadecimal digits must follow \\"),
        ("U&'!0041' UESCAPE '4'", "UESCAPE takes one character, no hexadecimal digit, quote, blank or +"),
        ("ROW(1, 2).x", "ROW<`EXPR$0` INT NOT NULL, `EXPR$1` INT NOT NULL> has no field 'x'"),
        ("(i, s) < (1, 'a')", "'<' can't compare ROW: compare the fields"),
        ("(i, s) = (1, 'a', 2)", "'=' can't compare ROW<`EXPR$0` INT, `EXPR$1` STRING> and ROW<"),
        ("'x' SIMILAR TO 'a]'", "'a]' is no pattern of SIMILAR TO"),
        ("'x' SIMILAR TO '[[:NONE:]]'", "'[[:NONE:]]' is no pattern"),
        ("ts + INTERVAL '1-12' YEAR TO MONTH", "'1-12': 12 is no MONTH inside YEAR TO MONTH"),
        ("ts + INTERVAL '1.5' MONTH", "'1.5' is not an interval of MONTH: write '1' MONTH or '1-2' YEAR TO MONTH"),
        ("ts + INTERVAL '1' HOUR * 1.5", "an interval is multiplied with whole numbers, not DECIMAL(2, 1)"),
    ],
)
def test_what_is_wrong(expression: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        planned([expression])


def test_a_doubled_sign_is_none() -> None:
    assert [str(field.type) for field in planned(["ROUND(d, -(-1))"]).inserts[0].query.fields] == ["DECIMAL(9, 1)"]


def test_a_function_with_a_wrong_name_gets_the_nearest() -> None:
    with pytest.raises(InputError, match="there is no function REGEXP_REPLCE; did you mean 'REGEXP_REPLACE'"):
        planned(["REGEXP_REPLCE(s, 'a', 'b')"])
    with pytest.raises(InputError, match="there is no function JSON_QOUTE; did you mean 'JSON_QUOTE'"):
        planned(["JSON_QOUTE(s)"])
    with pytest.raises(InputError, match="there is no function GROUPNG_ID; did you mean 'GROUPING_ID'"):
        planned(["GROUPNG_ID(s)"])


# ---------------------------------------------------------------------------------------------------- the table


def rows() -> dict[str, tuple[str, str, str]]:
    """Of each function in the table: its section, its status, and how it differs."""
    found, section = {}, ""
    for line in TABLE.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif match := re.fullmatch(r"\| `([^`]+)` \| (\w+) \| (.*?) ?\|", line):
            found[match[1]] = (section, match[2], match[3])
    return found


def test_every_function_is_in_its_section() -> None:
    sections = {name: section for name, (section, _, _) in rows().items()}
    expected = {name: family for family, functions in FAMILIES.items() for name in functions}
    expected |= (
        dict.fromkeys(CLOCK_FUNCTIONS, "Processing time")
        | {"UUID": "Identifiers"}
        | dict.fromkeys(CHANGING, "Refused")
        | dict.fromkeys(MISSING, "Missing")
    )
    assert sections == expected
    assert not ({*FUNCTIONS, *CLOCK_FUNCTIONS} & (CHANGING | MISSING.keys() | ELSEWHERE.keys()))


def test_what_is_missing_has_what_to_use_instead() -> None:
    table = rows()
    for name, instead in MISSING.items():
        assert table[name][1:] == ("missing", instead)
        with pytest.raises(InputError, match=re.escape(f"function {name}: not there yet; {instead}")):
            planned([f"{name}()"])


def test_what_is_the_same_has_examples_and_no_difference() -> None:
    table = rows()
    given = [one for family in by_family().values() for one in family]
    for name in FUNCTIONS:
        mine = [one for one in given if one.function == name]
        differs = any(one.here is not None for one in mine)
        assert table[name][1] == ("different" if differs else "same"), name
        assert bool(table[name][2]) == differs, f"{name}: the table says how it differs, and only then"
        assert any("v" in one.flink and one.here is None for one in mine), f"{name} has no example"


@pytest.mark.parametrize(
    ("pattern", "certain"),
    [
        ("foo(.*?)(bar)", [True, True]),
        ("(a)?b", [False]),
        ("(a)|(b)", [False, False]),
        ("((a)|(b))", [True, False, False]),
        ("(?:x(a))*", [False]),
        ("(?<name>a)+", [True]),
        (r"\((a)[(|](b)", [True, True]),
        ("(a){0,2}(b){1,2}", [False, True]),
    ],
)
def test_groups_that_take_part_in_every_match(pattern: str, certain: list[bool]) -> None:
    assert groups_of(pattern) == certain
