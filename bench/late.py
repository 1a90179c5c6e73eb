"""The cost of late updates: a day of CUMULATE with late rows, with and without corrections of published results.

python -m bench.late [--rows 5000000] [--late 0.01] [--batch '48 mb'] [--runs 3] [--out bench/out/late]

A late row was paid at any time of the day before it came. With late updates all steps must hold all rows in the end, or
the run fails.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from bench.contests import emptied
from bench.orders import DAY_MS, FILES, MIDNIGHT, STEPS, orders, write_csv
from bench.processes import measured
from bench.reports import CUMULATE, airflow_nrt, files
from bench.same_rows import parquet

SINKS = {
    "off": ("", ""),
    "on": (
        ", PRIMARY KEY (item_id, window_start, window_end) NOT ENFORCED",
        ", 'late-updates' = 'on', 'last-result' = '+1 d'",
    ),
}
"""The key and the timing of a sink."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--late", type=float, default=0.01)
    parser.add_argument("--batch", default="48 mb")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("bench/out/late"))
    options = parser.parse_args()
    out = options.out.absolute()
    day = emptied(out) / "csv"
    table = delayed(orders(options.rows), options.late)
    size = -(-options.rows // FILES)
    steps = STEPS - (table["pay_time"].to_numpy() - MIDNIGHT).astype(np.int64) * STEPS // DAY_MS
    wanted = int(steps.sum())
    write_csv(day, [table.slice(number * size, size) for number in range(FILES)])
    took: dict[str, list[float]] = {name: [] for name in SINKS}
    for _ in range(options.runs):
        for name in SINKS:
            place = emptied(out / name)
            (place / "sales.sql").write_text(script(name, day, place, options.batch))
            figures = measured(airflow_nrt("run", place), place / "log")
            took[name].append(figures.seconds)
            missing = wanted - counted(place)
            print(
                f"  {name}: {figures.seconds:.1f} s, {figures.cpu:.1f} s of CPU; {missing:,} orders miss in steps",
                flush=True,
            )
            if bool(missing) is (name == "on"):
                raise RuntimeError(f"late updates {name}: {missing:,} orders miss")
    off, on = (statistics.median(took[name]) for name in SINKS)
    of_all = f"{options.late:.0%} of {options.rows:,} rows late"
    print(f"{of_all}: {on:.1f} s with late updates, {off:.1f} s without: {on / off - 1:+.0%}")


def delayed(table: pa.Table, share: float) -> pa.Table:
    """The same rows in the same order; some were paid long before they came."""
    rng = np.random.default_rng(6)
    paid = table["pay_time"].to_numpy()
    late = rng.random(len(paid)) < share
    earlier = MIDNIGHT + ((paid - MIDNIGHT).astype(np.int64) * rng.random(len(paid))).astype("timedelta64[ms]")
    column = table.schema.get_field_index("pay_time")
    return table.set_column(column, "pay_time", pa.array(np.where(late, earlier, paid)))


def script(name: str, day: Path, place: Path, batch: str) -> str:
    """The report, with a sink whose results are replaced, or one that only appends."""
    text = CUMULATE.script(files(day, "csv", {"source.max-batch-size": batch}), place / "sales")
    key, timing = SINKS[name]
    text = text.replace("buyers BIGINT)", f"buyers BIGINT{key})")
    return text.replace("'format' = 'parquet')", f"'format' = 'parquet'{timing})")


def counted(place: Path) -> int:
    """How many orders all steps together have."""
    query = f"SELECT sum(orders) FROM ({parquet(place / 'sales' / '*.parquet')})"
    found = duckdb.connect().execute(query).fetchone()
    assert found is not None
    return int(found[0])


if __name__ == "__main__":
    main()
