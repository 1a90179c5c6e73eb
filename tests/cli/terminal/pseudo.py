"""A terminal that nobody looks at: standard error is one, and what was drawn on it can be read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from typing import TextIO


class Terminal:
    """`stream` is what a command writes to; `drawn` is what came out of it so far."""

    def __init__(self, stream: TextIO, descriptor: int) -> None:
        self.stream = stream
        self._descriptor = descriptor

    @property
    def drawn(self) -> str:
        with contextlib.suppress(BlockingIOError):
            return os.read(self._descriptor, 1 << 16).decode()
        return ""


@contextlib.contextmanager
def terminal(columns: int = 80) -> Iterator[Terminal]:
    """A terminal so wide, which is closed in the end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.set_blocking(ours, False)
    try:
        with os.fdopen(theirs, "w") as stream:
            yield Terminal(stream, ours)
    finally:
        os.close(ours)
