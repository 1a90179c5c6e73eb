"""The page's real application over made homes whose drivers beat, for a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.ids import home_id
from tests.page.made_homes import Made, make_homes
from tests.page.serve import serving

ENDED = 3
"""So many of the homes, the last ones, have a driver that failed or stopped, or can't be read."""


@dataclass(frozen=True)
class Served:
    """`url` is that of the page; `root` has so many homes, of which `orders_curve` has most windows."""

    url: str
    root: Path
    reports: int

    def home(self, name: str) -> Home:
        return Home.open(self.root / name)

    def id_of(self, name: str) -> str:
        return home_id(self.root / name)


@contextmanager
def serve(root: Path, reports: int, windows: int, of_others: int = 432) -> Iterator[Served]:
    """`orders_curve` has so many windows, of the others each so many. The DAGs `dag_0` to `dag_9` supervise them."""
    running = list(make_homes(root, reports, windows, of_others=of_others))[:-ENDED]
    ended = threading.Event()
    heart = threading.Thread(target=_beat, args=(running, ended), daemon=True)
    with serving(root) as url:
        heart.start()
        try:
            yield Served(url, root, reports)
        finally:
            ended.set()
            heart.join()


def _beat(running: list[Made], ended: threading.Event) -> None:
    """A driver that has been silent for a while would be taken for lost."""
    while not ended.is_set():
        for made in running:
            made.beat()
        ended.wait(4)
