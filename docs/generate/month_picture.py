"""Draws docs/how-to/pictures/month-to-date.svg: the example report over half a year of made orders, as published.

python docs/generate/month_picture.py     about a minute; needs the dependency group `docs`
"""

from __future__ import annotations

import math
import subprocess
import tempfile
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.dates import DateFormatter, MonthLocator
from pyarrow import dataset

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "how-to" / "pictures" / "month-to-date.svg"
FIRST, DAYS = datetime(2023, 11, 1), 182


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        write_orders(place)
        report = ROOT / "dags" / "reports" / "orders_month_to_date.sql"
        options = ["--home", str(place / "home"), "--set", f"DATA={place}", "--available-now"]
        subprocess.run(["airflow-nrt", "run", str(report), *options], check=True)
        figure, (above, below) = pyplot.subplots(2, 1, figsize=(9, 4.4), sharex=True, layout="constrained")
        draw(above, place / "orders_month_to_date", "month to date", "#1f6fb4")
        draw(below, place / "orders_year_to_date", "year to date", "#2a9d5c")
        below.xaxis.set_major_locator(MonthLocator())
        below.xaxis.set_major_formatter(DateFormatter("1 %b %y"))
        # The same picture has the same bytes.
        matplotlib.rcParams["svg.hashsalt"] = OUT.name
        figure.savefig(OUT, metadata={"Date": None})


def write_orders(place: Path) -> None:
    """More is sold at weekends and before Christmas."""
    for day in (FIRST + timedelta(days=n) for n in range(DAYS)):
        count = 40 + 25 * (day.weekday() > 4) + round(45 * math.exp(-(((day - datetime(2023, 12, 17)).days / 9) ** 2)))
        file = place / "orders" / f"ds={day:%Y-%m-%d}" / "hh=12" / "part.csv"
        file.parent.mkdir(parents=True)
        times = (day + timedelta(hours=12, seconds=n) for n in range(count))
        file.write_text("".join(f"{n},1,{n % 30},{20 + n % 7}.00,{at}\n" for n, at in enumerate(times)))


def draw(axes: Axes, table: Path, title: str, colour: str) -> None:
    sums: dict[datetime, float] = defaultdict(float)
    for row in dataset.dataset(table, partitioning="hive").to_table().to_pylist():
        sums[row["window_end"]] += float(row["gmv"])
    ends = sorted(sums)
    axes.plot(ends, [sums[end] / 1000 for end in ends], ".-", color=colour, linewidth=1.5, markersize=4, label=title)
    axes.set_ylabel("GMV, thousands")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
