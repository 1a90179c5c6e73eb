"""Cases in several modes: in the suite each case in one of them, in turn; the others are for `make thorough`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def in_turn(cases: Iterable[Any], modes: Sequence[str]) -> list[Any]:
    """Parameters `case` and `mode`, of cases that have a `name`."""
    return [
        pytest.param(case, mode, id=f"{case.name}-{mode}", marks=() if n % len(modes) == at else pytest.mark.thorough)
        for n, case in enumerate(cases)
        for at, mode in enumerate(modes)
    ]


def every_second(names: Iterable[str]) -> list[Any]:
    """Each second one is in the suite, the others are for `make thorough`."""
    return [pytest.param(name, marks=pytest.mark.thorough if n % 2 else ()) for n, name in enumerate(names)]
