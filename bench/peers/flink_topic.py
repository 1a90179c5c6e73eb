"""A topic into a table of PostgreSQL in Flink, as `flink.py` runs the report of files.

python flink_topic.py --broker HOST:PORT --database URL --jars DIR
"""

from __future__ import annotations

import argparse
from pathlib import Path

from flink import environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--jars", type=Path, required=True, help="those of the connectors for Kafka and JDBC")
    options = parser.parse_args()
    jars = ";".join(f"file://{jar.absolute()}" for jar in sorted(options.jars.glob("*.jar")))
    tables = environment({"pipeline.jars": jars})
    for statement in (
        "CREATE TABLE orders (item INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3), "
        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = 'orders', "
        f"'properties.bootstrap.servers' = '{options.broker}', 'scan.startup.mode' = 'earliest-offset', "
        "'scan.bounded.mode' = 'latest-offset', 'format' = 'csv')",
        "CREATE TABLE curve (item INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2), "
        "PRIMARY KEY (item, window_end) NOT ENFORCED) WITH ('connector' = 'jdbc', "
        f"'url' = '{options.database}', 'table-name' = 'curve_of_flink', 'username' = 'app', 'password' = 'none', "
        "'sink.buffer-flush.max-rows' = '5000')",
    ):
        tables.execute_sql(statement)
    tables.execute_sql(
        "INSERT INTO curve SELECT item, window_end, COUNT(DISTINCT buyer), SUM(price) "
        "FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY)) "
        "GROUP BY item, window_start, window_end"
    ).wait()


if __name__ == "__main__":
    main()
