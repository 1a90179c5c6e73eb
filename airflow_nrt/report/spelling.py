"""Names and strings as Spark SQL spells them."""

from __future__ import annotations


def quote(name: str) -> str:
    """A name, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def string_literal(text: str) -> str:
    """A string, whatever it holds."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
