"""What a calendar month costs beside 30 days, and several inserts beside one: to date by day over a year, in turn.

python -m bench.months [--rows 5000000] [--items 10 1000] [--runs 3] [--out bench/out]
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from bench.contests import emptied
from bench.orders import FILES, MIDNIGHT, orders, write_csv
from bench.processes import measured
from bench.reports import Report, airflow_nrt, files


@dataclass(frozen=True)
class Several:
    """One report with an insert for each of these windows."""

    name: str
    windows: tuple[str, ...]

    def script(self, source: str, sink: Path) -> str:
        scripts = [Report(self.name, one).script(source, sink / str(n)) for n, one in enumerate(self.windows)]
        inserts = (one.partition(";")[2].replace(" sales ", f" sales{n} ") for n, one in enumerate(scripts))
        return scripts[0].partition(";")[0] + ";" + "".join(inserts)


DAYS = 365
_TO_DATE = ("INTERVAL '1' MONTH", "INTERVAL '1' QUARTER", "INTERVAL '1' YEAR")
_OF = "TABLE orders, DESCRIPTOR(pay_time)"
FIXED = Report("CUMULATE 1 day / 30 days", f"CUMULATE({_OF}, INTERVAL '1' DAY, INTERVAL '30' DAY)")
REPORTS = (
    FIXED,
    Report("CUMULATE 1 day / 1 month", f"CUMULATE({_OF}, INTERVAL '1' DAY, INTERVAL '1' MONTH)"),
    Report("TUMBLE 1 month", f"TUMBLE({_OF}, INTERVAL '1' MONTH)"),
    Several("month, quarter and year by day", tuple(f"CUMULATE({_OF}, INTERVAL '1' DAY, {one})" for one in _TO_DATE)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--items", type=int, nargs="+", default=[10, 1_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    print("| items | windows | seconds | of 30 days |\n|---|---|---|---|")
    for items in options.items:
        year = write_year(options.out.absolute(), options.rows, items)
        seconds: dict[str, list[float]] = {one.name: [] for one in REPORTS}
        for _ in range(options.runs):
            for report in REPORTS:
                place = emptied(options.out.absolute() / "months")
                (place / "sales.sql").write_text(report.script(files(year), place / "sales"))
                figures = measured(airflow_nrt("run", place, "--available-now"), place / "log")
                seconds[report.name].append(figures.seconds)
        fixed = statistics.median(seconds[FIXED.name])
        for name, took in seconds.items():
            each = ", ".join(f"{one:.1f}" for one in took)
            print(f"| {items} | {name} | {each} | {statistics.median(took) / fixed:.2f} |", flush=True)


def write_year(out: Path, rows: int, items: int) -> Path:
    """The orders of a day, drawn out over a year."""
    place = out / f"year-{rows}-{items}"
    if not place.exists():
        day = orders(rows, items_of=items)
        after = day["pay_time"].to_numpy() - MIDNIGHT
        number = day.column_names.index("pay_time")
        year = day.set_column(number, "pay_time", pa.array(MIDNIGHT + after * DAYS))
        size = -(-rows // FILES)
        aside = emptied(out / f".{place.name}") / "files"
        write_csv(aside, [year.slice(n * size, size) for n in range(FILES)])
        aside.rename(place)
    return place


if __name__ == "__main__":
    main()
