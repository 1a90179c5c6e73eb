"""Ctrl-C while Java works."""

from __future__ import annotations

import contextlib
import logging
import signal
from collections.abc import Iterator

_LOGGERS = ("", "py4j.clientserver", "py4j.java_gateway")


@contextlib.contextmanager
def interruption_of_java() -> Iterator[None]:
    """Raises KeyboardInterrupt for a Ctrl-C inside, as anywhere else.

    py4j takes it for a failure of Java, and logs a stack trace to its loggers and to the root logger; nothing else logs
    to the root logger directly.
    """
    interruptions = []

    def interrupt(number: int, frame: object) -> None:
        interruptions.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_nothing)
    try:
        yield
    except Exception:
        if interruptions:
            raise KeyboardInterrupt from None
        raise
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(_nothing)
        signal.signal(signal.SIGINT, before)


def _nothing(record: logging.LogRecord) -> bool:
    return False
