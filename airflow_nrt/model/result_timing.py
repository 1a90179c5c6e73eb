"""When the results of an insert become visible, how often they change, and when they are final.

    start            first      updates        end    complete      last
      |----------------|----|----|----|----|----|--------|-----------|---------->  watermark
                      early results                  late updates     only the late ledger

All offsets are milliseconds from the end of a window. A result is due when the watermark has reached the last
millisecond before its time, just as a window without timing is complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.durations import format_duration, parse_duration
from airflow_nrt.basics.errors import InputError

EARLY, COMPLETE, LATE, LAST = "early", "complete", "late", "last"
"""The states of a version of a window. A complete version is the last one if nothing is published after it."""
_COUNT = re.compile(r"count\s*\(\s*([1-9]\d{0,11})\s*\)", re.IGNORECASE)


@dataclass(frozen=True)
class Rows:
    """An update rate as a number of rows."""

    count: int


@dataclass(frozen=True)
class OutputOptions:
    """The timing of one insert. Raises InputError if the options contradict each other.

    Without `first_result` there are no early results. `update_rate` is an interval (ms), a number of rows, or None for
    each batch. `result_state` is the sink's column with the state of a row: early, complete, late or last.
    """

    first_result: int | None = None
    complete_result: int = 0
    update_rate: int | Rows | None = None
    late_updates: bool = False
    last_result: int | None = None
    result_state: str | None = None

    def __post_init__(self) -> None:
        complete = f"'complete-result' {format_offset(self.complete_result)}"
        if self.complete_result < 0:
            raise InputError(f"{complete} is before the end of the window, where its last rows are still to come")
        if self.first_result is not None and self.first_result > self.complete_result:
            raise InputError(
                f"'first-result' {format_offset(self.first_result)} is after {complete}: nothing is early about it"
            )
        if self.last_result is not None and self.last_result < self.complete_result:
            raise InputError(f"'last-result' {format_offset(self.last_result)} is before {complete}")
        if not self.late_updates and self.last_result not in (None, self.complete_result):
            raise InputError(
                f"'last-result' {format_offset(self.last_result or 0)} says until when late rows change results, and "
                "none do: set 'late-updates' = 'on', or leave it out"
            )
        if self.late_updates and (self.last_result is None or self.last_result == self.complete_result):
            raise InputError(
                f"'late-updates' need a 'last-result' after {complete}, for example "
                f"'{format_offset(self.complete_result + 900_000)}': until then state is kept"
            )

    @classmethod
    def read(cls, options: Mapping[str, str]) -> OutputOptions:
        """From the options of a sink, whose values have been checked one by one. Raises InputError."""
        given = {name: options.get(name) for name in TIMING_OPTIONS}
        first, complete, rate, late, last, state = given.values()
        return cls(
            first_result=None if first is None else parse_offset(first),
            complete_result=0 if complete is None else parse_offset(complete),
            update_rate=None if rate is None else parse_rate(rate),
            late_updates=late is not None and parse_switch(late),
            last_result=None if last is None else parse_offset(last),
            result_state=state,
        )

    def written(self) -> dict[str, str]:
        """As options of a sink."""
        rate = self.update_rate
        texts = (
            None if self.first_result is None else f"{self.first_result} ms",
            f"{self.complete_result} ms" if self.complete_result else None,
            None if rate is None else f"count({rate.count})" if isinstance(rate, Rows) else f"{rate} ms",
            "on" if self.late_updates else None,
            None if self.last_result is None else f"{self.last_result} ms",
            self.result_state,
        )
        return {name: text for name, text in zip(TIMING_OPTIONS, texts) if text is not None}

    def hint(self) -> str:
        """The SQL hint after the table of an INSERT, for programs; '' if there are no options."""
        pairs = ", ".join(f"'{name}' = '{text}'" for name, text in self.written().items())
        return f"/*+ OPTIONS({pairs}) */" if pairs else ""

    @property
    def is_early(self) -> bool:
        """Whether there are results before the complete one."""
        return self.first_result is not None and self.first_result < self.complete_result

    @property
    def publishes_once(self) -> bool:
        """Whether a window has one version."""
        return not self.is_early and not self.late_updates

    @property
    def final(self) -> int:
        """The offset at which a window's state is dropped. Rows that arrive later are late for it."""
        return self.last_result if self.late_updates and self.last_result is not None else self.complete_result

    @property
    def earliest(self) -> int:
        """The offset of the first version."""
        return min(self.complete_result, self.complete_result if self.first_result is None else self.first_result)

    def is_complete(self, end: int, watermark: int | None) -> bool:
        """Whether the window that ends at `end` has had its complete result at this watermark."""
        return watermark is not None and end + self.complete_result - 1 <= watermark

    def due(self, end: int, before: int | None, now: int, row_count: int) -> str | None:
        """The state of the version that is due now of the window that ends at `end`, None if none is.

        The watermark was `before` (None: there was none) when versions were looked for last, and is `now`. So many rows
        of the window (`row_count`) have arrived since its last version. Several versions that are due by time are one.
        """

        def passes(offset: int) -> bool:
            return end + offset - 1 <= now and (before is None or end + offset - 1 > before)

        if self.late_updates and passes(self.final):
            new = passes(self.complete_result)
            return LAST if self.result_state else COMPLETE if new else LATE if row_count else None
        if passes(self.complete_result):
            return COMPLETE
        if self.is_complete(end, now):
            still = self.late_updates and end + self.final - 1 > now
            return LATE if row_count and still else None
        if not self.is_early or end + self.earliest - 1 > now:
            return None
        return EARLY if passes(self.earliest) or self._updates(end, before, now, row_count) else None

    def _updates(self, end: int, before: int | None, now: int, row_count: int) -> bool:
        """Whether it is time for another early result."""
        if isinstance(self.update_rate, Rows):
            return row_count >= self.update_rate.count
        if self.update_rate is None or before is None:
            return row_count > 0
        first = end + self.earliest - 1
        return (now - first) // self.update_rate > (before - first) // self.update_rate

    def check_of_windows(self) -> None:
        """Raises InputError if the results of windows can't have this timing."""
        if self.update_rate is not None and not self.is_early:
            raise InputError(
                "'update-rate' needs a 'first-result' before the complete one, for example '-15 min': without it a "
                "window has no results to update"
            )

    def check_over_clock(self) -> None:
        """Raises InputError if windows over processing time can't have this timing."""
        for name, given in (("complete-result", self.complete_result), ("late-updates", self.late_updates)):
            if given:
                raise InputError(f"{name!r} is for event time only: over processing time no row is late")


def parse_offset(text: str) -> int:
    """Milliseconds of `-15 min`, `+5 min`, `0`. Raises ValueError."""
    stripped = text.strip()
    sign = -1 if stripped.startswith("-") else 1
    return sign * parse_duration(stripped[1:] if stripped[:1] in ("-", "+") else stripped)


def format_offset(ms: int) -> str:
    """`-900000` as `-15 minutes`."""
    return f"+{format_duration(ms)}" if ms > 0 else format_duration(ms)


def parse_rate(text: str) -> int | Rows:
    """An interval in milliseconds, or the rows of `count(100)`. Raises ValueError."""
    counted = _COUNT.fullmatch(text.strip())
    if counted is not None:
        return Rows(int(counted.group(1)))
    try:
        interval = parse_duration(text)
    except ValueError:
        raise ValueError(f"{text!r} is neither a duration ('3 min') nor a number of rows ('count(100)')") from None
    if interval == 0:
        raise ValueError("an interval of 0 is none: leave the option out to update with each batch")
    return interval


def parse_switch(text: str) -> bool:
    """Raises ValueError for anything but `on` and `off` (`true` and `false`)."""
    if text.lower() not in ("on", "off", "true", "false"):
        raise ValueError(f"{text!r} is neither 'on' nor 'off'")
    return text.lower() in ("on", "true")


TIMING_OPTIONS: dict[str, tuple[Callable[[str], Any], str]] = {
    "first-result": (parse_offset, "when a window's first result is published, from the window's end: '-15 min'"),
    "complete-result": (parse_offset, "when its complete result is: '+5 min'"),
    "update-rate": (parse_rate, "how often results change before that: '3 min' or 'count(100)'"),
    "late-updates": (parse_switch, "publish again when a late row changes a complete window"),
    "last-result": (parse_offset, "until when they do, and state is kept: '+15 min'"),
    "result-state": (str, "the column that says early, complete, late or last"),
}
"""The options of a sink, in the order of the fields of `OutputOptions`."""

AT_ONCE = OutputOptions()
"""A window is published once, when it is complete; rows without a window as they arrive."""
