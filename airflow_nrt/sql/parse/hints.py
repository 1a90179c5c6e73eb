"""Hints: the OPTIONS of a table, and what a hint after SELECT asks of Flink's planner, which has no effect here."""

from __future__ import annotations

import re

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse.words.lexer import Token

_CALL = re.compile(r"\s*,?\s*(\w+)\s*(?:\(((?:[^()']|'(?:[^']|'')*')*)\))?\s*")
_OPTION = re.compile(r"\s*'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'\s*(,|$)")
_OF_JOINS = "Spark chooses how to join"
_IDLE = {
    **dict.fromkeys(("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN"), _OF_JOINS),
    "LOOKUP": "a table that is looked up is read whole, so no lookup waits or fails",
    "STATE_TTL": "SET 'table.exec.state.ttl' says for the whole report how long idle state is kept",
    "OPTIONS": "options belong behind the name of a table",
}
"""The hints after SELECT, and why each has no effect."""


def table_options(hint: Token) -> tuple[tuple[str, str], ...]:
    """The options of `/*+ OPTIONS('k'='v') */`. Raises SqlError at another hint."""
    calls = _calls(hint)
    if [name for name, _ in calls] != ["OPTIONS"]:
        raise SqlError("the only hint here is /*+ OPTIONS('key'='value', …) */", hint.at)
    return _options(hint, "OPTIONS", calls[0][1])


def idle_hints(hint: Token) -> dict[str, str]:
    """The hints after SELECT, each with the reason why it has no effect: `BROADCAST(c)`. Raises SqlError."""
    found = {}
    for name, arguments in _calls(hint):
        if name not in _IDLE:
            raise SqlError(f"there is no hint {name}{nearest(name, _IDLE)}", hint.at)
        if not arguments:
            raise SqlError(f"the hint {name} names nothing: write {name}(…)", hint.at)
        if name == "STATE_TTL":
            _check_durations(hint, arguments)
        found[f"{name}({arguments})"] = _IDLE[name]
    return found


def _calls(hint: Token) -> list[tuple[str, str]]:
    """The name in upper case and the arguments of each hint between `/*+` and `*/`."""
    found, end = [], 0
    while end < len(hint.text):
        call = _CALL.match(hint.text, end)
        if call is None:
            raise SqlError(f"this hint can't be read from {hint.text[end:].strip()!r} on", hint.at)
        found.append((call.group(1).upper(), (call.group(2) or "").strip()))
        end = call.end()
    return found


def _check_durations(hint: Token, arguments: str) -> None:
    for table, duration in _options(hint, "STATE_TTL", arguments):
        try:
            parse_duration(duration)
        except ValueError as wrong:
            raise SqlError(f"STATE_TTL of {table!r}: {wrong}", hint.at) from None


def _options(hint: Token, name: str, text: str) -> tuple[tuple[str, str], ...]:
    options = []
    while text:
        option = _OPTION.match(text)
        if option is None:
            raise SqlError(f"in {name}(…) write 'key'='value', with commas between", hint.at)
        options.append((option.group(1).replace("''", "'"), option.group(2).replace("''", "'")))
        text = text[option.end() :].strip()
    return tuple(options)
