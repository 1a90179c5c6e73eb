"""Masking: secret values are replaced in what people read, such as logs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SHORTEST = 3
"""Characters. Shorter values are not masked, because they occur in a text by chance."""
_NO_SECRETS = ("true", "false")


@dataclass(frozen=True)
class Masking:
    """Replaces values in a text by their marks, also where a value is escaped as in SQL, Python or JSON."""

    marks: Mapping[str, str] = field(repr=False)
    pattern: re.Pattern[str] | None = field(repr=False)

    @classmethod
    def of(cls, marks: Mapping[str, str]) -> Masking:
        worth = {value: mark for value, mark in marks.items() if value not in _NO_SECRETS}
        spelled = {one: mark for value, mark in worth.items() for one in _spellings(value) if len(one) >= SHORTEST}
        # The longest first: one may be a part of another.
        alternatives = "|".join(map(re.escape, sorted(spelled, key=len, reverse=True)))
        return cls(spelled, re.compile(alternatives) if spelled else None)

    def __call__(self, text: str) -> str:
        return text if self.pattern is None else self.pattern.sub(lambda found: self.marks[found.group()], text)


def _spellings(value: str) -> set[str]:
    quoted: tuple[Any, ...] = (repr(value), json.dumps(value), json.dumps(value, ensure_ascii=False))
    return {value, value.replace("'", "''"), value.replace("`", "``"), *(one[1:-1] for one in quoted)}
