"""Masking: secret values are replaced in what people read, such as logs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus

from airflow_nrt.basics.spelling import java_escaped

SHORTEST = 3
"""Characters. Shorter values are not masked, because they occur in a text by chance."""
_NO_SECRETS = ("true", "false")
_KEPT_IN_PATHS = "/:@!$&'()*+,;="
"""What Java's URI leaves as it is."""
_ENCODED = re.compile("%[0-9A-F]{2}")


@dataclass(frozen=True)
class Masking:
    """Replaces values in a text by their marks, also where a value is escaped."""

    marks: Mapping[str, str] = field(repr=False)
    pattern: re.Pattern[str] | None = field(repr=False)

    @classmethod
    def of(cls, marks: Mapping[str, str]) -> Masking:
        """In what a home keeps: values as they are in SQL, Python and JSON."""
        return cls._of(marks, _spellings)

    @classmethod
    def for_people(cls, marks: Mapping[str, str]) -> Masking:
        """In logs and errors: also values as they are in URLs and in texts of Java."""
        return cls._of(marks, lambda value: _spellings(value) | _spellings_elsewhere(value))

    @classmethod
    def _of(cls, marks: Mapping[str, str], spellings: Callable[[str], set[str]]) -> Masking:
        worth = {value: mark for value, mark in marks.items() if value not in _NO_SECRETS}
        spelled = {one: mark for value, mark in worth.items() for one in spellings(value) if len(one) >= SHORTEST}
        # The longest first: one may be a part of another.
        alternatives = "|".join(map(re.escape, sorted(spelled, key=len, reverse=True)))
        return cls(spelled, re.compile(alternatives) if spelled else None)

    def __call__(self, text: str) -> str:
        return text if self.pattern is None else self.pattern.sub(lambda found: self.marks[found.group()], text)


def _spellings(value: str) -> set[str]:
    quoted: tuple[Any, ...] = (repr(value), json.dumps(value), json.dumps(value, ensure_ascii=False))
    return {value, value.replace("'", "''"), value.replace("`", "``"), *(one[1:-1] for one in quoted)}


def _spellings_elsewhere(value: str) -> set[str]:
    whole = value.encode(errors="replace")
    in_urls = {quote(whole, safe) for safe in ("", "/", _KEPT_IN_PATHS)} | {quote_plus(whole)}
    lower = {_ENCODED.sub(lambda one: one[0].lower(), text) for text in in_urls}
    return {java_escaped(value), *in_urls, *lower}
