"""The output of the demonstration while it runs: numbered steps, and the curve as it grows."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from airflow_nrt.curve import Curve
from airflow_nrt.curve.picture import picture_lines, progress_line
from airflow_nrt.home.status import Status

DRAW_SECONDS = 1.0
LINE_SECONDS = 5.0
"""If the output is no terminal, the curve is drawn once at the end, and progress is a line now and then."""


class Screen:
    """Prints steps with the seconds since the start; in a terminal the curve is drawn in place."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._next = 0.0
        self._lines = 0
        self._in_place = sys.stdout.isatty()

    def step(self, text: str) -> None:
        self._lines = 0
        print(f"[{time.monotonic() - self._started:5.0f} s] {text}", flush=True)

    def lines(self, lines: Sequence[str]) -> None:
        """Prints a detail of the step before."""
        self._lines = 0
        print("\n".join(lines), flush=True)

    @property
    def is_watched(self) -> bool:
        """Whether somebody sits there who can press a key."""
        return sys.stdin is not None and sys.stdin.isatty() and self._in_place

    def wait_for_enter(self) -> None:
        """Until Enter is pressed, or Ctrl-C, or the terminal is closed."""
        with suppress(KeyboardInterrupt):
            sys.stdin.readline()

    def curve(self, curve: Curve, status: Status, until: int) -> None:
        """Draws, unless it did so a moment ago."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + (DRAW_SECONDS if self._in_place else LINE_SECONDS)
        if not self._in_place:
            self.step(progress_line(status))
            return
        self.picture(curve, status, until)

    def picture(self, curve: Curve, status: Status, until: int) -> None:
        """Draws the curve, over the one before if nothing was printed since."""
        lines = picture_lines(curve, status, until)
        above = f"\x1b[{self._lines}F\x1b[J" if self._lines and self._in_place else ""
        print(above + "\n".join(lines), flush=True)
        self._lines = len(lines)
