"""JSON of a home as the dataclass that was written: every field has its type, or the file counts as unreadable."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.formats import Format
from airflow_nrt.report.private_files import MOST_BYTES, read_private

Record = TypeVar("Record")
_LONG = 2**63


def read_record(path: Path, form: Format, kind: type[Record], limit: int = MOST_BYTES) -> Record:
    """The record that a file of a home holds. Raises FileNotFoundError, HomeError."""
    try:
        return decoded(form.read(parse_json(read_private(path, limit)), path), kind)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError) as wrong:
        raise HomeError(f"{form.of} {path} can't be read: {wrong}") from None


def parse_json(content: bytes | str) -> Any:
    """Raises ValueError unless it is JSON, also where it is nested too deep to be read."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def decoded(content: Mapping[str, Any], kind: type[Record]) -> Record:
    """The dataclass with these fields. Raises TypeError if one is missing, unknown or of another type."""
    hints: Mapping[str, Any] = _hints(kind)  # type: ignore[arg-type]
    return kind(**{name: _value(value, hints.get(name), name) for name, value in content.items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(value: Any, wanted: Any, name: str) -> Any:
    if wanted is None:
        raise TypeError(f"it has a field {name!r}, which is unknown")
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (wanted,) = (one for one in arguments if one is not type(None))
        return _value(value, wanted, name)
    if is_dataclass(wanted) and isinstance(value, dict):
        return decoded(value, wanted)  # type: ignore[arg-type]
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {key: _value(one, arguments[1], f"{name}.{key}") for key, one in value.items()}
    if origin in (list, tuple, Sequence) and isinstance(value, list):
        return (list if origin is list else tuple)(_value(one, arguments[0], name) for one in value)
    if not _is_plain(value, wanted):
        raise TypeError(
            f"its field {name!r} is {str(value)[:100]!r}, which is no {getattr(wanted, '__name__', wanted)}"
        )
    return value


def _is_plain(value: Any, wanted: Any) -> bool:
    if wanted is float:
        return type(value) in (int, float) and math.isfinite(value)
    if wanted is int:
        return type(value) is int and -_LONG <= value < _LONG
    return wanted is Any or (wanted in (str, bool) and type(value) is wanted)
