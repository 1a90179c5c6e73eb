"""Values that can't be computed: messages in the report's words, with the value, the place and an alternative."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.errors import STOP_MARK, DataError
from airflow_nrt.engine.failures.root_cause import Thrown
from airflow_nrt.model.arithmetic_errors import ARITHMETIC_ERRORS
from airflow_nrt.model.origins import Known, Origin

_DATA = "22"
"""The class of SQL states for data that can't be computed."""
_RAISED = "USER_RAISED_EXCEPTION"
_TYPES = {
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "TIMESTAMP": "TIMESTAMP_LTZ",
    "BINARY": "BYTES",
    "LONG": "BIGINT",
    "INTEGER": "INT",
    "SHORT": "SMALLINT",
    "BYTE": "TINYINT",
}
"""Flink's types by Spark's names."""
_CAST = re.compile(r" can't be cast to ([A-Z_]+(?:\([0-9, ]+\))?)$")
"""The end of messages that generated casts of texts raise."""
_NULL = f"SET '{ARITHMETIC_ERRORS}' = 'null'"
_LARGER = f"CAST what is computed with to a larger type, or {_NULL}, which makes such results NULL"
_OVERFLOWS = re.compile(r"^[A-Z_]+\(.*\) overflows [A-Z]+ ")
"""The beginning of the message of a sum that its type can't hold."""
_ADVICE = re.compile(r"`?try_\w+`?|spark\.sql|SQLSTATE|\bANSI\b", re.IGNORECASE)


@dataclass(frozen=True)
class Wrong:
    """`what` is wrong with a value, the way `out`, and `words` of the expressions that may be the cause.

    The way out is one of expressions with `out_of`: TRY_CAST takes the place of a CAST, and of nothing else.
    """

    what: str
    out: str = ""
    words: tuple[str, ...] = ()
    out_of: str = ""


def not_computed(thrown: Thrown, origins: Sequence[Origin]) -> DataError | None:
    """The error of a value, which retries don't help; None if the failure is another."""
    known = Known(tuple(origins))
    if STOP_MARK in thrown.message:
        said = thrown.message.split(STOP_MARK, 1)[1].split("\n", 1)[0]
        cast = _CAST.search(said)
        return _error(_no_cast(said, cast.group(1)), thrown, known) if cast else DataError(known.placed(said))
    if thrown.condition.partition(".")[0] == _RAISED:
        said = thrown.given("errorMessage") or thrown.message
        out = f". {_NULL} makes such a sum NULL" if _OVERFLOWS.match(said) else ""
        return DataError(known.placed(said) + out)
    if not thrown.state.startswith(_DATA):
        return None
    return _error(_WRONG.get(thrown.condition.partition(".")[0], _other)(thrown), thrown, known)


def _error(wrong: Wrong, thrown: Thrown, known: Known) -> DataError:
    found = (known.around(piece.sql, piece.start, piece.stop) for piece in thrown.pieces)
    place = next((one for one in found if one is not None), None) or known.alone(wrong.words)
    out = f". {wrong.out}" if wrong.out and wrong.out_of in (place or known.text) else ""
    return DataError(f"{wrong.what}: {place}{out}" if place else f"{wrong.what}{out}")


def _cast(thrown: Thrown) -> Wrong:
    value, source, target = thrown.given("expression"), thrown.given("sourceType"), _type(thrown.given("targetType"))
    shown = value if _type(source) == "STRING" else f"{value} ({_type(source)})"
    return _no_cast(f"{shown} can't be cast to {target}", target)


def _too_large(thrown: Thrown) -> Wrong:
    source, target = _type(thrown.given("sourceType")), _type(thrown.given("targetType"))
    return _no_cast(f"{_number(thrown.given('value'))} ({source}) does not fit {target}", target)


def _no_decimal(thrown: Thrown) -> Wrong:
    target = f"DECIMAL({thrown.given('precision')}, {thrown.given('scale')})"
    return _no_cast(f"{_number(thrown.given('value'))} does not fit {target}", target)


def _no_cast(what: str, target: str) -> Wrong:
    return Wrong(what, "TRY_CAST gives NULL for such a value", (f"AS {target})", f"{target}>)"), "CAST(")


def _division(thrown: Thrown) -> Wrong:
    out = f"NULLIF(divisor, 0) makes the result NULL, and {_NULL} makes all such results NULL"
    return Wrong("Division by zero", out, (" / ", " % ", "MOD("))


def _overflow(thrown: Thrown) -> Wrong:
    kind = _type(thrown.given("message").partition(" ")[0].upper())
    return Wrong(f"the result does not fit {kind}", _LARGER)


def _two_overflow(thrown: Thrown) -> Wrong:
    sides = f"{_number(thrown.given('value1'))} {thrown.given('symbol')} {_number(thrown.given('value2'))}"
    return Wrong(f"the result of {sides} overflows its type", _LARGER)


def _index(thrown: Thrown) -> Wrong:
    return Wrong(f"there is no element {thrown.given('indexValue')} in an array of {thrown.given('arraySize')}")


def _other(thrown: Thrown) -> Wrong:
    """Spark's own message without its advice."""
    sentences = [one for one in re.split(r"(?<=[.:]) +", thrown.message) if not _ADVICE.search(one)]
    return Wrong(" ".join(sentences).strip(" .") or "a value can't be computed")


_WRONG: dict[str, Callable[[Thrown], Wrong]] = {
    "CAST_INVALID_INPUT": _cast,
    "CAST_OVERFLOW": _too_large,
    "NUMERIC_VALUE_OUT_OF_RANGE": _no_decimal,
    "DIVIDE_BY_ZERO": _division,
    "REMAINDER_BY_ZERO": _division,
    "ARITHMETIC_OVERFLOW": _overflow,
    "BINARY_ARITHMETIC_OVERFLOW": _two_overflow,
    "INVALID_ARRAY_INDEX": _index,
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": _index,
}


def _type(spark: str) -> str:
    """A type with the report's name."""
    name = spark.strip('"')
    return _TYPES.get(name, re.sub(r"^DECIMAL\((\d+), ?(\d+)\)$", r"DECIMAL(\1, \2)", name))


def _number(spark: str) -> str:
    """A number without Spark's suffix."""
    return re.sub(r"(?<=\d)(BD|[DLSYF])$", "", spark.strip('"'))
