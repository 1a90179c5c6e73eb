"""How Spark spells paths: as patterns that it reads, and as URIs in the rows that it has read."""

from __future__ import annotations

from urllib.parse import quote as percent

GLOB = str.maketrans({character: "\\" + character for character in "\\{}[]*?,"})
"""Translates a path into the pattern that means it alone."""
_URI_SAFE = "/:@&=+$,;~!*'()-_."


def file_keys(path: str) -> tuple[str, str]:
    """The two ways in which Spark may spell the path of a file."""
    spelled = file_uri(path)
    return f"file:{spelled}", f"file://{spelled}"


def file_uri(path: str) -> str:
    """The path quoted as Java quotes a URI, which leaves letters beyond ASCII alone."""
    return "".join(c if ord(c) > 127 else percent(c, safe=_URI_SAFE) for c in path)


def written_path(sql: str) -> str:
    """SQL of a path that Spark spelled, as its directory spells it."""
    return f"url_decode(replace({bare_file(sql)}, '+', '%2B'))"


def bare_file(sql: str) -> str:
    """SQL of a path that Spark spelled without its scheme: what `file_uri` gives."""
    return f"regexp_replace({sql}, '^file:/+', '/')"
