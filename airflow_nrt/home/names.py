"""Names of homes. They come from templates, so anybody who may trigger a DAG run may have chosen them."""

from __future__ import annotations

import os
import re

from airflow_nrt.basics.errors import InputError

_MOST_BYTES = 255
"""The most bytes of a file name, on all file systems that matter."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line separators, and surrogates."""
_FILE = "file://"


def check_name(text: str, of: str = "home") -> None:
    """Raises InputError for a location with characters that no name may have, or with a name that is too long."""
    unseen = _UNSEEN.search(text)
    if unseen is not None:
        raise InputError(f"the {of} {text[:200]!r} has the character {unseen.group()!r} in its name: leave it out")
    too_long = next((one for one in text.split("/") if len(one.encode()) > _MOST_BYTES), None)
    if too_long is not None:
        raise InputError(
            f"the {of} {too_long[:50]!r}… has a name of {len(too_long.encode())} bytes: {_MOST_BYTES} are the most"
        )


def below(root: str, place: str) -> str:
    """The location of a home below the root of all homes; a relative location starts at the root.

    Raises InputError for a location outside of the root, by `..`, by an absolute path, or by a link.
    """
    check_name(place)
    given = place.removeprefix(_FILE)
    if "://" in given or "://" in root.removeprefix(_FILE):
        # Opening it raises the error.
        return place if "://" in given else f"{root.rstrip('/')}/{place}"
    path = os.path.join(root.removeprefix(_FILE), given)
    top, real = os.path.realpath(root.removeprefix(_FILE)), os.path.realpath(path)
    if real == top or os.path.commonpath([top, real]) != top:
        raise InputError(
            f"the home {place!r} is {real}, and the connection has its homes below {root}: give a place there, or use "
            "a connection without `home`, or with another one"
        )
    return path
