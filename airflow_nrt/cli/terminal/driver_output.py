"""Redirects the output of a driver in the foreground to the driver.log of its home.

Java inherits standard error when it starts, before the home exists, because nothing is written for a report that can't
start. So standard error is a pipe, and its output is kept until the home exists.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.files.private_files import open_private
from airflow_nrt.home.home import Home

_STANDARD_ERROR = 2
_MOST_KEPT = 1 << 20
_LOOK_SECONDS = 0.2


@contextlib.contextmanager
def output_in(home: Home, shown: Callable[[str], str], say: Callable[[str], None]) -> Iterator[None]:
    """Inside, what this process and its Java write to file descriptor 2 goes to the driver.log of a home.

    `sys.stderr` is unchanged. Warnings of the product go to `say` as well. `shown` masks secrets.
    """
    sys.stderr.flush()
    before = os.dup(_STANDARD_ERROR)
    reading, writing = os.pipe()
    os.dup2(writing, _STANDARD_ERROR)
    pump = _Pump(reading, home)
    pump.start()
    failure: BaseException | None = None
    with (
        os.fdopen(before, "w", buffering=1, errors="backslashreplace") as terminal,
        os.fdopen(writing, "w", buffering=1, errors="backslashreplace") as output,
        contextlib.redirect_stderr(terminal if _is_standard_error() else sys.stderr),
    ):
        try:
            with _logged(logging.StreamHandler(output), _PersonHandler(say), shown):
                yield
        except BaseException as failed:
            failure = failed
            raise
        finally:
            os.dup2(terminal.fileno(), _STANDARD_ERROR)
            pump.end()
            if failure is not None and not isinstance(failure, NrtError):
                # Without a home, the cause is nowhere else.
                sys.stderr.write(pump.kept)


def _is_standard_error() -> bool:
    try:
        return sys.stderr.fileno() == _STANDARD_ERROR
    except (OSError, ValueError):
        return False


class _PersonHandler(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(self.format(record))


@contextlib.contextmanager
def _logged(output: logging.Handler, warnings: logging.Handler, shown: Callable[[str], str]) -> Iterator[None]:
    """Sends all log records to the output, and warnings of the product also to a person."""
    root, product = logging.getLogger(), logging.getLogger("airflow_nrt")
    output.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for handler in (output, warnings):
        handler.addFilter(partial(_masked, shown))
    level = product.level
    product.setLevel(logging.INFO)
    root.addHandler(output)
    product.addHandler(warnings)
    try:
        yield
    finally:
        product.removeHandler(warnings)
        root.removeHandler(output)
        product.setLevel(level)


def _masked(shown: Callable[[str], str], record: logging.LogRecord) -> bool:
    record.msg, record.args = shown(record.getMessage()), ()
    return True


class _Pump(threading.Thread):
    """Reads everything at once, so that no writer ever waits; what can't be written is dropped."""

    def __init__(self, reading: int, home: Home) -> None:
        super().__init__(name="driver-log", daemon=True)
        self._reading = reading
        self._home = home
        self._log: int | None = None
        self._kept = bytearray()
        self._ending = threading.Event()

    @property
    def kept(self) -> str:
        """Output from before the home exists."""
        return self._kept.decode(errors="replace")

    def end(self) -> None:
        """Returns when all that was written until now is in the file. Java may live on, and hold the pipe."""
        self._ending.set()
        self.join()
        if self._log is not None:
            os.close(self._log)
        os.close(self._reading)

    def run(self) -> None:
        while True:
            is_ending = self._ending.is_set()
            readable, _, _ = select.select([self._reading], [], [], 0 if is_ending else _LOOK_SECONDS)
            if readable:
                self._take(os.read(self._reading, 1 << 16))
            elif is_ending:
                # Messages name the file, so it must exist, even if it is empty.
                self._take(b"")
                return

    def _take(self, content: bytes) -> None:
        if self._log is None and self._home.report_file.exists():
            with contextlib.suppress(OSError, NrtError):
                self._log = open_private(self._home.driver_log.local, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        if self._log is None:
            self._kept += content[: _MOST_KEPT - len(self._kept)]
            return
        with contextlib.suppress(OSError):
            os.write(self._log, bytes(self._kept) + content)
        self._kept.clear()
