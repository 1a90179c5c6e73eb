"""What tells functions of one text apart, and what does not."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.functions import DataTypes, ScalarFunction
from airflow_nrt.program.closure_digest import captured
from airflow_nrt.program.functions import Parameter
from airflow_nrt.table import udf

MODULE = """
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from enum import Enum

class Colour(Enum):
    RED = 1

@dataclass(frozen=True)
class Rate:
    by: Decimal

def times(*values):
    named, later = {"b": {"x", "y", "z"}, "a": len}, lambda v: v in {"p", "q", "r"}
    def call(v, *, at=datetime(2024, 3, 1, tzinfo=timezone.utc)):
        return call and [one for one in values], later(v), re.sub("a", "b", v), named
    return call

made = times(Colour.RED, Rate(Decimal("1.5")), re.compile("a+"), b"bytes", 1.5, range(3), object(), Rate, timezone)
"""


class Scale(ScalarFunction):
    def __init__(self, factor: Any) -> None:
        self.factor = factor

    def eval(self, value: int) -> Any:
        return value * self.factor

    def __call__(self, value: int) -> Any:
        return self.eval(value)


def closing(factor: Any) -> Any:
    return lambda value: value * factor


def defaulting(factor: Any) -> Any:
    def times(value: int, by: Any = factor) -> Any:
        return value * by

    return times


def keyword(factor: Any) -> Any:
    def times(value: int, *, by: Any = factor) -> Any:
        return value * by

    return times


def inner(factor: Any) -> Any:
    return closing(closing(factor))


def local(factor: Any) -> Any:
    class Local(ScalarFunction):
        by = factor

    return Local()


def local_method(factor: Any) -> Any:
    class Local(ScalarFunction):
        def eval(self, value: int) -> Any:
            return value * factor

    return Local()


def partial(factor: Any) -> Any:
    return functools.partial(max, factor)


def method(factor: Any) -> Any:
    return Scale(factor).eval


def cached(factor: Any) -> Any:
    return functools.lru_cache(closing(factor))


MAKERS = [Scale, closing, defaulting, keyword, inner, local, local_method, partial, method, cached]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("one, other", [(3, 4), (3, 3.0), ("a", "b"), (Decimal(1), Decimal(2)), ([1], [1, 2])])
def test_what_a_function_carries_tells_it_apart(make: Any, one: Any, other: Any) -> None:
    assert captured(make(one)) == captured(make(one))
    assert captured(make(one)) != captured(make(other))


def test_two_lambdas_of_one_line_are_two() -> None:
    one, other = (lambda value: value + 1), (lambda value: value + 2)
    assert captured(one) != captured(other)


@pytest.mark.process
def test_it_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Whatever the order of sets is, and where things stand in memory; comments and layout don't count."""
    told = set()
    for n in range(3):
        (tmp_path / "carrying.py").write_text("\n# a comment" * n + MODULE.replace("\n    ", f"\n  {'  ' * n}"))
        child = subprocess.run(
            [sys.executable, "-c", "import carrying; from airflow_nrt.program.closure_digest import captured as c; "
             "print(c(carrying.made))"],
            cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": str(n)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.add(child.stdout)
    assert len(told) == 1 and "Decimal" in told.pop()


@pytest.mark.parametrize("make", MAKERS)
def test_what_cannot_travel_is_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"carries <unlocked _thread.lock.*make it in open\(\)"):
        captured(make(threading.Lock()))


@pytest.mark.parametrize(
    ("carried", "name"),
    [
        (DataTypes.BIGINT(), "airflow_nrt.report.types.DataType"),
        (Parameter("v", None), "airflow_nrt.report.functions.Parameter"),
        (udf(lambda v: v, result_type=DataTypes.INT()), "airflow_nrt.table.function_calls.CallableFunction"),
    ],
)
def test_what_is_ours_has_the_name_that_homes_hold(carried: Any, name: str) -> None:
    """A home that was made by the first version still knows its functions."""
    assert f"type({name})" in captured(closing(carried))
