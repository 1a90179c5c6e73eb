"""A terminal that nobody looks at: standard error is one, and what was drawn on it can be read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import termios
from collections.abc import Iterator
from typing import TextIO

_QUIET_SECONDS = 0.2


class Terminal:
    """`stream` is what a command writes to; `drawn` is what came out of it so far."""

    def __init__(self, stream: TextIO, descriptor: int) -> None:
        self.stream = stream
        self._descriptor = descriptor

    @property
    def drawn(self) -> str:
        # The kernel hands it over piece by piece.
        pieces = []
        while select.select([self._descriptor], [], [], _QUIET_SECONDS)[0]:
            pieces.append(os.read(self._descriptor, 1 << 16))
        return b"".join(pieces).decode()


@contextlib.contextmanager
def terminal(columns: int = 80) -> Iterator[Terminal]:
    """A terminal so wide, which is closed in the end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        with os.fdopen(theirs, "w") as stream:
            yield Terminal(stream, ours)
    finally:
        os.close(ours)
