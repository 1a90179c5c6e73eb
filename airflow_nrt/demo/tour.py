"""The last words of the demonstration: where its page is, who signs in, what to click, and what each click shows."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from airflow_nrt.basics.instants import format_instant, iso_instant
from airflow_nrt.demo.generator import DAY

_INSERT = "orders_curve"
"""The table that every report of the demonstration has."""
LATER = "airflow-nrt demo --keep leaves Airflow up, and says what to click"
ENTER = "Enter ends Airflow and removes everything"


@dataclass(frozen=True)
class Tour:
    """`report` is the id of the report's home, `window` the end (ms) of the window whose late orders were shown."""

    url: str
    user: str
    password: str
    dag: str
    report: str
    window: int

    def lines(self) -> list[str]:
        page = f"{self.url}/nrt/#/report/{self.report}"
        end = quote(iso_instant(self.window) or "", safe="")
        window, stream = f"{page}/window/{end}?insert={_INSERT}", f"{self.url}/dags/{self.dag}/runs/demo/tasks/stream"
        day, at = f"{page}?day={DAY:%Y-%m-%d}", format_instant(self.window)
        clicks = (
            (f"the report {self.dag}: the curve of the day; at the dashed line a new driver went on", day),
            (f"the window that ends at {at}: its rows, its versions, and the orders that came too late for it", window),
            ("the task stream: its log says when the driver was lost, and when the next one began", stream),
        )
        return [
            "",
            f"  the page  {self.url}/plugin/nrt_reports",
            f"  sign in   {self.user}, password {self.password}",
            *(f"  click {n}   {shows}\n            {link}" for n, (shows, link) in enumerate(clicks, 1)),
        ]
