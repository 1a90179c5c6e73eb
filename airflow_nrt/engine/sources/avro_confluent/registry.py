"""A schema registry: the schema of a number, and the number of a schema. Both never change."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.avro_confluent.http import Answer, ask
from airflow_nrt.model.connectors.avro_confluent import SUBJECT, URL, RegistrySettings

_UNKNOWN = 40403
"""What a registry says of a number that it has not given to any schema."""
_ATTEMPTS, _PAUSE = 3, 1.0
"""How often a number that is not known is asked for, and how many seconds lie in between: a registry of several servers
may be behind."""


@dataclass(frozen=True)
class Found:
    """A schema as the registry has it: its text, or why that is of no use here."""

    text: str | None
    why: str = ""


def check_registry(settings: RegistrySettings) -> None:
    """Raises InputError and UnreachableError, as `ask` does, if there is no registry, or it refuses the login."""
    # No schema has the number 0.
    answer = ask(settings, "/schemas/ids/0")
    if answer.status != 200 and answer.code != _UNKNOWN:
        raise _no_registry(settings, answer)


def schemas(settings: RegistrySettings, numbers: Sequence[int]) -> dict[int, Found]:
    """The schemas of these numbers. Raises as `ask` does."""
    found: dict[int, Found] = {}
    for attempt in range(_ATTEMPTS):
        missing = [one for one in numbers if one not in found]
        if missing and attempt:
            time.sleep(_PAUSE)
        for number in missing:
            answer = ask(settings, f"/schemas/ids/{number}")
            if answer.status == 200:
                found[number] = _schema(settings, number, answer)
            elif answer.code != _UNKNOWN:
                raise _no_registry(settings, answer)
    unknown = Found(None, f"the schema registry at {settings.place} has no such schema")
    return {number: found.get(number, unknown) for number in numbers}


@lru_cache(maxsize=1000)
def registered(settings: RegistrySettings, subject: str, schema: str) -> int:
    """The number of a schema (a text in JSON), which is registered under the subject. Raises as `ask` does."""
    answer = ask(settings, f"/subjects/{quote(subject, safe='')}/versions", {"schema": schema})
    number = answer.content.get("id") if isinstance(answer.content, dict) else None
    if answer.status == 200 and isinstance(number, int) and 0 < number < 2**31:
        return number
    if answer.status in (409, 422):
        raise InputError(
            f"{settings.where}: the schema registry at {settings.place} refuses the schema of the columns for subject "
            f"{subject!r}: {answer.message}. Change the columns, or write another subject ('{SUBJECT}')"
        )
    raise _no_registry(settings, answer)


def _schema(settings: RegistrySettings, number: int, answer: Answer) -> Found:
    content: Any = answer.content if isinstance(answer.content, dict) else {}
    kind, text = content.get("schemaType", "AVRO"), content.get("schema")
    if kind != "AVRO":
        return Found(None, f"it is of {kind}, not of Avro")
    if content.get("references"):
        return Found(None, "it refers to other schemas of the registry, which is not supported")
    if not isinstance(text, str):
        raise _no_registry(settings, answer)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return Found(None, "it is no JSON")
    return Found(text)


def _no_registry(settings: RegistrySettings, answer: Answer) -> InputError:
    return InputError(
        f"{settings.where}: what answers at {settings.place} is no schema registry, or refuses: {answer.message}. "
        f"Correct '{URL}'"
    )
