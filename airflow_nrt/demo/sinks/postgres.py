"""The curve in a table of a PostgreSQL, which the demonstration starts. The cell is flipped in the table itself."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.curve import Curve
from airflow_nrt.demo.children import Verify
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.servers.postgresql import DATABASE, PostgreSql, check_installed
from airflow_nrt.demo.sinks.sink import CurveRow, CurveSink, around, flipped
from airflow_nrt.demo.summary import Flipped
from airflow_nrt.home.home import Home
from airflow_nrt.home.outline import Outline

_CONNECTION = "orders_db"
_MS = "(EXTRACT(EPOCH FROM window_end) * 1000)::BIGINT"
_FLIP = """
UPDATE orders_curve SET buyers = buyers + 1 WHERE (shop_id, window_end) = (
  SELECT shop_id, window_end FROM orders_curve ORDER BY window_end, shop_id
  OFFSET (SELECT COUNT(*) / 2 FROM orders_curve) LIMIT 1)
RETURNING window_end
"""


class PostgresSink(CurveSink):
    """The report reaches it by Airflow's connection `orders_db`."""

    name = "postgres"
    example = "orders_kafka_postgres"
    jars = ("postgresql",)

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self._database = PostgreSql(place / "postgresql", secrets.token_urlsafe())

    def check(self) -> None:
        check_installed()

    def start(self, mark: Mapping[str, str]) -> None:
        self._database.environment = mark
        self._database.start()

    def stop(self) -> None:
        if self._database.pid is not None:
            self._database.stop()

    @property
    def pids(self) -> Sequence[int]:
        return () if self._database.pid is None else (self._database.pid,)

    @property
    def _connection(self) -> dict[str, str]:
        return {
            "host": "127.0.0.1",
            "port": str(self._database.port),
            "schema": DATABASE,
            "login": DATABASE,
            "password": self._database.password,
        }

    @property
    def settings(self) -> Mapping[str, str]:
        return {f"conn:{_CONNECTION}.{field}": text for field, text in self._connection.items()}

    @property
    def environment(self) -> Mapping[str, str]:
        connection = {"conn_type": "postgres", **self._connection, "port": self._database.port}
        return {f"AIRFLOW_CONN_{_CONNECTION.upper()}": json.dumps(connection)}

    def row(self, home: Home, shop: int, end: int) -> CurveRow | None:
        where = f"shop_id = {shop} AND window_end = TIMESTAMP '{format_instant(end)}'"
        found = self._database.query(f"SELECT orders, buyers, gmv FROM orders_curve WHERE {where}")
        return next((CurveRow(int(orders), int(buyers), Decimal(gmv)) for orders, buyers, gmv in found), None)

    def curve(self, home: Home, outline: Outline) -> Curve:
        window = next(one.window for one in outline.inserts if one.name == "orders_curve")
        assert window is not None
        return TableCurve(self._database, f"buyers of orders_curve, {window.text}", window.stride)

    @contextmanager
    def flip(self, home: Home, verify: Verify, screen: Screen) -> Iterator[Callable[[float], Flipped]]:
        def found(patience: float) -> Flipped:
            ((end,),) = self._database.query(_FLIP)
            screen.step(
                f"one cell of the table is flipped, in the window that ends at {end}: will a verification find it?"
            )
            with verify(*around(end)) as running:
                return flipped(end, running, screen, patience)

        # Only once it is asked for: until then the table is what the stream has published.
        yield found


@dataclass(frozen=True)
class TableCurve:
    """The curve as a reader of the table sees it."""

    database: PostgreSql
    title: str
    stride: int
    scale: int | None = None

    def values(self) -> list[tuple[int, float]]:
        """Nothing before the stream has made the table."""
        if self.database.query("SELECT to_regclass('orders_curve')") == [[""]]:
            return []
        rows = self.database.query(f"SELECT {_MS}, SUM(buyers) FROM orders_curve GROUP BY window_end ORDER BY 1")
        return [(int(end), float(buyers)) for end, buyers in rows]
