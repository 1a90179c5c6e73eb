"""Settings of Spark as a file for spark-submit: every user of a host can read its command line."""

from __future__ import annotations

from collections.abc import Mapping

_ESCAPED = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"})
_ESCAPED_IN_KEYS = {**_ESCAPED, **str.maketrans({" ": "\\ ", "=": "\\=", ":": "\\:"})}
LOAD_DEFAULTS = "--load-spark-defaults"
"""Without it spark-submit ignores its own `spark-defaults.conf` when it is given a file."""


def spark_properties(settings: Mapping[str, str]) -> bytes:
    """The settings as lines for Java's `Properties`, in UTF-8."""
    lines = (f"{key.translate(_ESCAPED_IN_KEYS)}={_value(text)}\n" for key, text in settings.items())
    return "".join(lines).encode()


def _value(text: str) -> str:
    escaped = text.translate(_ESCAPED)
    return f"\\{escaped}" if escaped.startswith(" ") else escaped
