"""Rows per second of Python functions, without the start of the process: a pandas map, and an aggregate under CUMULATE.

python -m bench.functions [--rows 5000000] [--flink PYTHON] [--peer-rows 20000] [--limit 460] [--out bench/out]

With PyFlink's Python, also whether it finishes the aggregate within the limit: there each row changes each window.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.contests import emptied, product, pyflink_job
from bench.orders import write
from bench.processes import killed
from bench.programs import CUMULATE, PANDAS_MAP

NOWHERE = "WITH ('connector' = 'blackhole')"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--flink", type=Path, metavar="PYTHON", help="a Python that has apache-flink")
    parser.add_argument("--peer-rows", type=int, default=20_000)
    parser.add_argument("--limit", type=float, default=460, help="seconds for PyFlink")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    place = emptied(options.out.absolute() / "functions")
    few = options.rows // 5
    for program in (PANDAS_MAP, CUMULATE):
        took = [
            product(program, write(options.out, rows)).run(emptied(place / "ours")).seconds
            for rows in (few, options.rows)
        ]
        rate = (options.rows - few) / (took[1] - took[0])
        print(
            f"{program.name}: {few:,} rows in {took[0]:.1f} s, {options.rows:,} in {took[1]:.1f} s: "
            f"{rate:,.0f} rows/s apart from the start",
            flush=True,
        )
    if options.flink is not None:
        day = write(options.out, options.peer_rows)
        ours = product(CUMULATE, day).run(emptied(place / "ours"))
        print(f"{CUMULATE.name}, {day.rows:,} rows: {ours.seconds:.1f} s", flush=True)
        try:
            killed(pyflink_job(CUMULATE, day, options.flink.absolute(), NOWHERE), place / "log", options.limit)
            print(f"PyFlink: not finished after {options.limit:.0f} s")
        except RuntimeError as ended:
            print(f"PyFlink: {ended}")


if __name__ == "__main__":
    main()
