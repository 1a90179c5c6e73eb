"""Spark's spelling of paths: as patterns to read, and as URIs in rows that were read."""

from __future__ import annotations

from urllib.parse import quote as percent

GLOB = str.maketrans({character: "\\" + character for character in "\\{}[]*?,"})
"""Translates a path into a pattern that matches only this path."""
_URI_SAFE = "/:@&=+$,;~!*'()-_."


def file_keys(path: str) -> tuple[str, str]:
    """The two possible URIs of a file in Spark."""
    spelled = file_uri(path)
    return f"file:{spelled}", f"file://{spelled}"


def file_uri(path: str) -> str:
    """The path quoted as Java quotes a URI: letters beyond ASCII are not quoted."""
    return "".join(c if ord(c) > 127 else percent(c, safe=_URI_SAFE) for c in path)


def written_path(sql: str) -> str:
    """SQL from Spark's URI to the path in the file system.

    >>> print(written_path("path"))
    url_decode(replace(regexp_replace(path, '^file:/+', '/'), '+', '%2B'))
    """
    return f"url_decode(replace({bare_file(sql)}, '+', '%2B'))"


def bare_file(sql: str) -> str:
    """SQL from Spark's URI to the result of `file_uri`: the URI without its scheme.

    >>> print(bare_file("path"))
    regexp_replace(path, '^file:/+', '/')
    """
    return f"regexp_replace({sql}, '^file:/+', '/')"
