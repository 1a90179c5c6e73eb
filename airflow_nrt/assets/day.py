"""From the windows of a report to its days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from datetime import timezone as fixed
from typing import Any

from airflow.partition_mappers.base import PartitionMapper

from airflow_nrt.basics.instants import EPOCH, parse_instant
from airflow_nrt.model.zones import zone_rules


class NrtDayMapper(PartitionMapper):
    """Maps the end of a day's last window to that day, and every other window to no day.

    So a DAG on `PartitionedAssetTimetable` runs once a day, as soon as the day is complete. For a day of the report's
    clock, the partition key is its date (`2024-06-18`). For any other day it is START/END on that clock
    (`2024-06-17T22:00:00/2024-06-18T22:00:00`), so that backfills and verifications take the same windows.

    :param timezone: the zone of the days, if the report's clock is UTC; such a day has 23, 24 or 25 hours; default:
        days of the report's own clock
    :param ends_at: the time of day at which days end, `HH:MM`
    :param max_downstream_keys: as for all mappers; no window gives more than one day

    Raises ValueError for an invalid zone or time.
    """

    def __init__(
        self, *, timezone: str | None = None, ends_at: str = "00:00", max_downstream_keys: int | None = None
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self._rules = None if timezone is None else zone_rules(timezone)
        try:
            self._at = datetime.strptime(ends_at, "%H:%M").time()
        except ValueError:
            raise ValueError(f"ends_at must be a time of day like '08:00', not {ends_at!r}") from None
        self.timezone = timezone
        self.ends_at = ends_at

    def to_downstream(self, key: str) -> Iterable[str]:
        """The day that ends with the window that ends at `key`, if there is one. Raises ValueError for an invalid
        time."""
        end = EPOCH + timedelta(milliseconds=parse_instant(key))
        if self._rules is not None:
            end = end.replace(tzinfo=fixed.utc)
        shown = end.astimezone(self._rules).date() if self._rules is not None else end.date()
        return (self._key(shown - timedelta(days=1)),) if self._end_of_day(shown) == end else ()

    def to_partition_date(self, downstream_key: str) -> datetime:
        """When the day begins; on the report's clock as if that were UTC."""
        begin = EPOCH + timedelta(milliseconds=parse_instant(downstream_key.partition("/")[0]))
        return begin.replace(tzinfo=fixed.utc)

    def serialize(self) -> dict[str, Any]:
        return {**super().serialize(), "timezone": self.timezone, "ends_at": self.ends_at}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> NrtDayMapper:
        return cls(**data)

    def _key(self, day: date) -> str:
        if self._rules is None and self._at == time.min:
            return str(day)
        bounds = (self._end_of_day(one).replace(tzinfo=None) for one in (day, day + timedelta(days=1)))
        return "/".join(bound.isoformat() for bound in bounds)

    def _end_of_day(self, day: date) -> datetime:
        """When the day before ends: the first instant at which clocks show it, or skip it."""
        end = datetime.combine(day, self._at)
        return end if self._rules is None else end.replace(tzinfo=self._rules).astimezone(fixed.utc)
