"""Dataclasses of JSON: what is as it should be, and what the errors of all else name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field
from typing import Any

import pytest

from airflow_nrt.files.decoding import STORED_AS, decoded


@dataclass(frozen=True)
class Part:
    name: str
    size: int | None
    whole: bool = True
    ratio: float = 0.5
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Box:
    of: Part | None = None
    parts: Mapping[str, Part] = field(default_factory=dict)
    ends: Mapping[int, int | None] = field(default_factory=dict)
    any: Any = None
    is_open: bool = field(default=False, metadata={STORED_AS: "open"})


@dataclass(frozen=True)
class Even:
    n: int

    def __post_init__(self) -> None:
        if self.n % 2:
            raise ArithmeticError(f"{self.n} is odd")


PARTS = [
    Part("a", 3),
    Part("ä", None, False, 1.5, ("x", "ü")),
    Part("", -(2**63), True, 7, ()),
    Part("a", 2**63 - 1),
]


@pytest.mark.parametrize("part", PARTS)
def test_what_is_written_is_read(part: Part) -> None:
    assert decoded(json.loads(json.dumps(asdict(part))), Part) == part


def test_fields_may_lack_where_they_have_a_default_and_each_dataclass_has_its_own() -> None:
    part = decoded({"size": 1, "name": "a"}, Part)
    assert part == Part("a", 1)
    assert hash(part) == hash(Part("a", 1))
    assert repr(part) == repr(Part("a", 1))
    a, b = decoded({}, Box), decoded({}, Box)
    assert a == b == Box()
    assert a.parts is not b.parts


def test_nested_dataclasses_and_names_that_files_have() -> None:
    part = {"name": "a", "size": 1}
    found = decoded({"of": part, "parts": {"p": part}, "ends": {"4": None}, "any": [1], "open": True}, Box)
    assert found == Box(Part("a", 1), {"p": Part("a", 1)}, {4: None}, [1], True)


def test_a_dataclass_stays_frozen_and_checks_itself() -> None:
    with pytest.raises(FrozenInstanceError):
        decoded({"name": "a", "size": 1}, Part).name = "b"  # type: ignore[misc]
    assert decoded({"n": 2}, Even) == Even(2)
    with pytest.raises(ArithmeticError, match="3 is odd"):
        decoded({"n": 3}, Even)


GOOD = {"name": "a", "size": 1}
WRONG = [
    ([], "a JSON array is no Part"),
    ("", "'' is no Part"),
    (None, "None is no Part"),
    ({**GOOD, "name": 1}, "its field 'name': 1 is no text"),
    ({**GOOD, "name": None}, "its field 'name': None is no text"),
    ({**GOOD, "size": "1"}, "its field 'size': '1' is no whole number of 64 bits"),
    ({**GOOD, "size": True}, "its field 'size': True is no whole number"),
    ({**GOOD, "size": 2**63}, "its field 'size': 9223372036854775808 is no whole number of 64 bits"),
    ({**GOOD, "size": 1.0}, "its field 'size': 1.0 is no whole number"),
    ({**GOOD, "whole": 1}, "its field 'whole': 1 is neither true nor false"),
    ({**GOOD, "whole": None}, "its field 'whole': None is neither true nor false"),
    ({**GOOD, "ratio": float("inf")}, "its field 'ratio': inf is no whole number"),
    ({**GOOD, "tags": "a"}, "its field 'tags': 'a' is no JSON array"),
    ({**GOOD, "tags": {}}, "its field 'tags': a JSON object is no JSON array"),
    ({**GOOD, "tags": ["a", 2]}, "its field 'tags': 2 is no text"),
    ({**GOOD, "more": 1}, "it has a field 'more', which is unknown"),
    ({"size": 1, "more": 1}, "it has a field 'more', which is unknown"),
    ({"size": 1, "whole": True}, "missing 1 required positional argument: 'name'"),
    ({}, "missing 2 required positional arguments: 'name' and 'size'"),
]


@pytest.mark.parametrize(("content", "says"), WRONG)
def test_what_is_wrong_is_named(content: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        decoded(content, Part)


def test_a_path_to_what_is_wrong_is_named() -> None:
    with pytest.raises(TypeError, match="its field 'parts': its field 'size': 'x' is no whole number"):
        decoded({"parts": {"p": {"name": "a", "size": "x"}}}, Box)
    with pytest.raises(TypeError, match="its field 'ends': 'x' is no whole number"):
        decoded({"ends": {"x": 1}}, Box)
    with pytest.raises(TypeError, match=r"its field 'parts': a JSON array is no JSON object"):
        decoded({"parts": []}, Box)


@pytest.mark.parametrize("content", [[], "", 0, False])
def test_what_is_empty_is_no_object(content: Any) -> None:
    with pytest.raises(TypeError, match="is no Box"):
        decoded(content, Box)
    with pytest.raises(TypeError, match="is no Part"):
        decoded({"of": content}, Box)


def test_halves_of_characters_are_replaced() -> None:
    assert decoded({**GOOD, "name": json.loads('"a\\ud800"')}, Part).name == "a?"


@dataclass(frozen=True)
class Columns:
    size: tuple[int, ...] = ()
    name: list[str] = field(default_factory=list)
    end: tuple[int | None, ...] = ()
    flag: tuple[bool, ...] = ()


def test_long_columns() -> None:
    columns = Columns((*range(100), -(2**63)), ["a"] * 50, (*range(40), None, 2**63 - 1), (True,) * 30)
    found = decoded(json.loads(json.dumps(asdict(columns))), Columns)
    assert found == columns
    assert [type(one) for one in vars(found).values()] == [tuple, list, tuple, tuple]
    assert decoded({"name": ["ü"] * 30}, Columns).name == ["ü"] * 30
    assert decoded({"name": [json.loads('"\\ud800"')] * 30}, Columns).name == ["?"] * 30
    assert decoded({"end": [None] * 30}, Columns).end == (None,) * 30


@pytest.mark.parametrize(
    ("column", "wrong"),
    [("size", 2**63), ("size", -(2**63) - 1), ("size", True), ("size", None), ("size", 1.5), ("name", 1), ("flag", 1),
     ("name", None), ("end", "x"), ("end", 2**63)],
)  # fmt: skip
def test_one_wrong_value_in_a_long_column(column: str, wrong: object) -> None:
    good = {"size": 1, "name": "a", "end": 1, "flag": True}[column]
    with pytest.raises(TypeError, match=f"its field '{column}': {wrong!r} is n"):
        decoded({column: [good] * 40 + [wrong] + [good] * 40}, Columns)
