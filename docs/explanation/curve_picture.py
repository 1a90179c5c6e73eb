"""Draws docs/explanation/curve.svg from the data of a demonstration: the live curve, the kill, the same day by
backfill.

make demo KEEP=1        says where it left its data and its home
make picture DEMO=DIR   calls this; it backfills the day into a home of its own beside them
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.dates import DateFormatter

from airflow_nrt.curve import CurveReader, Point
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.outline import Outline
from airflow_nrt.sql.load import load_report

REPORT = Path(__file__).parents[2] / "dags" / "reports" / "orders_curve.sql"
DAY = ("2024-06-18 00:00:00", "2024-06-19 00:00:00")
COLOURS = ("#1f6fb4", "#2a9d5c", "#8a5fbf", "#b58a1f")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demo", type=Path, help="the directory that `make demo KEEP=1` left")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("curve.svg"))
    options = parser.parse_args()
    home = Home.at(options.demo / "home")
    live = curve(home, options.demo / "data")
    with tempfile.TemporaryDirectory() as directory:
        batch = backfilled(options.demo / "data", Path(directory))
    draw(live, batch, drivers(home), options.out)


def curve(home: Home, data: Path) -> list[Point]:
    """Buyers by window end, as published."""
    outline = Outline.of(load_report(REPORT, {"DATA": str(data)}))
    points = CurveReader.of(home, outline, column="buyers").points()
    return [point for point in points if point.end <= _ms(DAY[1])]


def backfilled(data: Path, place: Path) -> list[Point]:
    """The same, made by `airflow-nrt backfill` from the partitioned table alone."""
    (place / "orders").symlink_to(data.absolute() / "orders")
    command = ["airflow-nrt", "backfill", str(REPORT), "--home", str(place / "home"), "--set", f"DATA={place}"]
    subprocess.run([*command, "--start", DAY[0], "--end", DAY[1]], check=True)
    return curve(Home.at(place / "home"), place)


def drivers(home: Home) -> list[int]:
    """The log entry with which each driver began."""
    return [entry.n for entry in home.log().audit() if isinstance(entry.body, Lease)]


def draw(live: list[Point], batch: list[Point], began: list[int], out: Path) -> None:
    figure, (above, below) = pyplot.subplots(
        2, 1, figsize=(9, 4.8), sharex=True, height_ratios=(4, 1), layout="constrained"
    )
    above.plot(*_series(batch), ".", color="#e07b39", markersize=5, label="backfill, from the partitioned table alone")
    for number, first in enumerate(began):
        until = began[number + 1] if number + 1 < len(began) else live[-1].entry + 1
        mine = [point for point in live if first <= point.entry < until]
        if not mine:
            continue
        joined = [point for point in live if point.end < mine[0].end][-1:] + mine
        above.plot(*_series(joined), color=COLOURS[number % 4], linewidth=2, label=f"live, driver {number + 1}")
        if number:
            above.axvline(_moment(mine[0].end), color="#c0392b", linestyle="--", linewidth=1)
            above.annotate(" kill -9, restarted", (_moment(mine[0].end), 0.93 * live[-1].value), color="#c0392b")
    above.set_ylabel("buyers since midnight, all shops")
    above.legend(loc="lower right", frameon=False)
    at_batch = {point.end: point.value for point in batch}
    below.bar(
        [_moment(point.end) for point in live],
        [at_batch.get(point.end, 0) - point.value for point in live],
        width=0.006,
        color="#e07b39",
    )
    below.set_ylabel("late rows")
    below.set_xlabel("window end; below: buyers that the batch counts and the live window could not yet")
    below.xaxis.set_major_formatter(DateFormatter("%H:%M"))
    for axes in (above, below):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, metadata={"Date": None})


def _series(points: list[Point]) -> tuple[list[datetime], list[float]]:
    return [_moment(point.end) for point in points], [point.value for point in points]


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, timezone.utc).replace(tzinfo=None)


def _ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp() * 1000)


if __name__ == "__main__":
    main()
