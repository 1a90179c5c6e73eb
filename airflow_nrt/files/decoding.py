"""Decodes the JSON of a home to its dataclass: every field has its type, or the file counts as unreadable."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from airflow_nrt.files.record_code import LONG, compiled, is_plain

Record = TypeVar("Record")
_Decode = Callable[[Any], Any]
STORED_AS = "stored as"
"""Metadata of a field: its name in files, where code has a better one."""


def parse_json(content: bytes | str, number: Callable[[str], float] | None = None) -> Any:
    """Raises ValueError unless it is JSON, also where it is nested too deep to be read. `number` makes a value of a
    number with a fraction."""
    try:
        return json.loads(content, parse_float=number)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def decoded(content: Mapping[str, Any], kind: type[Record]) -> Record:
    """The dataclass with these fields. Raises TypeError if one is missing, unknown or of another type."""
    found: Record = _record(kind)(content)  # type: ignore[arg-type]
    return found


@cache
def _record(kind: type) -> _Decode:
    """Its fields by the names that files have for them."""
    hints = get_type_hints(kind)
    stored = {one.metadata.get(STORED_AS, one.name): one for one in fields(kind)}
    decoders = {name: _decoder(hints[one.name]) for name, one in stored.items()}

    def decode(content: Any) -> Any:
        if not isinstance(content, dict):
            raise TypeError(f"{_short(content)} is no {kind.__name__}")
        found, name = {}, ""
        try:
            for name, value in content.items():
                found[stored[name].name] = decoders[name](value)
        except KeyError:
            raise TypeError(f"it has a field {name[:100]!r}, which is unknown") from None
        except TypeError as wrong:
            raise TypeError(f"its field {name!r}: {wrong}") from None
        return kind(**found)

    if hasattr(kind, "__slots__") or not all(one.init for one in fields(kind)):
        return decode
    plain = {name: _plain(hints[one.name]) for name, one in stored.items()}
    known = {name: one for name, one in plain.items() if one is not None}
    return compiled(kind, stored, known, decoders, decode)


def _plain(wanted: Any) -> tuple[Any, bool] | None:
    """Its type and whether it may be None, if its values are texts, whole numbers or truth values."""
    inner = _some(wanted)
    kind = wanted if inner is None else inner
    return (kind, inner is not None) if is_plain(kind) else None


def _some(wanted: Any) -> Any:
    """What it is if it is not None; None if it may not be None."""
    if get_origin(wanted) not in (Union, types.UnionType):
        return None
    (some,) = (one for one in get_args(wanted) if one is not type(None))
    return some


@cache
def _decoder(wanted: Any) -> _Decode:
    """The function that makes a value of this type from JSON. It raises TypeError for a value of another type."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if (some := _some(wanted)) is not None:
        decode = _decoder(some)
        return lambda value: None if value is None else decode(value)
    if wanted is Any:
        return lambda value: value
    if is_dataclass(wanted):
        return _record(wanted)  # type: ignore[arg-type]
    if origin in (dict, Mapping):
        return _mapping(_key if arguments[0] is int else _text, _decoder(arguments[1]))
    if origin in (list, tuple, Sequence):
        return _sequence(list if origin is list else tuple, _decoder(arguments[0]), _plain(arguments[0]))
    return _PLAIN[wanted]


def _mapping(key: _Decode, decode: _Decode) -> _Decode:
    def mapping(value: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"{_short(value)} is no JSON object")
        return {key(name): decode(one) for name, one in value.items()} if value else {}

    return mapping


def _sequence(
    kind: type[list[Any]] | type[tuple[Any, ...]], decode: _Decode, plain: tuple[Any, bool] | None
) -> _Decode:
    def sequence(value: Any) -> Any:
        if not isinstance(value, list):
            raise TypeError(f"{_short(value)} is no JSON array")
        if not value or (len(value) > _FEW and plain is not None and _stay_as_they_are(value, *plain)):
            return kind(value)
        return kind([decode(one) for one in value])

    return sequence


_FEW = 16
"""So many values are checked one by one: that takes no longer than to look at all at once."""


def _stay_as_they_are(values: list[Any], kind: Any, may_be_none: bool) -> bool:
    some = [one for one in values if one is not None] if may_be_none else values
    if set(map(type, some)) != {kind}:
        return False
    if kind is int:
        return bool(min(some) >= -LONG and max(some) < LONG)
    return kind is bool or "".join(some).isascii()


def _key(name: str) -> int:
    try:
        return int(name)
    except ValueError:
        raise TypeError(f"{_short(name)} is no whole number") from None


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"{_short(value)} is no text")
    # Halves of characters, which JSON can spell, can't be printed or sent.
    return value if value.isascii() else value.encode(errors="replace").decode()


def _whole(value: Any) -> int:
    if type(value) is int and -LONG <= value < LONG:
        return value
    raise TypeError(f"{_short(value)} is no whole number of 64 bits")


def _finite(value: Any) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    return _whole(value)


def _bool(value: Any) -> bool:
    if type(value) is bool:
        return value
    raise TypeError(f"{_short(value)} is neither true nor false")


_PLAIN: Mapping[Any, _Decode] = {str: _text, int: _whole, float: _finite, bool: _bool}


def _short(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"a JSON {'object' if isinstance(value, dict) else 'array'}"
    return f"{value!r:.100}"
