"""Which tests look for a fault: the arguments of pytest, by name."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence

from tests.mutants.fault import Fault
from tests.mutants.scratch import Scratch

Selection = Callable[[Scratch, Fault], Sequence[str]]


class NotHereError(Exception):
    """This tree has no such selection."""


def _expected(made: Scratch, fault: Fault) -> Sequence[str]:
    """The tests that the list names."""
    return fault.tests


def _unit(made: Scratch, fault: Fault) -> Sequence[str]:
    """The tests of `make test-unit`: those that use nothing."""
    if "test-unit:" not in (made.root / "Makefile").read_text(encoding="utf-8"):
        raise NotHereError("this tree has no tests marked as unit: `make test-unit` is not there yet")
    return ("-m", "unit", "tests")


def _changed(made: Scratch, fault: Fault) -> Sequence[str]:
    """The tests of `make test-changed`, if the file of the fault is all that has changed."""
    if "test-changed:" not in (made.root / "Makefile").read_text(encoding="utf-8"):
        raise NotHereError("this tree can't tell what a change reaches: `make test-changed` is not there yet")
    asked = (made.python, "-m", "tests.changed", "--print", fault.file)
    told = subprocess.run(asked, cwd=made.root, env=made.environment, capture_output=True, text=True)
    if told.returncode:
        raise NotHereError(f"`{shlex.join(map(str, asked[1:]))}` failed: {told.stderr.strip()}")
    return told.stdout.split()


SELECTIONS: Mapping[str, Selection] = {"expected": _expected, "unit": _unit, "changed": _changed}


def selection_of(text: str) -> Selection:
    """The selection of this name; any other text is the arguments of pytest themselves."""
    return SELECTIONS.get(text) or (lambda made, fault: shlex.split(text))
