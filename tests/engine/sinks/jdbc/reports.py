"""A report that writes into a table of a database."""

from __future__ import annotations

import json
from pathlib import Path

from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import write_lines

ORDERS = """
SET 'table.exec.state.unbounded' = 'allow';
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json', 'source.monitor-interval' = '100 ms',
  'attribute-domain.shop' = 'constant');
"""
CURVE = "shop INT, window_end TIMESTAMP(3), n BIGINT, gmv DECIMAL(20, 2), PRIMARY KEY (shop, window_end) NOT ENFORCED"
COUNTS = """SELECT shop, window_end, COUNT(*), CAST(SUM(price) AS DECIMAL(20, 2))
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '30' MINUTES))
GROUP BY shop, window_start, window_end"""


def report(place: Path, url: str, table: str, columns: str = CURVE, query: str = COUNTS, **options: str) -> Plan:
    """Writes the results of `query` into `table`. Options are written with `_` for `.` and `__` for `-`."""
    given = {"username": "app", "password": "secret", "sink.create-table": "true"}
    given |= {name.replace("__", "-").replace("_", "."): text for name, text in options.items()}
    written = "".join(f", '{name}' = '{text}'" for name, text in given.items())
    script = f"""{ORDERS}
        CREATE TABLE curve ({columns}) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = '{table}'{written});
        INSERT INTO curve {query};
    """
    return plan_script(script, {}, "orders_curve", place)


def arrive(place: Path, name: str, *orders: tuple[int, int, str]) -> Path:
    """A new file of orders: shop, price, time."""
    lines = [json.dumps({"shop": shop, "price": price, "ts": f"2024-06-18 {at}"}) for shop, price, at in orders]
    return write_lines(place / "orders" / f"{name}.json", lines)
