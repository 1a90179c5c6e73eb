"""The session's time zone while a report is planned: the wall clock of TIMESTAMP_LTZ.

It is the zone of the whole report, also of statements before its SET.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.zones import foreign_zone, read_zone
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import parsed

_ZONE: ContextVar[str | None] = ContextVar("session zone", default=None)


def zone_of(statements: Iterable[parsed.Statement], override: str | None) -> str | None:
    """The zone that a script sets, None for UTC. Raises SqlError if it sets several and nothing overrides them."""
    zone = override
    for one in statements:
        if override is None and isinstance(one, parsed.SetOption) and one.key == TIME_ZONE:
            if zone not in (None, one.value):
                raise SqlError(f"a report has one time zone: it is {zone!r} already, SET it once", one.at)
            zone = one.value
    try:
        return foreign_zone(read_zone(zone)) if zone is not None else None
    except ValueError:
        # The SET reports the error.
        return None


@contextmanager
def planned_in(zone: str | None) -> Iterator[None]:
    """Plans with this as the session's zone."""
    token = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(token)


def session_zone() -> str | None:
    """The zone of the report that is being planned, None for UTC."""
    return _ZONE.get()


def as_local(typed: Typed) -> Typed:
    """A TIMESTAMP_LTZ as the TIMESTAMP that the session's clock shows then. Other values are unchanged.

    >>> print(as_local(Typed("`ltz`", DataType("TIMESTAMP_LTZ", precision=3))).sql)
    CAST(`ltz` AS TIMESTAMP_NTZ)
    """
    if typed.type.name != "TIMESTAMP_LTZ":
        return typed
    zone = session_zone()
    shown = typed.sql if zone is None else f"from_utc_timestamp({typed.sql}, {string_literal(zone)})"
    kind = DataType("TIMESTAMP", precision=typed.type.precision, nullable=typed.type.nullable)
    return Typed(f"CAST({shown} AS TIMESTAMP_NTZ)", kind, columns=typed.columns)


def alike_times(values: list[Typed]) -> list[Typed]:
    """The values with each TIMESTAMP as an instant on the session's clock, if one of them is a TIMESTAMP_LTZ."""
    if all(typed.type.name != "TIMESTAMP_LTZ" for typed in values):
        return values
    return [as_instant(typed) if typed.type.name == "TIMESTAMP" else typed for typed in values]


def as_instant(typed: Typed) -> Typed:
    """A TIMESTAMP as the first TIMESTAMP_LTZ at which the session's clock shows it.

    ltz = ts is "CAST(`ts` AS TIMESTAMP)".
    """
    zone = session_zone()
    sql = f"CAST({typed.sql} AS TIMESTAMP)"
    kind = DataType("TIMESTAMP_LTZ", precision=typed.type.precision, nullable=typed.type.nullable)
    return Typed(
        sql if zone is None else f"to_utc_timestamp({sql}, {string_literal(zone)})", kind, columns=typed.columns
    )


def later_instant(shown: str, zone: str) -> str:
    """SQL of the last TIMESTAMP at which a clock shows a TIMESTAMP_NTZ.

    A time that the clock skips is read with the offset before the change.

    `zone` is a literal. SimpleDateFormat, with which Flink reads the texts of some functions, does the same.

    >>> print(later_instant("`ts`", "'Europe/Berlin'"))
    transform(array(CAST(`ts` AS TIMESTAMP)), _nrt_t -> IF(from_utc_timestamp((_nrt_t -
    (from_utc_timestamp((to_utc_timestamp(_nrt_t, 'Europe/Berlin') + INTERVAL '3' HOUR), 'Europe/Berlin') -
    (to_utc_timestamp(_nrt_t, 'Europe/Berlin') + INTERVAL '3' HOUR))), 'Europe/Berlin') = _nrt_t, (_nrt_t -
    (from_utc_timestamp((to_utc_timestamp(_nrt_t, 'Europe/Berlin') + INTERVAL '3' HOUR), 'Europe/Berlin') -
    (to_utc_timestamp(_nrt_t, 'Europe/Berlin') + INTERVAL '3' HOUR))), to_utc_timestamp(_nrt_t, 'Europe/Berlin')))[0]
    """
    first = f"to_utc_timestamp(_nrt_t, {zone})"
    hours_on = f"({first} + INTERVAL '3' HOUR)"
    again = f"(_nrt_t - (from_utc_timestamp({hours_on}, {zone}) - {hours_on}))"
    last = f"IF(from_utc_timestamp({again}, {zone}) = _nrt_t, {again}, {first})"
    return f"transform(array(CAST({shown} AS TIMESTAMP)), _nrt_t -> {last})[0]"
