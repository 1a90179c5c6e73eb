"""What the demonstration asks of the table that has the curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal

from airflow_nrt.basics.instants import format_instant, parse_instant
from airflow_nrt.curve import Curve
from airflow_nrt.demo.children import Verification, Verify
from airflow_nrt.demo.endpoint import Endpoint
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.summary import Flipped
from airflow_nrt.home.home import Home
from airflow_nrt.home.outline import Outline

_MINUTES_30 = 1_800_000


@dataclass(frozen=True)
class CurveRow:
    """A shop's figures in one window."""

    orders: int
    buyers: int
    gmv: Decimal

    def __str__(self) -> str:
        return f"{self.orders} orders of {self.buyers} buyers, {self.gmv}"


class CurveSink(Endpoint, ABC):
    """The table `orders_curve`, as its readers see it."""

    @abstractmethod
    def row(self, home: Home, shop: int, end: int) -> CurveRow | None:
        """A shop's row in the published window that ends at `end` (ms)."""

    @abstractmethod
    def curve(self, home: Home, outline: Outline) -> Curve:
        """The buyers of all shops, window by window."""

    @abstractmethod
    def flip(self, home: Home, verify: Verify, screen: Screen) -> AbstractContextManager[Callable[[float], Flipped]]:
        """Flips one cell. What it gives waits so many seconds for the verification that must find it."""


def around(end: str) -> tuple[str, ...]:
    """Arguments of a verification: three windows, up to the one that ends at `end`."""
    return ("--start", format_instant(parse_instant(end) - _MINUTES_30), "--end", end)


def flipped(window: str, running: Verification, screen: Screen, patience: float) -> Flipped:
    """The verification's verdict on that window, on the screen, too."""
    found = Flipped(window, running.verdict(patience))
    screen.step(f"the verification ended with status {running.status}, it names {', '.join(found.named) or 'nothing'}")
    return found
