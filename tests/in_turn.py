"""Cases in several modes: in the suite a case has one of them, in turn; the others are for `make thorough`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest


def in_turn(cases: Iterable[Any], modes: Sequence[str], each: int = 1, always: Collection[str] = ()) -> list[Any]:
    """Parameters `case` and `mode`, of cases that have a `name`. The suite has one of `each` so many cases, and those
    that are named `always`."""
    cases = list(cases)
    inside = {n for n, case in enumerate(cases) if n % each == 0 or case.name in always}

    def is_in_suite(n: int, at: int) -> bool:
        return n in inside and n // each % len(modes) == at

    return [
        pytest.param(case, mode, id=f"{case.name}-{mode}", marks=() if is_in_suite(n, at) else pytest.mark.thorough)
        for n, case in enumerate(cases)
        for at, mode in enumerate(modes)
    ]


def thorough(*cases: tuple[Any, ...]) -> list[Any]:
    """Cases for `make thorough` alone."""
    return [pytest.param(*case, marks=pytest.mark.thorough) for case in cases]


def every_second(names: Iterable[str]) -> list[Any]:
    """Each second one is in the suite, the others are for `make thorough`."""
    return [pytest.param(name, marks=pytest.mark.thorough if n % 2 else ()) for n, name in enumerate(names)]
