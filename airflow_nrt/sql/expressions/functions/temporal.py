"""Functions of dates and timestamps: their parts, their rounding, their arithmetic.

Of a TIMESTAMP_LTZ they read the clock of the session's zone.
"""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.types import BIGINT, DataType
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import (
    TRUTH,
    Function,
    any_nullable,
    bound,
    check_count,
    check_integer,
    strict,
)
from airflow_nrt.sql.expressions.functions.times_of_day import of_times
from airflow_nrt.sql.expressions.local_time import as_instant, as_local
from airflow_nrt.sql.expressions.typed import Typed

_YEAR = "CAST(year({0}) AS BIGINT)"
_MICROS = "unix_micros(CAST(CAST({0} AS TIMESTAMP_NTZ) AS TIMESTAMP))"
_PARTS = {
    "YEAR": "year({0})",
    "QUARTER": "quarter({0})",
    "MONTH": "month({0})",
    "WEEK": "weekofyear({0})",
    "DAY": "dayofmonth({0})",
    "HOUR": "hour({0})",
    "MINUTE": "minute({0})",
    "SECOND": "second({0})",
    "MILLISECOND": f"pmod({_MICROS}, 1000000) div 1000",
    "MICROSECOND": f"pmod({_MICROS}, 1000000)",
    "NANOSECOND": f"pmod({_MICROS}, 1000000) * 1000",
    "DOY": "dayofyear({0})",
    "DOW": "dayofweek({0})",
    "ISODOW": "weekday({0}) + 1",
    "ISOYEAR": "extract(YEAROFWEEK FROM {0})",
    "DECADE": f"{_YEAR} div 10",
    "CENTURY": f"({_YEAR} + 99) div 100",
    "MILLENNIUM": f"({_YEAR} + 999) div 1000",
    "EPOCH": f"floor({_MICROS} / 1000000)",
}
_FUNCTIONS = {
    "DAYOFYEAR": "DOY", "DAYOFMONTH": "DAY", "DAYOFWEEK": "DOW",
    **{unit: unit for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")},
}  # fmt: skip
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_DAYS = {"DAY": 1, "WEEK": 7}
_CLOCK = ("HOUR", "MINUTE", "SECOND", "MILLISECOND")


def wall_clock(argument: Typed, at: Place, name: str) -> str:
    """The date or the time without a zone. Raises SqlError for anything else.

    >>> print(wall_clock(Typed("`ts`", DataType("TIMESTAMP", precision=3)), Place(1, 1, 0), "HOUR"))
    CAST(`ts` AS TIMESTAMP_NTZ)
    """
    if argument.type.name not in ("TIMESTAMP", "TIMESTAMP_LTZ", "DATE", "NULL"):
        raise SqlError(f"{name} wants a TIMESTAMP or a DATE, not {argument.type.flink}", at)
    return argument.sql if argument.type.name == "DATE" else f"CAST({as_local(argument).sql} AS TIMESTAMP_NTZ)"


def _back(sql: str, kind: DataType) -> str:
    """A time on the wall clock, as the type that it was computed from: "CAST(… AS TIMESTAMP_NTZ)"."""
    if kind.name == "TIMESTAMP_LTZ":
        return as_instant(Typed(f"CAST({sql} AS TIMESTAMP_NTZ)", kind)).sql
    return f"CAST({sql} AS {kind.spark})"


def _part(unit: str, operand: Typed, at: Place) -> Typed:
    """Gives "CAST(hour(CAST(`ts` AS TIMESTAMP_NTZ)) AS BIGINT)"."""
    sql = _PARTS[unit].format(wall_clock(operand, at, unit))
    return Typed(f"CAST({sql} AS BIGINT)", DataType("BIGINT", nullable=operand.type.nullable))


def _extract(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    unit, operand = arguments
    if unit.word not in _PARTS:
        raise NotThereYet(f"EXTRACT({unit.word} …)", at, f"there are {', '.join(_PARTS)}")
    if operand.type.name == "INTERVAL":
        return _part_of_interval(unit.word, operand, at)
    return _part(unit.word, operand, at)


def _part_of_interval(unit: str, operand: Typed, at: Place) -> Typed:
    """Gives "CAST(extract(HOUR FROM (`expires` - `ts`)) AS BIGINT)". All parts of a negative interval are negative."""
    known = ("YEAR", "MONTH") if operand.in_months else ("DAY", "HOUR", "MINUTE", "SECOND")
    if unit not in known:
        raise NotThereYet(f"EXTRACT({unit} …) of this interval", at, f"there are {', '.join(known)}")
    return Typed(f"CAST(extract({unit} FROM {operand.sql}) AS BIGINT)", BIGINT.with_nullable(operand.type.nullable))


def _part_function(unit: str) -> Function:
    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        return _part(unit, arguments[0], at)

    return of_times(function, lambda _: unit)


def round_to_unit(operand: Typed, unit: str, *, up: bool, at: Place) -> Typed:
    """`FLOOR(ts TO unit)` and `CEIL(ts TO unit)`. Weeks begin on Sunday.

    FLOOR(ts TO HOUR) is "CAST(CAST(date_trunc('HOUR', CAST(`ts` AS TIMESTAMP_NTZ)) AS TIMESTAMP_NTZ) AS
    TIMESTAMP_NTZ)".

    As in Flink, CEIL to weeks and longer units looks at the date alone: the first day of a year stays in it.
    """
    name = "CEIL" if up else "FLOOR"
    clock, kind = wall_clock(operand, at, name), operand.type
    if unit in _CLOCK and kind.name == "DATE":
        return operand
    if unit in _CLOCK and kind.name == "TIMESTAMP_LTZ":
        # An hour that the clock shows twice is two hours.
        floor = f"({operand.sql} - ({clock} - CAST(date_trunc('{unit}', {clock}) AS TIMESTAMP_NTZ)))"
        past = up and unit != "MILLISECOND"
        sql = f"IF({floor} = {operand.sql}, {floor}, {floor} + INTERVAL '1' {unit})" if past else floor
        return Typed(f"CAST({sql} AS TIMESTAMP)", kind)
    if unit in _CLOCK or (unit == "DAY" and kind.name != "DATE"):
        floor = f"CAST(date_trunc('{unit}', {clock}) AS TIMESTAMP_NTZ)"
        sql = (
            f"IF({floor} = {clock}, {floor}, {floor} + INTERVAL '1' {unit})" if up and unit != "MILLISECOND" else floor
        )
        return Typed(_back(sql, kind), kind)
    date = f"CAST({clock} AS DATE)"
    if unit in MONTHS:
        floor, step = f"trunc({date}, '{unit}')", f"INTERVAL '{MONTHS[unit]}' MONTH"
    elif unit in _DAYS:
        floor = f"date_sub({date}, {'dayofweek(' + date + ') - 1' if unit == 'WEEK' else '0'})"
        step = f"INTERVAL '{_DAYS[unit]}' DAY"
    else:
        raise NotThereYet(f"{name}({kind.flink} TO {unit})", at)
    if up and unit == "DAY":
        floor = f"{date} + {step}"
    elif up:
        floor = f"IF({floor} = {date}, {date}, {floor} + {step})"
    return Typed(_back(floor, kind), kind)


def _unit(argument: Typed) -> str:
    return argument.word.removeprefix("SQL_TSI_")


def _add(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TIMESTAMPADD: "CAST(timestampadd(HOUR, 1, CAST(`ts` AS TIMESTAMP_NTZ)) AS TIMESTAMP_NTZ)".

    A day that the month lacks becomes its last one. Instants use UTC's calendar, as in Flink.
    """
    check_count(arguments, at, name, 3, 3)
    unit, count, time = _unit(arguments[0]), arguments[1], arguments[2]
    check_integer(count, 2, at, name)
    if unit not in (*MONTHS, *_DAYS, *_CLOCK):
        raise NotThereYet(f"{name}({unit}, …)", at)
    wall_clock(time, at, name)
    moved = f"timestampadd({unit}, {count.sql}, CAST({time.sql} AS TIMESTAMP_NTZ))"
    nullable = any_nullable(arguments[1:])
    if time.type.name == "DATE" and unit in _CLOCK:
        return Typed(moved, DataType("TIMESTAMP", precision=6, nullable=nullable))
    return Typed(f"CAST({moved} AS {time.type.spark})", time.type.with_nullable(nullable))


def _difference(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TIMESTAMPDIFF: "CAST(timestampdiff(HOUR, CAST(… AS TIMESTAMP_NTZ), CAST(… AS TIMESTAMP_NTZ)) AS INT)".

    It is whole units from the second to the third, towards zero; between instants on UTC's calendar.
    """
    check_count(arguments, at, name, 3, 3)
    unit = _unit(arguments[0])
    clocks = [wall_clock(one, at, name) for one in arguments[1:]]
    if all(one.type.name == "TIMESTAMP_LTZ" for one in arguments[1:]):
        clocks = [one.sql for one in arguments[1:]]
    start, end = (f"CAST({clock} AS TIMESTAMP_NTZ)" for clock in clocks)
    kind = DataType("INT", nullable=any_nullable(arguments[1:]))
    if unit in MONTHS:
        return Typed(f"CAST({months_between(start, end)} div {MONTHS[unit]} AS INT)", kind)
    if unit not in (*_DAYS, *_CLOCK):
        raise NotThereYet(f"{name}({unit}, …)", at)
    return Typed(f"CAST(timestampdiff({unit}, {start}, {end}) AS INT)", kind)


def months_between(start: str, end: str) -> str:
    """Whole months between two times: first by their dates, then by the clock.

    It is "transform(array(struct(… AS a, … AS b)), _nrt_x -> …)[0]".
    The last day of a month is one month after the last day of a longer one. If the days are equal and the second time
    of day is earlier, it is one month less.
    """
    a, b = "CAST(_nrt_x.a AS DATE)", "CAST(_nrt_x.b AS DATE)"
    index = f"((year({b}) - year({a})) * 12 + month({b}) - month({a}))"
    forth = f"({index} - IF(add_months({a}, {index}) > {b}, 1, 0))"
    back = f"({index} + IF(add_months({b}, -{index}) > {a}, 1, 0))"
    months = f"IF({a} <= {b}, {forth}, {back})"
    body = (
        f"transform(array({months}), _nrt_m -> _nrt_m - IF(add_months({a}, _nrt_m) = {b}"
        f" AND date_format(_nrt_x.b, 'HHmmssSSS') < date_format(_nrt_x.a, 'HHmmssSSS'), 1, 0))[0]"
    )
    return bound(f"struct({start} AS a, {end} AS b)", body)


def _overlaps(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """`(start, end) OVERLAPS (start, end)`: an end may be an interval, and may be before its start.

    It is "(greatest(…) >= least(…) AND greatest(…) >= least(…))".
    """
    check_count(arguments, at, name, 4, 4)
    spans = []
    for start, end in (arguments[:2], arguments[2:]):
        first = f"CAST({wall_clock(start, at, name)} AS TIMESTAMP_NTZ)"
        interval = end.type.name == "INTERVAL"
        last = f"{first} + {end.sql}" if interval else f"CAST({wall_clock(end, at, name)} AS TIMESTAMP_NTZ)"
        spans.append((f"least({first}, {last})", f"greatest({first}, {last})"))
    (a, b), (c, d) = spans
    return Typed(strict(arguments, f"({b} >= {c} AND {d} >= {a})"), TRUTH.with_nullable(any_nullable(arguments)))


TEMPORAL: dict[str, Function] = {
    "EXTRACT": of_times(_extract, lambda arguments: arguments[0].word),
    **{name: _part_function(unit) for name, unit in _FUNCTIONS.items()},
    "TIMESTAMPADD": of_times(_add),
    "TIMESTAMPDIFF": of_times(_difference),
    "OVERLAPS": of_times(_overlaps),
}
