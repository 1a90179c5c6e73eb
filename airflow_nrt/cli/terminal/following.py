"""Following a stream through its home, as it runs: one line for each entry of the log, and a status that is redrawn."""

from __future__ import annotations

import contextlib
import threading
import time
from datetime import datetime

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.cli.terminal.screen import Screen
from airflow_nrt.cli.terminal.stream_lines import entry_line, status_text, sum_text
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Entry, Left, Position
from airflow_nrt.home.table_progress import tables_progress

_LOOK_SECONDS = 0.5


class Follower:
    """Follows what is written to the log of a home from now on. The home may not be there yet."""

    def __init__(self, home: Home, screen: Screen) -> None:
        self._home = home
        self._screen = screen
        self._log = home.log() if home.report_file.exists() else None
        self._zone = home.zone if self._log is not None else None
        self._next = self._log.last + 1 if self._log is not None else 0
        self._before = self._log.position() if self._log is not None else Position()
        self._published_before = self._published().windows
        self._after: Position | None = None
        self._batches = 0
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="follower", daemon=True)

    @property
    def sum(self) -> str | None:
        """A summary of what the stream has done since; None if it did not begin."""
        if self._after is None:
            return None
        seconds = time.monotonic() - self._began
        windows = self._published().windows - self._published_before
        return f"{sum_text(self._before, self._after, windows, self._batches)}; {seconds:.1f} s"

    def __enter__(self) -> Follower:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()
        self._screen.status("")

    def _follow(self) -> None:
        while True:
            self._look()
            if self._over.wait(_LOOK_SECONDS):
                return

    def _look(self) -> None:
        # The driver itself reports what is wrong with a home.
        with contextlib.suppress(NrtError, OSError):
            if self._log is None and self._home.report_file.exists():
                self._log, self._zone = self._home.log(), self._home.zone
            if self._log is None or self._log.refresh() < self._next:
                self._screen.status(self._status())
                return
            for n in range(self._next, self._log.last + 1):
                entry = self._log.read(n)
                self._tell(entry)
                self._next = n + 1
                if isinstance(entry.body, Left):
                    self._follow_generation(entry.body.successor)
                    return
            self._screen.status(self._status())

    def _follow_generation(self, number: int) -> None:
        self._home = self._home.of_generation(number)
        self._log, self._zone = self._home.log(), self._home.zone
        self._next, self._after = self._log.last + 1, self._log.position()

    def _status(self) -> str:
        if self._after is None:
            return "Spark is starting"
        return status_text(self._after, self._published(), read_heartbeat(self._home.heartbeats), self._zone)

    def _published(self) -> Position:
        """The position whose results are in all tables. Raises HomeError."""
        if self._log is None:
            return Position()
        beat = read_heartbeat(self._home.heartbeats)
        return tables_progress(self._home, self._log, self._home.outline(), beat).published

    def _tell(self, entry: Entry) -> None:
        self._after = entry.position or self._after or self._before
        self._batches += isinstance(entry.body, Commit)
        line = entry_line(entry, self._zone)
        if line is not None:
            self._screen.line(f"{datetime.fromtimestamp(entry.time / 1000):%H:%M:%S}  {line}")
