"""Settings of Spark as a file for spark-submit: what stands in its command line is read by every user of a host."""

from __future__ import annotations

from collections.abc import Mapping

_ESCAPED = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"})
_ESCAPED_IN_KEYS = {**_ESCAPED, **str.maketrans({" ": "\\ ", "=": "\\=", ":": "\\:"})}
LOAD_DEFAULTS = "--load-spark-defaults"
"""Else spark-submit passes its own `spark-defaults.conf` over where it is given a file."""


def spark_properties(settings: Mapping[str, str]) -> bytes:
    """Lines that Java's `Properties` read, in UTF-8."""
    lines = (f"{key.translate(_ESCAPED_IN_KEYS)}={_value(text)}\n" for key, text in settings.items())
    return "".join(lines).encode()


def _value(text: str) -> str:
    escaped = text.translate(_ESCAPED)
    return f"\\{escaped}" if escaped.startswith(" ") else escaped
