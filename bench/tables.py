"""What a table of PostgreSQL costs instead of files: one window of many rows, by whole processes.

python -m bench.tables [--rows 1000000]

The database has a primary key, and does not wait for its disk (fsync is off).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.servers.postgresql import PostgreSql

REPORT = """
CREATE TABLE orders (item INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE totals (item INT, window_end TIMESTAMP(3), n BIGINT, gmv BIGINT{key}) WITH ({options});
INSERT INTO totals SELECT item, window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY item, window_start, window_end;
"""
KEY = ", PRIMARY KEY (item, window_end) NOT ENFORCED"


def seconds(place: Path, name: str, options: str, key: str = "") -> float:
    """How long a report takes, from the start of its process to its end."""
    report = place / f"{name}.sql"
    report.write_text(REPORT.format(options=options, key=key))
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(report), "--home", str(place / f"home-{name}")]
    began = time.monotonic()
    subprocess.run(line, check=True, capture_output=True)
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out/tables"))
    given = parser.parse_args()
    place = given.out.absolute()
    shutil.rmtree(place, ignore_errors=True)
    (place / "orders").mkdir(parents=True)
    with (place / "orders" / "orders.csv").open("w") as file:
        file.writelines(f"{n},{n % 1000},2024-06-18 10:{n % 60:02d}:00\n" for n in range(given.rows))
    database = PostgreSql(place / "postgresql").start()
    try:
        files = seconds(place, "files", "'connector' = 'filesystem', 'path' = 'totals', 'format' = 'parquet'")
        table = seconds(
            place, "table", f"'connector' = 'jdbc', 'url' = '{database.url}', 'table-name' = 'totals', "
            "'username' = 'app', 'sink.create-table' = 'true'", KEY,
        )  # fmt: skip
        ((rows,),) = database.query("SELECT COUNT(*) FROM totals")
    finally:
        database.stop("immediate")
    print(f"{int(rows):,} rows: into files {files:.1f} s, into the table {table:.1f} s ({table / files:.2f} times)")


if __name__ == "__main__":
    main()
