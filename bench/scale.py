"""How time, state and memory grow with rows, keys, distinct values and reports, one of them at a time.

python -m bench.scale [--rows 500000] [--factors 1,10] [-k rows] [--out bench/out/scale]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.contests import emptied
from bench.orders import ITEMS, USERS, orders, write_csv
from bench.processes import Figures, measured
from bench.reports import CUMULATE, airflow_nrt, files


@dataclass(frozen=True)
class Load:
    """The input of one run."""

    rows: int
    items: int = ITEMS // 10
    users: int = USERS // 10
    reports: int = 1


AXES: dict[str, Callable[[int, int], Load]] = {
    "rows": lambda rows, factor: Load(rows * factor),
    "keys": lambda rows, factor: Load(rows, items=ITEMS // 10 * factor),
    "distinct users": lambda rows, factor: Load(rows, users=USERS // 10 * factor),
    "reports": lambda rows, factor: Load(rows, reports=factor),
}
"""The load at a multiple of the smallest, by what grows."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000, help="at factor 1")
    parser.add_argument("--factors", default="1,10")
    parser.add_argument("-k", default="", help="only what has this in its name")
    parser.add_argument("--out", type=Path, default=Path("bench/out/scale"))
    options = parser.parse_args()
    measurements = []
    for name, load_of in AXES.items():
        for factor in map(int, options.factors.split(",")) if options.k in name else ():
            load = load_of(options.rows, factor)
            figures, state = catch_up(load, emptied(options.out.absolute() / "run"))
            measurements.append({"axis": name, "factor": factor, "state": state, **vars(load), **vars(figures)})
            print(
                f"{name} x {factor}: {figures.seconds:.1f} s, {figures.cpu:.1f} s of CPU, "
                f"state {state / 2**20:.1f} MiB, largest process {figures.peak / 2**20:.0f} MiB",
                flush=True,
            )
    (options.out / "scale.json").write_text(json.dumps(measurements, indent=1))


def catch_up(load: Load, place: Path) -> tuple[Figures, int]:
    """A day from begin to end; the remaining bytes of state are those of one second before midnight."""
    table = orders(load.rows, items_of=load.items, users_of=load.users)
    size = -(-load.rows // 24)
    write_csv(place / "orders", [table.slice(number * size, size) for number in range(24)])
    source = files(place / "orders", "csv", {"source.monitor-interval": "1 s"})
    script = CUMULATE.script(source, place / "sales")
    table_of_sales, _, insert = script.partition("INSERT INTO")
    for number in range(1, load.reports):
        script += table_of_sales[table_of_sales.index("CREATE TABLE sales") :].replace("sales", f"sales{number}")
        script += f"INSERT INTO{insert}".replace("sales", f"sales{number}")
    (place / "sales.sql").write_text(script)
    figures = measured(airflow_nrt("run", place, "--available-now"), place / "log")
    return figures, sum(file.stat().st_size for file in (place / "home" / "state").rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
