"""Values that a report gets in addition to its text: placeholders and settings, some of them secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from airflow_nrt.model.options.known import REPORT_OPTIONS
from airflow_nrt.model.options.masking import Masking

SECRET_NAMES = "password|passwd|passphrase|pwd|secret|token|key|credential|jaas|authorization|user-info"
"""A regular expression; upper and lower case are the same to it."""
STORED = re.compile(r"\$\{((?:conn|var):[\w.-]+)\}")
"""Placeholders whose values Airflow keeps: a field of a connection, a variable."""
_CONNECTIONS = re.compile(r"'connection'\s*=\s*'([\w.-]+)'", re.IGNORECASE)
CONNECTION_FIELDS = ("conn_type", "host", "port", "schema", "login", "password")
"""What a table with the option 'connection' takes from the connection of that name."""
_PREFIXES = ("conn:", "var:")
_KNOWN_FIELDS = (".conn_type", ".host", ".port", ".login", ".schema")
"""Fields of connections that are kept out of files, but are no secrets for logs."""
_NAMED_LIKE_SECRETS = re.compile(SECRET_NAMES, re.IGNORECASE)


def connections(script: str) -> dict[str, int]:
    """The connections that tables of a script name by the option 'connection', each with the offset of the option.

    One in a comment that began on its line is none.
    """
    found: dict[str, int] = {}
    for match in _CONNECTIONS.finditer(script):
        line = script.rfind("\n", 0, match.start()) + 1
        if "--" not in script[line : match.start()]:
            found.setdefault(match[1], match.start())
    return found


def connection_settings(script: str) -> set[str]:
    """The settings that their values come in, as those of placeholders."""
    return {f"conn:{name}.{field}" for name in connections(script) for field in CONNECTION_FIELDS}


@dataclass(frozen=True)
class Settings:
    """`values` fill placeholders, or act as SET statements after the report's own.

    `masked` names secret values, in addition to those with the name of a secret. `unsafe` names the placeholders that
    may be any piece of SQL, `of_run` those whose values who triggers a run of a DAG may have chosen.
    """

    values: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    masked: tuple[str, ...] = ()
    unsafe: tuple[str, ...] = ()
    of_run: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, str] | Settings | None) -> Settings:
        return given if isinstance(given, Settings) else cls(tuple((given or {}).items()))

    @classmethod
    def from_json(cls, text: str | bytes) -> Settings:
        """Raises ValueError if the text is no settings; the message does not quote it."""
        try:
            read = json.loads(text)
            names = (tuple(read.get(kind, ())) for kind in ("masked", "unsafe", "of_run"))
            return cls(tuple(read["values"].items()), *names)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("these are no settings of a report") from None

    def to_json(self) -> str:
        names = {"masked": self.masked, "unsafe": self.unsafe, "of_run": self.of_run}
        return json.dumps({"values": dict(self.values), **names})

    def but(self, names: Iterable[str]) -> dict[str, str]:
        """The values, without those with these names."""
        left_out = frozenset(names)
        return {name: value for name, value in self.values if name not in left_out}

    def masking(self, names: Iterable[str]) -> Settings:
        """These settings, with these names masked as well."""
        return replace(self, masked=(*self.masked, *names))

    def is_masked(self, name: str) -> bool:
        """Whether a value is kept out of files. No option of a report holds a secret."""
        if name in self.masked or name.startswith(_PREFIXES):
            return True
        # By its exact name: a family of options, such as `client.*`, may have secrets.
        return _NAMED_LIKE_SECRETS.search(name) is not None and name not in REPORT_OPTIONS

    @cached_property
    def secrets(self) -> dict[str, str]:
        """The masked values, by name."""
        return {name: value for name, value in self.values if self.is_masked(name)}

    @cached_property
    def confidential(self) -> dict[str, str]:
        """The values that no log shows, by name."""
        return {
            name: value
            for name, value in self.secrets.items()
            if name in self.masked or not (name.startswith("conn:") and name.endswith(_KNOWN_FIELDS))
        }

    def shown(self, text: str) -> str:
        """The text for people: masked values are replaced by the names of their placeholders."""
        return self._masking(text)

    @cached_property
    def _masking(self) -> Masking:
        return Masking.for_people({value: f"${{{name}}}" for name, value in self.confidential.items()})


NO_SETTINGS = Settings()
