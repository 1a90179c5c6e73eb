"""Masked values in a home: a salted hash says whether a value is still the same, and nothing of what it is."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from airflow_nrt.model.options.known import REPORT_OPTIONS, find
from airflow_nrt.model.options.settings import Masking, Settings

_SETTING = "setting "
_HEXADECIMAL = re.compile(r"([0-9a-f]{2})*")


@dataclass(frozen=True)
class Masks:
    """`hashes` are those of the masked values, by name; the `salt` is the home's own. Both are hexadecimal."""

    salt: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises TypeError if a home says something else."""
        texts = (self.salt, *self.hashes.values()) if isinstance(self.hashes, Mapping) else (None,)
        if not all(isinstance(one, str) and _HEXADECIMAL.fullmatch(one) for one in texts):
            raise TypeError("its masks are no hexadecimal numbers")

    @classmethod
    def of(cls, given: Settings) -> Masks:
        """New masks of what is masked in these settings."""
        salt = secrets.token_hex(16)
        return cls(salt, {name: _hash(value, salt) for name, value in given.secrets.items()})

    def fits(self, name: str, given: Settings) -> bool:
        """Whether the value is the one that was masked."""
        value = dict(given.values).get(name)
        return value is not None and secrets.compare_digest(_hash(value, self.salt), self.hashes[name])

    def marker(self, name: str) -> str:
        """What stands in the home where the value would stand."""
        return f"<{name} {self.hashes[name]}>"

    def masked(self, facts: Mapping[str, str], given: Settings) -> dict[str, str]:
        """The facts of a fingerprint with markers in place of the values that these settings have still in common."""
        same = [name for name in self.hashes if self.fits(name, given)]
        mask = Masking.of({dict(given.values)[name]: self.marker(name) for name in same})
        return {name: text if _is_option(name) else mask(text) for name, text in facts.items()}

    def changes(self, facts: Mapping[str, str], given: Settings) -> list[str]:
        """The masked values on which the facts of a home depend, and which are not the same any more."""
        found = []
        for name in self.hashes:
            if not self.fits(name, given) and any(self.marker(name) in text for text in facts.values()):
                is_there = name in dict(given.values)
                found.append(f"the setting {name} has another value" if is_there else f"the setting {name} is gone")
        return found

    def filled(self, given: Settings) -> dict[str, str]:
        """Values for the masked names: those of these settings, a marker where they have none."""
        values = dict(given.values)
        return {name: values.get(name, self.marker(name)) for name in self.hashes}


def _is_option(fact: str) -> bool:
    """Whether it is the value of an option of reports, which is read from here, and no secret."""
    return fact.startswith(_SETTING) and find(fact.removeprefix(_SETTING), REPORT_OPTIONS) is not None


def _hash(value: str, salt: str) -> str:
    """Slow on purpose: some 30 ms, for whoever would try out passwords."""
    content = value.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=bytes.fromhex(salt), n=2**13, r=8, p=1).hex()[:32]
