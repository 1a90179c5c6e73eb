# ruff: noqa: E501 (a row of a table is one line)
"""Which partitions batch reads: those that all readers of a table together ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.asked_partitions import PartitionFilter
from airflow_nrt.sql.planner import plan_query

TABLE = """CREATE TABLE orders (id BIGINT, shop STRING, day DATE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts{key})
PARTITIONED BY (shop, day) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE VIEW of_a AS SELECT * FROM orders WHERE shop = 'a';"""
TENS = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))"
SESSIONS = "TABLE(SESSION(TABLE orders PARTITION BY id, DESCRIPTOR(ts), INTERVAL '10' MINUTES))"
COUNT = "SELECT COUNT(*) FROM {} GROUP BY window_start, window_end"


def asked(query: str, key: str = "") -> str | None:
    (source,) = plan_query(TABLE.replace("{key}", key), query, Path("/")).sources
    assert source.partitions is None or isinstance(source.partitions, PartitionFilter)
    return source.partitions.text if source.partitions is not None else None


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT id FROM orders WHERE shop = 'a'", "shop = 'a'"),
        ("SELECT id FROM orders AS o WHERE o.shop IN ('a', 'b') AND o.id > 3", "shop IN ('a', 'b')"),
        ("SELECT id FROM orders WHERE shop LIKE 'a%' AND day > DATE '2024-06-18'", "shop LIKE 'a%' AND day > DATE '2024-06-18'"),
        (COUNT.format(TENS + " WHERE shop = 'a' AND window_start > TIMESTAMP '2024-06-18 00:00:00'"), "shop = 'a'"),
        ("SELECT id, COUNT(*) OVER (ORDER BY ts) FROM orders WHERE shop = 'a'", "shop = 'a'"),
        ("SELECT * FROM of_a WHERE day = DATE '2024-06-18'", "shop = 'a'"),
        ("SELECT id FROM of_a UNION ALL SELECT id FROM orders WHERE shop = 'b'", "(shop = 'a') OR (shop = 'b')"),
        ("SELECT id FROM of_a UNION ALL SELECT id + 1 FROM of_a", "shop = 'a'"),
    ],
)  # fmt: skip
def test_conditions_on_partition_columns(query: str, text: str) -> None:
    assert asked(query) == text


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM orders",
        "SELECT id FROM orders WHERE id = 1",
        "SELECT id FROM orders WHERE shop = 'a' OR id = 1",
        "SELECT id FROM of_a UNION ALL SELECT id FROM orders",
        "SELECT id FROM orders WHERE shop = CAST(id AS STRING)",
        "SELECT id FROM orders WHERE day > CURRENT_DATE",
        "SELECT a.id FROM orders AS a JOIN orders AS b ON a.id = b.id AND a.ts = b.ts WHERE a.shop = 'a'",
        "SELECT id FROM (SELECT id, UPPER(shop) AS shop FROM orders) WHERE shop = 'A'",
    ],
)
def test_all_are_read(query: str) -> None:
    assert asked(query) is None


def test_a_session_has_members_that_nobody_asks_for() -> None:
    assert asked(f"SELECT id, window_end FROM {SESSIONS} WHERE shop = 'a'") is None


def test_the_newest_row_of_a_key_may_stand_in_any_partition() -> None:
    assert asked("SELECT id FROM orders WHERE shop = 'a'", ", PRIMARY KEY (id) NOT ENFORCED") is None
