"""The last lines that drivers of a home have printed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened

if TYPE_CHECKING:
    # A DAG file loads this module, and nothing of a home.
    from airflow_nrt.home.home import Home

MARK = "airflow-nrt: "
"""The prefix of the message with which a process ends, on standard error."""
_MOST_BYTES_OF_A_LINE = 4096
_MOST_CHARACTERS = 1000
_SUBMIT_FAILED = "Cannot execute: "
"""The prefix of the message of `SparkSubmitHook` for any failure, which has the whole command line: the cause is in a
line before it."""
_FAILURE = re.compile(r"(Error|Exception)\b")


def last_lines(home: Home, most: int = 20, begin: int = 0, shown: Callable[[str], str] = str) -> list[str]:
    """The last lines of driver.log, none of those that end before the byte `begin`; each cut at 1,000 characters.

    `shown` masks secrets in a line before it is cut. Raises OSError, HomeError.
    """
    try:
        with home.driver_log.open() as file:
            size = file.seek(0, os.SEEK_END)
            start = max(begin, size - most * _MOST_BYTES_OF_A_LINE)
            file.seek(min(start, size))
            content = file.read(size - min(start, size))
    except FileNotFoundError:
        return []
    lines = content.decode(errors="replace").splitlines()
    whole = lines[1:] if start > begin else lines
    return [shortened(shown(line), _MOST_CHARACTERS) for line in whole if line.strip()][-most:]


def last_lines_or_reason(home: Home, most: int = 20, begin: int = 0, shown: Callable[[str], str] = str) -> list[str]:
    """As `last_lines`; if they can't be read, one line that says why."""
    try:
        return last_lines(home, most, begin, shown)
    except (OSError, HomeError) as wrong:
        return [f"({home.driver_log} can't be read: {wrong})"]


def cause_in(lines: Sequence[str]) -> str:
    """The line that says best why a process ended: its own last message, else the last failure, else its last line."""
    own = [line.strip() for line in lines if not line.startswith((f"{MARK}{_SUBMIT_FAILED}", _SUBMIT_FAILED))]
    marked = [line.removeprefix(MARK) for line in own if line.startswith(MARK)]
    failed = [line for line in own if _FAILURE.search(line) and not line.startswith("at ")]
    return (marked or failed or list(lines) or ["it printed nothing"])[-1].strip().removeprefix(MARK)
