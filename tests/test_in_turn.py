"""Which cases the suite has, and which are for `make thorough`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.in_turn import every_second, in_turn, left_out


def in_suite(params: list[Any]) -> list[str]:
    return [one.id or one.values[0] for one in params if not one.marks]


def test_a_case_has_one_mode_in_turn() -> None:
    cases = [SimpleNamespace(name=name) for name in "abcde"]
    modes = ("stream", "batch")
    assert in_suite(in_turn(cases, modes)) == ["a-stream", "b-batch", "c-stream", "d-batch", "e-stream"]
    assert in_suite(in_turn(cases, modes, each=2)) == ["a-stream", "c-batch", "e-stream"]
    assert in_suite(in_turn(cases, modes, each=2, always=["d"])) == ["a-stream", "c-batch", "d-batch", "e-stream"]
    assert len(in_turn(cases, modes, each=2)) == 10


def test_every_second() -> None:
    assert in_suite(every_second("abcde")) == ["a", "c", "e"]


def test_one_of_each_group() -> None:
    assert left_out([["delta", "iceberg"], ["delta", "iceberg"], ["alone"]]) == ["iceberg", "delta"]
