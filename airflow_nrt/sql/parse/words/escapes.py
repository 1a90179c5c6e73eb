"""Escapes in strings: `U&'\\0041'`, or `U&'!0041' UESCAPE '!'`."""

from __future__ import annotations

import re

from airflow_nrt.sql.errors import Place, SqlError


def without_escapes(text: str, escape: str, at: Place) -> str:
    """The text with `\\0041` as the character of this code. The escape character twice is itself. Two codes may be one
    character, as in UTF-16.

    Raises SqlError.
    """
    if len(escape) != 1 or escape in "+'\" " or re.fullmatch(r"[0-9a-fA-F]", escape):
        raise SqlError("UESCAPE takes one character, no hexadecimal digit, quote, blank or +", at)
    mark = re.escape(escape)

    def character(match: re.Match[str]) -> str:
        if match[0] == escape * 2:
            return escape
        if match[1] is None:
            raise SqlError(f"{match[0]!r}: four hexadecimal digits must follow {escape}", at)
        return chr(int(match[1], 16))

    codes = re.sub(rf"{mark}(?:([0-9a-fA-F]{{4}})|{mark}|.?)", character, text, flags=re.DOTALL)
    try:
        return codes.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise SqlError("half a character: codes from D800 to DFFF are one in pairs", at) from None
