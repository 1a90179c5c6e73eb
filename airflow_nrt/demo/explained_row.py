"""One published row that late rows explain: the row, and the orders that came too late for it, from the late ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.demo.sinks.sink import CurveRow, CurveSink
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX, records_in
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.written.ledger_files import ledger_files

WELL_SHOWN = 2
"""How many late rows can be read at a glance."""


@dataclass(frozen=True)
class LateOrder:
    """Times in ms of the report's clock; the watermark is that of its arrival."""

    paid: int
    price: Decimal
    watermark: int

    def __str__(self) -> str:
        return (
            f"{self.price} at {format_instant(self.paid)}, read when the watermark was {format_instant(self.watermark)}"
        )


@dataclass(frozen=True)
class ExplainedRow:
    """A shop's row of the window that ends at `end` (ms), as published before these orders came."""

    shop: int
    end: int
    published: CurveRow
    late: tuple[LateOrder, ...]

    def explains(self, now: CurveRow | None) -> bool:
        """Whether the late orders are exactly what this row has more; the buyer of a late order may be a known one."""
        if now is None:
            return False
        orders, gmv = self.published.orders + len(self.late), self.published.gmv + sum(one.price for one in self.late)
        return (now.orders, now.gmv) == (orders, gmv) and 0 <= now.buyers - self.published.buyers <= len(self.late)

    def lines(self) -> list[str]:
        late = [f"    late       {one}" for one in self.late]
        return [
            f"  an explained row: shop {self.shop}, in the window that ends at {format_instant(self.end)}",
            f"    published  {self.published}",
            *late,
        ]


def explained_row(home: Home, sink: CurveSink, until: int) -> ExplainedRow:
    """The most readable row of a window that ends by `until`. Raises NrtError if no order was late."""
    missed = [record for record in _late_records(home) if record["missed_until"] <= until]
    lacking: dict[tuple[int, int], list[LateOrder]] = {}
    for shop, end in {(one["row"]["shop_id"], one["missed_until"]) for one in missed}:
        lacking[shop, end] = [
            LateOrder(one["rowtime"], Decimal(str(one["row"]["price"])), one["watermark"])
            for one in missed
            if one["row"]["shop_id"] == shop and one["missed_from"] <= end <= one["missed_until"]
        ]
    for shop, end in sorted(lacking, key=lambda place: (abs(len(lacking[place]) - WELL_SHOWN), place[::-1])):
        row = sink.row(home, shop, end)
        if row is not None:
            return ExplainedRow(shop, end, row, tuple(lacking[shop, end]))
    raise NrtError("no order was late for a row that was published: the demonstration has nothing to explain")


def _late_records(home: Home) -> Iterator[dict[str, Any]]:
    for entry in home.log().audit():
        if isinstance(entry.body, Commit):
            for name, files in ledger_files(home.root, entry.body).items():
                if name.startswith(LATE_PREFIX):
                    yield from chain.from_iterable(map(records_in, files))
