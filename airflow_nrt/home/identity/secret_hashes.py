"""Masked values in a home: a salted hash shows whether a value is still the same, and does not reveal it."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from airflow_nrt.model.options.known import REPORT_OPTIONS
from airflow_nrt.model.options.masking import Masking
from airflow_nrt.model.options.settings import Settings

_SETTING = "setting "
_HEXADECIMAL = re.compile(r"([0-9a-f]{2})*")


@dataclass(frozen=True)
class Masks:
    """`hashes` are those of the masked values, by name; the `salt` is the home's own. Both are hexadecimal."""

    salt: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises TypeError for a home with malformed masks."""
        texts = (self.salt, *self.hashes.values()) if isinstance(self.hashes, Mapping) else (None,)
        if not all(isinstance(one, str) and _HEXADECIMAL.fullmatch(one) for one in texts):
            raise TypeError("its masks are no hexadecimal numbers")

    @classmethod
    def of(cls, given: Settings) -> Masks:
        """New masks of the masked settings."""
        salt = secrets.token_hex(16)
        return cls(salt, {name: _hash(value, salt) for name, value in given.secrets.items()})

    def fits(self, name: str, given: Settings) -> bool:
        """Whether the value is the one that was masked."""
        value = dict(given.values).get(name)
        return value is not None and secrets.compare_digest(_hash(value, self.salt), self.hashes[name])

    def marker(self, name: str) -> str:
        """The marker in the home in place of the value."""
        return f"<{name} {self.hashes[name]}>"

    def masked(self, facts: Mapping[str, str], given: Settings) -> dict[str, str]:
        """The facts of a fingerprint, with markers in place of the masked values that are still the same in these
        settings."""
        same = [name for name in self.hashes if self.fits(name, given)]
        mask = Masking.of({dict(given.values)[name]: self.marker(name) for name in same})
        return {name: text if _is_option(name) else mask(text) for name, text in facts.items()}

    def changes(self, facts: Mapping[str, str], given: Settings) -> list[str]:
        """One sentence for each masked value on which the facts of a home depend, and which has changed."""
        found = []
        for name in self.hashes:
            if not self.fits(name, given) and any(self.marker(name) in text for text in facts.values()):
                is_there = name in dict(given.values)
                found.append(f"the setting {name} has another value" if is_there else f"the setting {name} is gone")
        return found

    def filled(self, given: Settings) -> dict[str, str]:
        """Values for the masked names: those of these settings, a marker where one is missing."""
        values = dict(given.values)
        return {name: values.get(name, self.marker(name)) for name in self.hashes}


def _is_option(fact: str) -> bool:
    """Whether it is the value of an option of reports, which is read from the settings and is no secret."""
    return fact.startswith(_SETTING) and fact.removeprefix(_SETTING) in REPORT_OPTIONS


def _hash(value: str, salt: str) -> str:
    """Slow on purpose, some 30 ms, against guessing of passwords."""
    content = value.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=bytes.fromhex(salt), n=2**13, r=8, p=1).hex()[:32]
