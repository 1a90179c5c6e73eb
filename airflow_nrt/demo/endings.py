"""Ends all that a demonstration has started, whatever ends the demonstration."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator, Mapping

import psutil  # type: ignore[import-untyped]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE_SECONDS = 10.0


def end_as_by_ctrl_c() -> None:
    """From here on all signals that end a process raise KeyboardInterrupt, so that started processes end first."""
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """A second signal does not stop the cleanup."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def kill_all_with(environment: Mapping[str, str]) -> None:
    """Kills all processes that carry these variables, until there are none.

    Session and parent do not identify them: a driver, or a batch whose worker was killed, has neither any more.
    """
    deadline = time.monotonic() + _GRACE_SECONDS
    while (found := _all_with(environment)) and time.monotonic() < deadline:
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(found, timeout=1)


def _all_with(environment: Mapping[str, str]) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if environment.items() <= process.environ().items():
                found.append(process)
    return found
