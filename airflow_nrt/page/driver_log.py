"""The end of a home's `driver.log`."""

from __future__ import annotations

import os
from typing import Any

from airflow_nrt.page.reader import Reader
from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.private_files import open_private
from airflow_nrt.report.texts import shortened

MOST_LINES = 400
_MOST_BYTES = 128 * 1024
_MOST_LETTERS = 2000
"""Of a line."""


def driver_log(reader: Reader) -> dict[str, Any]:
    """Raises HomeError if it can't be read."""
    path = reader.home.driver_log
    try:
        with open(open_private(path, os.O_RDONLY), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            begin = max(size - _MOST_BYTES, 0)
            file.seek(begin)
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return {"lines": [], "cut": False, "path": str(path)}
    except OSError as wrong:
        raise HomeError(f"{path} can't be read: {wrong.strerror}") from None
    lines = text.splitlines()[1 if begin else 0 :]
    shown = [shortened(line, _MOST_LETTERS) for line in lines[-MOST_LINES:]]
    return {"lines": shown, "cut": begin > 0 or len(lines) > MOST_LINES, "path": str(path)}
