"""The report that is measured, by kind of window, and the commands that run it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

COLUMNS = "order_id BIGINT, item_id INT, seller_id INT, user_id INT, price DECIMAL(10, 2), pay_time TIMESTAMP(3)"
BOUNDS = "item_id INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3)"
_OF = "TABLE orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES"


@dataclass(frozen=True)
class Report:
    """`results` are the columns that follow the bounds of a window."""

    name: str
    windows: str
    aggregates: str = "SUM(price), COUNT(*), COUNT(DISTINCT user_id)"
    results: str = "sales DECIMAL(38, 2), orders BIGINT, buyers BIGINT"

    def script(self, source: str, sink: Path, columns: str = COLUMNS) -> str:
        return f"""
CREATE TABLE orders ({columns}, WATERMARK FOR pay_time AS pay_time - INTERVAL '30' SECOND) {source};
CREATE TABLE sales ({BOUNDS}, {self.results})
  WITH ('connector' = 'filesystem', 'path' = '{sink}', 'format' = 'parquet');
INSERT INTO sales SELECT item_id, window_start, window_end, {self.aggregates}
FROM TABLE({self.windows}) GROUP BY item_id, window_start, window_end;
"""


CUMULATE = Report("CUMULATE", f"CUMULATE({_OF}, INTERVAL '1' DAY)")
TUMBLE = Report("TUMBLE", f"TUMBLE({_OF})")
HOP = Report("HOP", f"HOP({_OF}, INTERVAL '1' HOUR)")
PLAIN = Report("TUMBLE, no distinct", f"TUMBLE({_OF})", "SUM(price), COUNT(*)", "sales DECIMAL(38, 2), orders BIGINT")


def files(directory: Path, format: str = "csv", more: Mapping[str, str] = MappingProxyType({})) -> str:
    """The WITH clause of a filesystem source."""
    options = {"connector": "filesystem", "path": str(directory), "format": format, **more}
    return "WITH (" + ", ".join(f"'{key}' = '{value}'" for key, value in options.items()) + ")"


def airflow_nrt(name: str, place: Path, *arguments: str, report: Path | None = None) -> list[str]:
    """A command of the product on a report, by default `place/sales.sql`, and `place/home`."""
    given = str(report or place / "sales.sql")
    return [sys.executable, "-m", "airflow_nrt.cli.main", name, given, "--home", str(place / "home"), *arguments]
