"""A small report that most tests of the front end begin with."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script

ORDERS = """\
CREATE TABLE orders (
    id BIGINT,
    shop STRING,
    price DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES
) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
"""
CURVE = """\
CREATE TABLE curve (
    shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), cnt BIGINT, gmv DECIMAL(38, 2)
) WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
"""
INSERT = """\
INSERT INTO curve
SELECT shop, window_start, window_end, COUNT(*), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
"""
REPORT = ORDERS + CURVE + INSERT


def plan_of(script: str = REPORT, name: str = "curve", base: Path = Path("/data")) -> Plan:
    """The plan of a script whose relative paths begin at `base`."""
    return plan_script(script, {}, name, base)
