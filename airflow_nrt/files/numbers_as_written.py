"""Numbers of JSON with the digits that they were written with: a DECIMAL keeps its scale, `12.50`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class NumberAsWritten(float):
    """A number with a fraction, whose text is the one that it was read from."""

    def __new__(cls, text: str) -> NumberAsWritten:
        one = super().__new__(cls, text)
        one._text = text
        return one

    _text: str

    def __str__(self) -> str:
        return self._text


def json_text(value: Any) -> str:
    """JSON of a value, with numbers as they were written.

    >>> print(json_text({"price": NumberAsWritten("12.50"), "n": [1, None]}))
    {"price": 12.50, "n": [1, null]}
    """
    if isinstance(value, NumberAsWritten):
        return str(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json_text(key)}: {json_text(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_text, value))}]"
    return json.dumps(value, ensure_ascii=False)
