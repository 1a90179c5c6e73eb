"""Orders that arrive as files of a partitioned directory."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from airflow_nrt.demo.children import Child
from airflow_nrt.demo.sources.source import OrdersSource
from airflow_nrt.home.home import Home


class FilesSource(OrdersSource):
    """The report's table `orders` is below `data/`."""

    name = "files"
    example = "orders_curve"

    @property
    def home(self) -> Home:
        return Home.at(self.place / "home")

    @property
    def settings(self) -> Mapping[str, str]:
        return {"DATA": str(self.place / "data")}

    @property
    def environment(self) -> Mapping[str, str]:
        return {"ORDERS_HOME": str(self.home.path)}

    def start(self, mark: Mapping[str, str]) -> None:
        (self.place / "data" / "orders").mkdir(parents=True)

    @contextmanager
    def arriving(self, child: Child, *day: str) -> Iterator[None]:
        out = self.place / "data" / "orders"
        with child([sys.executable, "-m", "airflow_nrt.demo.generator", "--out", str(out), *day]) as process:
            try:
                yield
            finally:
                process.kill()
