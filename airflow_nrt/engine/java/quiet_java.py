"""Java's standard error without what every start of Spark says: its banner, its warnings. All other lines stay.

Java inherits standard error, so it gets a pipe, whose lines go on to where standard error leads.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterator
from typing import BinaryIO

from pyspark import SparkContext

from airflow_nrt.basics.errors import NrtError

_STANDARD_ERROR = 2
_END = b"\0 airflow-nrt: the session has ended\n"
_PATIENCE = 5.0
"""Seconds."""
_MOST_KEPT = 200
_OF_A_START = re.compile(
    rb"WARNING: Using incubator modules|Using Spark's default log4j profile|Setting default log level to "
    rb"|To adjust logging level use |\d\d/\d\d/\d\d \d\d:\d\d:\d\d (WARN|INFO) "
)


class QuietJava:
    """The output of one session's Java. `ended` is called when its session has ended: what follows is not shown."""

    def __init__(self) -> None:
        self._pipe: int | None = None
        self._over = threading.Event()
        self._left_out: list[bytes] = []

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Inside, the session is started. If that fails for an unknown reason, what was left out is shown."""
        try:
            shown = os.dup(_STANDARD_ERROR)
        except OSError:
            # This process has no standard error.
            yield
            return
        if SparkContext._gateway is not None:
            os.close(shown)
            yield
            return
        reading, self._pipe = os.pipe()
        os.dup2(self._pipe, _STANDARD_ERROR)
        target = os.fdopen(shown, "wb", buffering=0)
        threading.Thread(target=self._pass_on, args=(os.fdopen(reading, "rb"), target), daemon=True).start()
        try:
            yield
        except Exception as failure:
            self.ended()
            if not isinstance(failure, NrtError):
                with contextlib.suppress(OSError):
                    target.write(b"".join(self._left_out))
            raise
        finally:
            os.dup2(target.fileno(), _STANDARD_ERROR)

    def ended(self) -> None:
        """Returns when all that Java has said until now is shown."""
        if self._pipe is None:
            return
        os.write(self._pipe, _END)
        self._over.wait(_PATIENCE)
        os.close(self._pipe)
        self._pipe = None

    def _pass_on(self, lines: BinaryIO, target: BinaryIO) -> None:
        """Reads as long as there is a Java, because it would wait for a reader."""
        for line in lines:
            if line.endswith(_END):
                self._over.set()
            elif self._over.is_set():
                continue
            elif _OF_A_START.match(line):
                self._left_out = [*self._left_out, line][-_MOST_KEPT:]
            else:
                with contextlib.suppress(OSError):
                    target.write(line)
