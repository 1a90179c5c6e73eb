"""Dates and timestamps to texts and back, Unix time, and other zones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import STRING, DataType
from airflow_nrt.model.zones import read_zone
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import (
    Function,
    any_nullable,
    bound,
    check_count,
    check_string,
    constant,
    constant_integer,
)
from airflow_nrt.sql.expressions.functions.temporal import wall_clock
from airflow_nrt.sql.expressions.local_time import as_local, later_instant, session_zone
from airflow_nrt.sql.expressions.text_values import date_of, timestamp_of
from airflow_nrt.sql.expressions.typed import Typed

_QUOTED = r"'[^']*'|[^A-Za-z'\[\]{}#]"
_PRINTED = re.compile(rf"(?:y{{1,4}}|M{{1,4}}|d{{1,2}}|[HhkKms]{{1,2}}|S{{1,9}}|a|E{{1,4}}|D{{1,3}}|{_QUOTED})*")
_READ = re.compile(rf"(?:y{{4}}|M{{1,2}}|[dHhms]{{1,2}}|S{{1,9}}|a|{_QUOTED})*")
_FIELD = re.compile(r"'[^']*'|([A-Za-z])\1*|[^A-Za-z]")
_RUN_OF_DIGITS = re.compile(r"(yyyyMMddHHmmss)(S{1,6})")
_DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"

_DAY = r"\d{4}-\d{1,2}-\d{1,2}"
_CLOCK = r"\d{1,2}:\d{1,2}:\d{1,2}"
_TIMESTAMP = rf"^({_DAY}(?: {_CLOCK}(?:\.\d{{1,3}})?)?)(?:(?<=\.\d{{3}})\d{{1,6}})?\z"
_SECONDS = rf"^({_DAY} {_CLOCK})"
_LONG = 100
_UNREADABLE = "CAST('-9223372036854775808' AS BIGINT)"
_LTZ_UNITS = {0: ("seconds", 3), 3: ("millis", 3), 6: ("micros", 6)}
_FIRST_SECOND, _LAST_SECOND = -62_167_219_200, 253_402_300_799
"""Of the years 0 and 9999: Flink's range of numbers that are instants (`DateTimeUtils`)."""


def _pattern(argument: Typed, at: Place, name: str, known: re.Pattern[str], letters: str) -> str:
    """The format pattern, restricted to letters that mean the same in Flink and in Spark."""
    text = constant(argument, at, name, "a pattern")
    if not known.fullmatch(text):
        raise NotThereYet(f"{name} with pattern {text!r}", at, f"there are {letters}")
    return text


def _printed(argument: Typed, at: Place, name: str) -> str:
    return string_literal(_pattern(argument, at, name, _PRINTED, "the letters y M d H h k K m s S a E D"))


def _read(argument: Typed, at: Place, name: str) -> str:
    """The pattern for reading: a field between other characters may have one digit, as in Flink."""
    text = _pattern(argument, at, name, _READ, "yyyy, and the letters M d H h m s S a")
    fields = [match[0] for match in _FIELD.finditer(text)]
    for place, field in enumerate(fields):
        beside = [*fields[max(place - 1, 0) : place], *fields[place + 1 : place + 2]]
        if field in ("MM", "dd", "HH", "hh", "mm", "ss") and not any(one[0].isalpha() for one in beside):
            fields[place] = field[0]
    return string_literal("".join(fields))


def _date_format(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """DATE_FORMAT(ts, 'yyyy') is "date_format(CAST(`ts` AS TIMESTAMP_NTZ), 'yyyy')"."""
    check_count(arguments, at, name, 2, 2)
    time = arguments[0]
    if time.type.is_string:
        time = _to_timestamp_text(time, _TIMESTAMP.replace(")?)?)", ")?))", 1))
    elif time.type.name in ("DATE", "TIME"):
        raise SqlError(f"{name} wants a TIMESTAMP or a string, not {time.type.flink}: CAST it to TIMESTAMP", at)
    return Typed(f"date_format({wall_clock(time, at, name)}, {_printed(arguments[1], at, name)})", STRING)


def _to_timestamp_text(text: Typed, shape: str) -> Typed:
    """A TIMESTAMP of what a text of this shape has.

    >>> print(_to_timestamp_text(Typed("`s`", STRING), "([0-9]+)").sql)
    try_cast(regexp_extract(`s`, '([0-9]+)', 1) AS TIMESTAMP_NTZ)
    """
    read = f"try_cast(regexp_extract({text.sql}, {string_literal(shape)}, 1) AS TIMESTAMP_NTZ)"
    return Typed(read, DataType("TIMESTAMP", precision=3))


def _once(argument: Typed, value_of: Callable[[str], str]) -> str:
    """A value that reads an argument several times. A long argument is computed once."""
    return value_of(argument.sql) if len(argument.sql) <= _LONG else bound(argument.sql, value_of("_nrt_x"))


def _parsed(arguments: Sequence[Typed], at: Place, name: str) -> str:
    """A text read by a pattern, NULL if it does not fit.

    >>> print(_parsed([Typed("`s`", STRING), Typed("'yyyy'", STRING, "yyyy")], Place(1, 1, 0), "TO_DATE"))
    try_to_timestamp(`s`, 'yyyy')
    """
    text, pattern = arguments[0].sql, _read(arguments[1], at, name)
    run = _RUN_OF_DIGITS.fullmatch(arguments[1].constant or "")
    if run is None:
        return f"try_to_timestamp({text}, {pattern})"
    # Java, and so Spark, can't read a fraction that directly follows other digits.
    whole, fraction = len(run[1]), len(run[2])
    seconds = f"try_to_timestamp(left({text}, {whole}), {string_literal(run[1])})"
    part = f"make_dt_interval(0, 0, 0, try_cast(substring({text}, {whole + 1}) AS INT) / {10**fraction})"
    return f"IF({text} RLIKE '^[0-9]{{{whole + fraction}}}$', {seconds} + {part}, NULL)"


def _to_timestamp(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TO_TIMESTAMP(s, 'yyyy-MM-dd') is "CAST(date_trunc('MILLISECOND', try_to_timestamp(`s`, 'yyyy-M-d')) AS
    TIMESTAMP_NTZ)".
    """
    check_count(arguments, at, name, 1, 2)
    check_string(arguments[0], 1, at, name)
    if len(arguments) == 1:
        millis = f"date_trunc('MILLISECOND', {_once(arguments[0], timestamp_of)})"
        return Typed(f"CAST({millis} AS TIMESTAMP_NTZ)", DataType("TIMESTAMP", precision=3))
    millis = f"date_trunc('MILLISECOND', {_parsed(arguments, at, name)})"
    return Typed(f"CAST({millis} AS TIMESTAMP_NTZ)", DataType("TIMESTAMP", precision=3))


def _to_date(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TO_DATE(s, 'yyyy') is "CAST(try_to_timestamp(`s`, 'yyyy') AS DATE)"."""
    check_count(arguments, at, name, 1, 2)
    check_string(arguments[0], 1, at, name)
    if len(arguments) == 2:
        return Typed(f"CAST({_parsed(arguments, at, name)} AS DATE)", DataType("DATE"))
    return Typed(_once(arguments[0], date_of), DataType("DATE"))


def _to_timestamp_ltz(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """Of a whole number of seconds (0), milliseconds (3, the default) or microseconds (6), or of a text.

    A number before the year 0 or after 9999 is no instant, and gives NULL.

    TO_TIMESTAMP_LTZ(big, 3) is "IF(CAST(`big` AS BIGINT) BETWEEN -62167219200000 AND 253402300799999,
    timestamp_millis(CAST(`big` AS BIGINT)), NULL)".
    """
    check_count(arguments, at, name, 1, 3)
    if arguments[0].type.is_string:
        return _text_to_instant(arguments, at, name)
    check_count(arguments, at, name, 1, 2)
    if not arguments[0].type.is_integer:
        raise NotThereYet(f"{name} of {arguments[0].type.flink}", at, "whole numbers and strings are there")
    digits = constant_integer(arguments[1], at, name, "a precision") if len(arguments) == 2 else 3
    if digits not in _LTZ_UNITS:
        raise NotThereYet(f"{name} with precision {digits}", at, "0, 3 and 6 are there")
    unit, precision = _LTZ_UNITS[digits]
    first, last = _FIRST_SECOND * 10**digits, (_LAST_SECOND + 1) * 10**digits - 1
    number = Typed(f"CAST({arguments[0].sql} AS BIGINT)", arguments[0].type)
    read = _once(number, lambda n: f"IF({n} BETWEEN {first} AND {last}, timestamp_{unit}({n}), NULL)")
    # In Flink's type the result is NULL only if the number is, although numbers out of range give NULL, too.
    return Typed(read, DataType("TIMESTAMP_LTZ", precision=precision, nullable=any_nullable(arguments)))


def _text_to_instant(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """A text on the clock of a zone, by default UTC. An unreadable text is an error. With a pattern it is NULL."""
    text = arguments[0].sql
    local = f"CAST({_to_timestamp(arguments[:2], at, name).sql} AS TIMESTAMP)"
    if len(arguments) == 1:
        unreadable = f"raise_error(concat('{name} can not read ', {text}))"
        local = f"IF({text} IS NULL, NULL, coalesce({local}, {unreadable}))"
    elif len(arguments) == 3:
        zone = constant(arguments[2], at, name, "a zone")
        try:
            read_zone(zone)
        except ValueError as wrong:
            raise SqlError(f"{name}: {wrong}", at) from None
        local = f"to_utc_timestamp({local}, {string_literal(zone)})"
    nullable = len(arguments) > 1 or arguments[0].type.nullable
    return Typed(local, DataType("TIMESTAMP_LTZ", precision=3, nullable=nullable))


def _from_unixtime(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """FROM_UNIXTIME(big) is "date_format(CAST(timestamp_seconds(`big`) AS TIMESTAMP_NTZ), 'yyyy-MM-dd HH:mm:ss')"."""
    check_count(arguments, at, name, 1, 2)
    if not arguments[0].type.is_integer:
        raise SqlError(f"argument 1 of {name} must be seconds as a whole number, it is {arguments[0].type.flink}", at)
    pattern = _printed(arguments[1], at, name) if len(arguments) == 2 else string_literal(_DEFAULT_PATTERN)
    kind = STRING.with_nullable(any_nullable(arguments))
    shown = as_local(Typed(f"timestamp_seconds({arguments[0].sql})", DataType("TIMESTAMP_LTZ", precision=0)))
    return Typed(f"date_format({shown.sql}, {pattern})", kind)


def _unix_timestamp(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    r"""UNIX_TIMESTAMP of a text: seconds. The least BIGINT if the text can't be read, as in Flink.

    Of an hour that a zone repeats, the second one is meant.

    UNIX_TIMESTAMP(s) is "IF(`s` IS NULL, NULL, coalesce(unix_seconds(CAST(CAST(try_cast(regexp_extract(`s`,
      '^(\\d{4}-\\d{1,2}-\\d{1,2} \\d{1,2}:\\d{1,2}:\\d{1,2})', 1) AS TIMESTAMP_NTZ) AS TIMESTAMP_NTZ) AS TIMESTAMP)),
      CAST('-9223372036854775808' AS BIGINT)))".
    """
    check_count(arguments, at, name, 1, 2)
    check_string(arguments[0], 1, at, name)
    time = _parsed(arguments, at, name) if len(arguments) == 2 else _to_timestamp_text(arguments[0], _SECONDS).sql
    shown, zone = f"CAST({time} AS TIMESTAMP_NTZ)", session_zone()
    instant = f"CAST({shown} AS TIMESTAMP)" if zone is None else later_instant(shown, string_literal(zone))
    seconds = f"coalesce(unix_seconds({instant}), {_UNREADABLE})"
    nullable = arguments[0].type.nullable
    return Typed(f"IF({arguments[0].sql} IS NULL, NULL, {seconds})", DataType("BIGINT", nullable=nullable))


def _convert_tz(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """A local time in another zone. Of an hour that a zone repeats, the second one is meant, as in Flink."""
    check_count(arguments, at, name, 3, 3)
    check_string(arguments[0], 1, at, name)
    source, target = (string_literal(constant(zone, at, name, "a zone")) for zone in arguments[1:])
    instant = later_instant(_to_timestamp_text(arguments[0], _SECONDS).sql, source)
    return Typed(f"date_format(from_utc_timestamp({instant}, {target}), '{_DEFAULT_PATTERN}')", STRING)


TIME_TEXTS: dict[str, Function] = {
    "DATE_FORMAT": _date_format,
    "TO_TIMESTAMP": _to_timestamp,
    "TO_TIMESTAMP_LTZ": _to_timestamp_ltz,
    "TO_DATE": _to_date,
    "FROM_UNIXTIME": _from_unixtime,
    "UNIX_TIMESTAMP": _unix_timestamp,
    "CONVERT_TZ": _convert_tz,
}
