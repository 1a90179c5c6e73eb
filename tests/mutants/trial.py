"""Tests run in the copy, with a fault or without one, and those that fail are counted."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

import psutil

from tests.mutants.fault import Fault
from tests.mutants.scratch import Scratch

_ANSWERS = (0, 1, 2, 5)
"""Statuses of pytest: all have passed, some have failed, some can't even be imported, or there are none."""
# Tests of this list itself would find each fault, as its text is gone.
_ALWAYS = ("--no-header", "--tb=short", "-o", "junit_family=xunit1", "--ignore=tests/mutants")
_NAMED = 20


class NotTriedError(Exception):
    """pytest ended without an answer."""


@dataclass(frozen=True)
class Run:
    """So many tests were `run`, and these have `failed`, in themselves or in what they need."""

    run: int
    failed: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Trial:
    """What came of a fault: so many tests of those that were `run` have `failed`, the first of them are `by`. `looked`
    says which tests were asked."""

    name: str
    area: str
    file: str
    looked: str
    run: int
    failed: int
    seconds: float
    by: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        return self.failed > 0

    def __str__(self) -> str:
        found = "found" if self.is_found else "NOT FOUND"
        return f"{self.name:58} {found:9} {self.failed:4} of {self.run:4} tests {self.seconds:7.1f} s"


def tried(made: Scratch, fault: Fault, looked: str, command: Sequence[str], first: bool) -> Trial:
    """As `run_in`, with the fault inside."""
    with made.planted(fault):
        found = run_in(made, command, first)
    by = found.failed[:_NAMED]
    return Trial(fault.name, fault.area, fault.file, looked, found.run, len(found.failed), found.seconds, by)


def run_in(made: Scratch, command: Sequence[str], first: bool) -> Run:
    """The tests of a selection in the copy as it is now; with `first` up to the first that fails. Raises
    NotTriedError."""
    report = made.root.parent / "report.xml"
    report.unlink(missing_ok=True)
    options = (f"--junit-xml={report}", *_ALWAYS, *(["-x"] if first else []))
    began = time.monotonic()
    status, printed = _ended([str(made.python), "-m", *command, *options], made)
    seconds = round(time.monotonic() - began, 1)
    if status not in _ANSWERS or not report.exists():
        raise NotTriedError(f"pytest ended with {status}:\n{printed[-3000:]}")
    tests = {f"{one.get('classname')}::{one.get('name')}": one for one in ElementTree.parse(report).iter("testcase")}
    failed = [name for name, one in tests.items() if {"failure", "error"} & {part.tag for part in one}]
    run = sum(one.find("skipped") is None for one in tests.values())
    return Run(run, tuple(failed), seconds)


def _ended(command: Sequence[str], made: Scratch) -> tuple[int, str]:
    """The status and the output of a command. All that it started ends with this call, also a driver that a fault has
    left."""
    running = subprocess.Popen(
        command, cwd=made.root, env=made.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        printed, _ = running.communicate()
    finally:
        _end_all(made)
    return running.returncode, printed


def _end_all(made: Scratch) -> None:
    """Processes of the copy are known by a variable, which each passes on."""
    mine = made.environment["VIRTUAL_ENV"]
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if one.environ().get("VIRTUAL_ENV") == mine:
                one.kill()
