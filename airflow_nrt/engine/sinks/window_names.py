"""The times of a window in the name of the file with its results: `sales-20240618T100000-20240618T101000.csv`."""

from __future__ import annotations

import re

from airflow_nrt.basics.instants import format_instant, parse_instant

_END = re.compile(r"-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d(?:\.\d+)?)(?:-[0-9a-f]{32})?\.\w+$")


def compact(ms: int | None) -> str:
    """`20240618T100000`"""
    return format_instant(ms).replace("-", "").replace(":", "").replace(" ", "T")


def end_in(target: str) -> int | None:
    """The end (ms) of the window that a target is of; None if it is no target of a window.

    >>> print(end_in("day=1/sales-20240618T100000-20240618T101000.csv"), end_in("1718705400000"), end_in("all.csv"))
    1718705400000 1718705400000 None
    """
    if target.lstrip("-").isdecimal():
        return int(target)
    found = _END.search(target)
    if found is None:
        return None
    year, month, day, hour, minute, second = found.groups()
    return parse_instant(f"{year}-{month}-{day} {hour}:{minute}:{second}")
