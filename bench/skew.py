"""The speed of a report without a key, and with one key that has half of all rows, compared with even keys.

python -m bench.skew [--rows 2000000] [--runs 3] [--out bench/out/skew]
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import numpy as np
import pyarrow as pa

from bench.contests import emptied
from bench.orders import FILES, ITEMS, orders, write_csv
from bench.processes import measured
from bench.reports import CUMULATE, airflow_nrt, files

EVEN = "even keys"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3, help="of each, in turn; the median counts (default: 3)")
    parser.add_argument("--out", type=Path, default=Path("bench/out/skew"))
    options = parser.parse_args()
    place = emptied(options.out.absolute())
    seconds: dict[str, list[float]] = {}
    for name, items in keys(options.rows).items():
        table = orders(options.rows)
        at = table.schema.get_field_index("item_id")
        table = table.set_column(at, "item_id", pa.array(items.astype(np.int32)))
        size = -(-options.rows // FILES)
        write_csv(place / name, [table.slice(number * size, size) for number in range(FILES)])
    for _ in range(options.runs):
        for name in keys(0):
            run = emptied(place / "run")
            source = files(place / name)
            (run / "sales.sql").write_text(CUMULATE.script(source, run / "sales"))
            seconds.setdefault(name, []).append(measured(airflow_nrt("run", run), run / "log").seconds)
        run = emptied(place / "run")
        (run / "sales.sql").write_text(without_key(CUMULATE.script(files(place / EVEN), run / "sales")))
        seconds.setdefault("no key", []).append(measured(airflow_nrt("run", run), run / "log").seconds)
    even = statistics.median(seconds[EVEN])
    for name, each in seconds.items():
        median = statistics.median(each)
        print(f"{name}: median {median:.1f} s, {options.rows / median:,.0f} rows a second, {even / median:.2f} of even")


def keys(rows: int) -> dict[str, np.ndarray]:
    """The item of each order, by distribution."""
    rng = np.random.default_rng(7)
    even = rng.integers(1, ITEMS + 1, rows)
    return {EVEN: even, "one key with half of all rows": np.where(rng.random(rows) < 0.5, 1, even)}


def without_key(script: str) -> str:
    return script.replace("(item_id INT, window", "(window").replace("item_id, window_start", "window_start")


if __name__ == "__main__":
    main()
