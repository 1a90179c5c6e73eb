"""The text of a script without its secrets."""

from __future__ import annotations

import re

from airflow_nrt.model.options.settings import NO_SETTINGS

_OPTION = re.compile(r"('((?:[^'\n]|'')*)'\s*=\s*)'(?:[^']|'')*'")


def without_secrets(script: str) -> str:
    """`***` for the literals of options that are named like secrets; placeholders stay."""
    return _OPTION.sub(_without_secret, script)


def _without_secret(option: re.Match[str]) -> str:
    # Options of Kafka's keys are called `key.…`.
    is_secret = NO_SETTINGS.is_masked(option[2].removeprefix("key."))
    return f"{option[1]}'***'" if is_secret and "${" not in option[0] else option[0]
