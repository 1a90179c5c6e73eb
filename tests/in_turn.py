"""Cases in several modes, formats and databases: in the suite a test has one of them, in turn. The others are for
`make thorough`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

import pytest

from tests.tiers import tier_of


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


T = TypeVar("T")
ALIKE = ("lake", "mode", "server")
"""Parameters whose values are to give the same: formats of a lakehouse, stream and batch, databases."""


def one_of_each(items: Iterable[pytest.Item]) -> None:
    """Leaves each test of such a parameter with one of its values, in the order of the tests of a file. Unit tests have
    all: they cost nothing."""
    items = [item for item in items if tier_of(item) != "unit"]
    for name in ALIKE:
        tests: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
        for item in items:
            given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
            if name in given and item.get_closest_marker("thorough") is None:
                others = {other: str(value) for other, value in given.items() if other != name}
                tests[str(item.path)][f"{item.originalname} {others}"].append(item)
        for of_file in tests.values():
            for one in left_out(of_file.values()):
                one.add_marker(pytest.mark.thorough)


def half_of_queries(items: Iterable[pytest.Item]) -> None:
    """Leaves each second query that is run together with the others of its file."""
    together: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        if "given" in getattr(item, "fixturenames", ()) and "query" in given:
            together[item.nodeid.partition("[")[0]].append(item)
    for same in together.values():
        for one in same[1::2]:
            one.add_marker(pytest.mark.thorough)


def left_out(alike: Iterable[Sequence[T]]) -> list[T]:
    """Of groups that are alike all but one member each: the first of the first group, the second of the next."""
    return [one for n, same in enumerate(alike) for at, one in enumerate(same) if at != n % len(same)]
