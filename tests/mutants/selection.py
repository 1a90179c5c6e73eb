"""Which tests look for faults: by name, what follows `python -m` before options of pytest."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from tests.mutants.fault import ROOT, Fault

Selection = Callable[[Sequence[Fault]], Sequence[str]]
"""Of the tests that look for any of these faults. Raises NotHereError."""


class NotHereError(Exception):
    """This tree has no such selection."""


def _expected(faults: Sequence[Fault]) -> Sequence[str]:
    """The tests that the list names."""
    return ("pytest", *dict.fromkeys(test for fault in faults for test in fault.tests))


def _unit(faults: Sequence[Fault]) -> Sequence[str]:
    """Those of `make test-unit`."""
    _check_target("test-unit")
    return ("pytest", "--tier=unit")


def _changed(faults: Sequence[Fault]) -> Sequence[str]:
    """Those of `make test-changed`, if the files of the faults are what has changed."""
    _check_target("test-changed")
    return ("tests.changed", *dict.fromkeys(fault.file for fault in faults), "--")


def _check_target(name: str) -> None:
    if f"{name}:" not in (ROOT / "Makefile").read_text(encoding="utf-8"):
        raise NotHereError(f"the Makefile of this tree has no `make {name}`")


SELECTIONS: Mapping[str, Selection] = {"expected": _expected, "unit": _unit, "changed": _changed}


def selection_of(text: str) -> Selection:
    """The selection of this name; any other text is arguments of pytest."""
    return SELECTIONS.get(text) or (lambda faults: ("pytest", *shlex.split(text)))
