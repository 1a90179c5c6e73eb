"""Lines that stay, and on a terminal a last line that is redrawn."""

from __future__ import annotations

import os
import sys
import threading

from airflow_nrt.cli.terminal.colours import Colour, is_terminal, painted

CLEAR = "\x1b[H\x1b[J"
"""The control sequence that clears a terminal."""
_CLEARED = "\r\x1b[K"
_COLUMNS = 100
"""The width of a terminal that does not report it."""


class Screen:
    """Output of threads on standard error. A reader that has left is no error: the job goes on.

    `status` lines are for a terminal alone, where nothing else writes.
    """

    def __init__(self, has_status: bool = True) -> None:
        self._has_status = has_status and is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._status = ""
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        """Prints a permanent line, above the status."""
        with self._lock:
            self._write(f"{self._cleared}{text}\n{self._shown}")

    def status(self, text: str) -> None:
        """Redraws the status; an empty text removes it."""
        if not self._has_status or text == self._status:
            return
        with self._lock:
            cleared, self._status = self._cleared, text
            self._write(f"{cleared}{self._shown}")

    @property
    def _cleared(self) -> str:
        return _CLEARED if self._status else ""

    @property
    def _shown(self) -> str:
        return painted(self._status[: _columns() - 1], Colour.ASIDE, sys.stderr)

    def _write(self, text: str) -> None:
        if sys.stderr is None:
            return
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            self._has_status = False


def _columns() -> int:
    """The width of the terminal of standard error, because standard output may be a pipe."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS
