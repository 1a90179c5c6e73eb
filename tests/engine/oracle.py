"""Window aggregates by brute force in DuckDB: every row joined with every window that holds it.

Nothing of the product is used here, so that agreement means something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from tests.engine.reports import DELAY, EPOCH, Event, ordered

END_OF_TIME = 2**62


@dataclass(frozen=True)
class Windowing:
    """A windowing by its definition. `stride` is the slide of HOP and the step of CUMULATE; all in ms."""

    kind: str
    size: int
    stride: int
    offset: int = 0

    @property
    def sql(self) -> str:
        """The call without its table: `HOP(INTERVAL '300' SECOND, INTERVAL '600' SECOND)`."""
        lengths = [self.size] if self.kind == "TUMBLE" else [self.stride, self.size]
        lengths += [self.offset] if self.offset else []
        return f"{self.kind}({', '.join(_interval(length) for length in lengths)})"

    def between(self, first: int, last: int) -> list[tuple[int, int]]:
        """All windows `[start, end)` that can hold a row with `first <= rowtime <= last`, and some more."""
        period = self.size if self.kind == "CUMULATE" else self.stride
        low = (first - self.size - self.offset) // period - 1
        high = (last - self.offset) // period + 1
        starts = [self.offset + n * period for n in range(low, high + 1)]
        if self.kind == "CUMULATE":
            return [(start, start + n) for start in starts for n in range(self.stride, self.size + 1, self.stride)]
        return [(start, start + self.size) for start in starts]

    def __str__(self) -> str:
        return self.sql


@dataclass(frozen=True)
class CalendarWindowing:
    """The same in months, with lengths such as `1 MONTH`. A HOP begins its size before its end."""

    kind: str
    size: str
    stride: str
    offset: str = "0 DAY"

    @property
    def sql(self) -> str:
        lengths = [self.size] if self.kind == "TUMBLE" else [self.stride, self.size]
        lengths += [self.offset] if self.offset != "0 DAY" else []
        return f"{self.kind}({', '.join(map(self._literal, lengths))})"

    def _literal(self, length: str) -> str:
        count, unit = length.split()
        return f"INTERVAL '{count}' {unit}"

    def between(self, first: int, last: int) -> list[tuple[int, int]]:
        size, stride, offset = map(self._literal, (self.size, self.stride, self.offset))
        # Days and hours are added last: 31 December, 18:00 is no beginning to count months from.
        months, shift = (offset, "INTERVAL '0' DAY") if "MONTH" in offset else ("INTERVAL '0' DAY", offset)
        begin, until = f"TIMESTAMP '1900-01-01' + {months}", f"make_timestamp({last} * 1000) + INTERVAL '3' YEAR"
        starts = f"SELECT unnest(generate_series({begin}, {until}, {size})) AS start"
        if self.kind == "TUMBLE":
            windows = f"SELECT start, start + {size} AS fin FROM ({starts})"
        elif self.kind == "CUMULATE":
            windows = f"SELECT start, unnest(generate_series(start + {stride}, start + {size}, {stride})) AS fin "
            windows += f"FROM ({starts})"
        else:
            ends = f"SELECT unnest(generate_series({begin}, {until}, {stride})) AS fin"
            windows = f"SELECT fin - {size} AS start, fin FROM ({ends})"
        shifted = f"SELECT start + {shift} AS start, fin + {shift} AS fin FROM ({windows})"
        near = f"start <= make_timestamp({last} * 1000) AND fin > make_timestamp({first} * 1000)"
        return duckdb.sql(f"SELECT epoch_ms(start), epoch_ms(fin) FROM ({shifted}) WHERE {near} ORDER BY 2").fetchall()

    def __str__(self) -> str:
        return self.sql


CALENDAR = tuple(
    CalendarWindowing(*one)
    for one in (
        ("TUMBLE", "1 MONTH", "1 MONTH"),
        ("TUMBLE", "1 MONTH", "1 MONTH", "20 DAY"),
        ("TUMBLE", "1 QUARTER", "1 QUARTER", "-6 HOUR"),
        ("TUMBLE", "1 YEAR", "1 YEAR", "3 MONTH"),
        ("TUMBLE", "5 MONTH", "5 MONTH"),
        ("CUMULATE", "1 MONTH", "1 DAY"),
        ("CUMULATE", "1 MONTH", "6 HOUR", "6 HOUR"),
        ("CUMULATE", "1 QUARTER", "1 DAY", "-1 MONTH"),
        ("CUMULATE", "1 YEAR", "1 MONTH", "3 MONTH"),
        ("CUMULATE", "1 YEAR", "1 QUARTER", "1 MONTH"),
        ("HOP", "1 MONTH", "1 DAY"),
        ("HOP", "1 QUARTER", "1 DAY", "6 HOUR"),
        ("HOP", "1 QUARTER", "1 MONTH", "1 DAY"),
        ("HOP", "1 YEAR", "1 QUARTER", "2 MONTH"),
    )
)


def _interval(ms: int) -> str:
    return f"INTERVAL '{'-' if ms < 0 else ''}{abs(ms) // 1000}.{abs(ms) % 1000:03d}' SECOND(6)"


def watermarks_before(batches: Sequence[Sequence[Event]]) -> list[int | None]:
    """The watermark at the beginning of each batch, after FLIP-66: the greatest rowtime so far less the delay."""
    marks: list[int | None] = [None]
    for batch in batches:
        proposed = max(event.at for event in batch) - DELAY
        marks.append(proposed if marks[-1] is None else max(marks[-1], proposed))
    return marks[:-1]


def count_in(
    windowing: Windowing | CalendarWindowing,
    batches: Sequence[Sequence[Event]],
    aggregates: Mapping[str, tuple[str, str]],
    marks: Sequence[int | None] | None = None,
) -> list[tuple[Any, ...]]:
    """Sorted rows (shop, window_start, window_end, aggregates…) over all batches.

    With `marks`, the watermark before each batch, a row counts only in windows that were not complete by then.
    """
    seen = marks or [None] * len(batches)
    rows = [(event, mark) for batch, mark in zip(batches, seen) for event in batch]
    times = [event.at for event, _ in rows]
    database = duckdb.connect()
    database.register("events", _table(rows))
    database.register("windows", pa.table(_columns(windowing.between(min(times), max(times)), ("w_start", "w_end"))))
    calls = ", ".join(f"CAST({call} AS {kind}) AS {column}" for column, (kind, call) in aggregates.items())
    return ordered(
        database.sql(
            f"SELECT shop, make_timestamp(w_start * 1000), make_timestamp(w_end * 1000), {calls} "
            "FROM events JOIN windows ON ts_ms >= w_start AND ts_ms < w_end "
            "WHERE seen IS NULL OR seen < w_end - 1 GROUP BY shop, w_start, w_end"
        ).fetchall()
    )


def _table(rows: Sequence[tuple[Event, int | None]]) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([event.id for event, _ in rows], pa.int64()),
            "shop": pa.array([event.shop for event, _ in rows], pa.int32()),
            "user_id": pa.array([event.user for event, _ in rows], pa.int32()),
            "item": pa.array([event.item for event, _ in rows], pa.string()),
            "price": pa.array([event.price for event, _ in rows], pa.decimal128(10, 2)),
            "weight": pa.array([event.weight for event, _ in rows], pa.float64()),
            "ts_ms": pa.array([event.at for event, _ in rows], pa.int64()),
            "seen": pa.array([mark for _, mark in rows], pa.int64()),
        }
    )


def _columns(rows: Iterable[tuple[int, ...]], names: tuple[str, ...]) -> dict[str, list[int]]:
    listed = list(rows)
    return {name: [row[n] for row in listed] for n, name in enumerate(names)}


def milliseconds(moment: Any) -> int:
    """A timestamp of a result row in ms."""
    return round((moment - EPOCH).total_seconds() * 1000)
