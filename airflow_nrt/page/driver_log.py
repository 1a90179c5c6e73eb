"""The end of a home's `driver.log`."""

from __future__ import annotations

from typing import Any

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.driver_log import last_lines
from airflow_nrt.page.homes.reader import Reader

MOST_LINES = 400


def driver_log(reader: Reader) -> dict[str, Any]:
    """Raises HomeError if it can't be read."""
    home = reader.home
    try:
        lines = last_lines(home, MOST_LINES + 1)
    except OSError as wrong:
        raise HomeError(f"{home.driver_log} can't be read: {wrong.strerror}") from None
    return {"lines": lines[-MOST_LINES:], "cut": len(lines) > MOST_LINES, "path": str(home.driver_log)}
