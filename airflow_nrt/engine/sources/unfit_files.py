"""Files that Spark can't be given, by their names: they wait, because they would end a driver for good."""

from __future__ import annotations

import os

_ALLOCATING = (".snappy", ".lz4")
"""Hadoop's codecs for these allocate as much memory as the first bytes say, whoever wrote them."""


def why_unfit(path: str) -> str | None:
    """What is wrong with the name of a file; None if nothing is."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is no UTF-8: rename it"
    name = os.path.basename(path)
    if ":" in name:
        return "its name has a colon, which Hadoop takes for the end of a scheme: rename it"
    if name.endswith(_ALLOCATING):
        return "its compression can't be read safely: write .gz or .bz2"
    return None


def shown_path(path: str) -> str:
    """A path for people: bytes of a name that are no UTF-8 as `\\xff`."""
    return os.fsencode(path).decode(errors="backslashreplace")
