"""Names, strings and numbers as Spark SQL spells them."""

from __future__ import annotations


def quote(name: str) -> str:
    """A name, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def bigint(value: int | str | None) -> str:
    """A BIGINT: a number, the NULL of that type, or a column by its name."""
    if isinstance(value, int):
        return f"{value}L"
    return "CAST(NULL AS BIGINT)" if value is None else value


def string_literal(text: str) -> str:
    """A string, whatever it holds."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def java_escaped(text: str) -> str:
    r"""The text as it stands between quotes of Java, single or double ones.

    >>> print(java_escaped('a"b'))
    a\"b
    """
    return "".join(_IN_JAVA.get(one, one) for one in text)


_IN_JAVA = {"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\r": "\\r"}
