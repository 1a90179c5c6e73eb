"""A unit test that starts a process or opens Airflow's metadata database fails, and hears what to ask for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.tiers import tier_of

PROCESS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system"}
_broken: list[str] | None = None
"""What the unit test that runs has done wrong; None while no such test runs."""


def _need(event: str, arguments: tuple[Any, ...]) -> str | None:
    """What a test needs that does this, in words."""
    if event in PROCESS:
        what = " ".join(str(one) for one in (event, *arguments[:1]))
        return f"starts a process ({what}): it needs `pytestmark = pytest.mark.process`"
    if event == "sqlite3.connect" and str(arguments[0]).endswith("airflow.db"):
        return "opens Airflow's metadata database: it needs `pytestmark = pytest.mark.airflow`"
    return None


def _is_of_platform() -> bool:
    """Whether the standard library's `platform` asks the system: libraries do that once, when they are imported."""
    frame = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") != "platform":
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _broken is None or (need := _need(event, arguments)) is None or _is_of_platform():
        return
    _broken.append(f"a test of the tier unit {need}, or a fixture with that name (tests/tiers.py)")
    raise pytest.fail.Exception(_broken[0])


@contextmanager
def watched(item: pytest.Item) -> Iterator[None]:
    """A phase of a test. Where code swallows the failure, or another thread causes it, the phase fails at its end."""
    global _broken
    before, _broken = _broken, [] if tier_of(item) == "unit" else None
    try:
        yield
        if _broken:
            pytest.fail(_broken[0], pytrace=False)
    finally:
        _broken = before


sys.addaudithook(_audit)
