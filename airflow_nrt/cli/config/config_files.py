"""`airflow_nrt.toml`: the home, the master and the settings that a person need not repeat.

    home = "homes/{report}"
    master = "local[2]"
    group = "reports"

    [settings]
    DATA = "/data"

It decides where a report is written and what fills its SQL. So, like a file of a home, it counts only if nobody else
can have written it (docs/decisions/30-trust.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.files.private_files import read_private

NAME = "airflow_nrt.toml"
SETTINGS = "settings"
KEYS = ("home", "master", "group")
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True)
class Config:
    """The defaults from one origin; None and empty where it has none. `origin` is its name in errors."""

    origin: str
    home: str | None = None
    master: str | None = None
    group: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)


def user_file() -> Path:
    """The file in the user's directory of configurations."""
    base = os.environ.get("XDG_CONFIG_HOME")
    # The specification of XDG ignores a relative path.
    directory = Path(base) if base and Path(base).is_absolute() else Path.home() / ".config"
    return directory / "airflow-nrt" / NAME


def read_config(file: Path) -> Config:
    """The defaults of a file; empty if there is none. A relative home starts at its directory.

    Raises InputError for malformed content, and HomeError for a file that is not trusted.
    """
    try:
        content = _parsed(read_private(file, _MOST_BYTES).decode())
    except (FileNotFoundError, NotADirectoryError):
        return Config(str(file))
    except (OSError, ValueError) as wrong:
        raise InputError(f"can't read {file}: {wrong}") from None
    settings = content.pop(SETTINGS, {})
    if not isinstance(settings, dict):
        raise InputError(f'{file}: `settings` is a table, with a line `KEY = "value"` below [settings] for each')
    for key, value in content.items():
        if key not in KEYS:
            instead = nearest(key, (*KEYS, SETTINGS)) or f": there are {', '.join((*KEYS, SETTINGS))}"
            raise InputError(f"{file}: there is no key {key!r}{instead}")
        if not isinstance(value, str):
            raise InputError(f'{file}: {key} is a text, as in {key} = "…"')
    if "home" in content and "://" not in content["home"]:
        content["home"] = str(file.absolute().parent / content["home"])
    return Config(str(file), **content, settings={key: _text(file, key, value) for key, value in settings.items()})


def _parsed(text: str) -> dict[str, Any]:
    """Raises ValueError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return dict(tomllib.loads(text))


def _text(file: Path, key: str, value: Any) -> str:
    """A setting is a text; numbers and booleans of TOML are spelled as in SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int)):
        return str(value)
    raise InputError(f"{file}: the setting {key!r} is a text: write it between quotes, keys with a dot, too")
