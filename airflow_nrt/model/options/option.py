"""One option or setting, and how its text becomes a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.instants import parse_instant

_BYTES = re.compile(r"(\d+)\s*(b|bytes|kb?|mb?|gb?|tb?|(?:kibi|mebi|gibi|tebi)bytes)?", re.IGNORECASE)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


def all_of_it(text: str) -> str | None:
    """Results depend on the value of the option."""
    return text


def that_it_is_set(text: str) -> str | None:
    """Results depend on whether the option is set, not on its value."""
    return "set"


def nothing(text: str) -> str | None:
    """Results do not depend on the option."""
    return None


@dataclass(frozen=True)
class Option:
    """An option. `read` parses its text and raises ValueError; `default` is a value, or None if there is none.

    `idle` is set for options of Flink's own engine: why the option has no effect here, and what has it instead. A name
    that ends with `*` is a family of names. `decides` gives the part of the value that results depend on, or None.
    `of_older` is the value that takes the place of the default in homes that are older than the option. One that is
    `of_policy` says what becomes of input that can't be read: a living home may change it, and each entry of its log
    keeps the value by which its rows were read (`input_policy.py`).
    """

    name: str
    read: Callable[[str], Any]
    default: Any
    meaning: str
    idle: str = ""
    decides: Callable[[str], str | None] = all_of_it
    of_older: str | None = None
    of_policy: bool = False

    def decided_by(self, text: str) -> str | None:
        """The part of this value that results depend on; None if there is none, or if it is the default."""
        is_default = self.default is not None and self.read(text) == self.default
        return None if self.idle or is_default else self.decides(text)

    def of(self, options: Mapping[str, str]) -> Any:
        """Its value among these options, or its default. The text was checked by `check_options`."""
        return self.read(options[self.name]) if self.name in options else self.default

    @property
    def is_refused(self) -> bool:
        return isinstance(self.read, Refusal)


@dataclass(frozen=True)
class Refusal:
    """The reader of an unsupported option that would change results. It refuses every value, with an alternative."""

    way_out: str

    def __call__(self, text: str) -> NoReturn:
        raise ValueError(self.way_out)


def free(*options: Option) -> tuple[Option, ...]:
    """The options, marked as changing no result: a home continues with any of their values."""
    return tuple(replace(option, decides=nothing) for option in options)


def of_policy(*options: Option) -> tuple[Option, ...]:
    """The options, marked as parts of an input policy."""
    return tuple(replace(option, of_policy=True) for option in options)


def named(options: Iterable[Option]) -> dict[str, Option]:
    return {option.name: option for option in options}


def parse_bytes(text: str) -> int:
    """Bytes of `512 mb`, `1g`, `100kb`; a bare number is bytes. Raises ValueError."""
    match = _BYTES.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a size: write for example '512 mb'")
    unit = (match.group(2) or "b")[0].lower()
    factor: int = 1024 ** "bkmgt".index(unit)
    return int(match.group(1)) * factor


def parse_boolean(text: str) -> bool:
    """Raises ValueError for anything but `true` and `false`."""
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r} is neither 'true' nor 'false'")
    return text.lower() == "true"


@dataclass(frozen=True)
class OneOf:
    """The reader of an option with a fixed set of values, in upper or lower case."""

    names: tuple[str, ...]

    def __call__(self, text: str) -> str:
        if text.lower() not in self.names:
            raise ValueError(f"{text!r} is none of {', '.join(map(repr, self.names))}")
        return text.lower()


def one_of(*names: str) -> OneOf:
    return OneOf(names)


def only(value: str, way_out: str) -> Callable[[str], str]:
    """The reader of an option that has only this value here."""

    def read(text: str) -> str:
        if text.lower() != value.lower():
            raise ValueError(f"{text!r} is not {value!r}, which is all there is here: {way_out}")
        return text

    return read


def a_while(text: str) -> int:
    """Milliseconds of a duration above 0. Raises ValueError."""
    duration = parse_duration(text)
    if not duration:
        raise ValueError(f"{text!r} is no time above 0")
    return duration


def a_time(text: str) -> str:
    """A time of the report's clock, or with `Z` or an offset an instant, as it is written. Raises ValueError."""
    parse_instant(text)
    return text


def whole_number(text: str) -> int:
    if re.fullmatch(r"[+-]?\d{1,18}", text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def positive(text: str) -> int:
    if re.fullmatch(r"[1-9]\d{0,5}", text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number above 0")
    return int(text)


def many(text: str) -> int:
    """A whole number from 1 to 999,999,999. Raises ValueError."""
    if re.fullmatch(r"[1-9]\d{0,8}", text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number from 1 to 999,999,999")
    return int(text)


def character(text: str) -> str:
    if len(text) != 1:
        raise ValueError(f"{text!r} is not one character")
    return text


def delimiter(text: str) -> str:
    r"""One character, also in Java's notation: `\t` is a tab, `\u0001` the character with this number."""
    return character(re.sub(r"\\(u+[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2}|.)", _unescaped, text, flags=re.DOTALL))


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] == "u" and len(code) > 1:
        return chr(int(code.lstrip("u"), 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)


def pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as wrong:
        raise ValueError(f"{text!r} is not a regular expression: {wrong}") from None
    return text
