"""TIMESTAMP_LTZ where clocks are changed: what real Flink 2.3 gives with 'table.local-time-zone' = 'Europe/Berlin'.

Of days and longer units Flink 2.3 takes the offset of the instant for that of the day's beginning; here a day begins
when the clock shows 00:00.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query

TABLE = """SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE t (n BIGINT, ms BIGINT, lt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR lt AS lt)
WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json');"""
AT = {
    "in the second hour from 2 to 3": 1729991165000,
    "an hour before clocks go forward": 1711843200000,
    "in summer": 1711850400000,
}
VALUES = {
    "FLOOR(lt TO HOUR)": ("2024-10-27 01:00:00.000Z", "2024-03-31 00:00:00.000Z", "2024-03-31 02:00:00.000Z"),
    "CEIL(lt TO HOUR)": ("2024-10-27 02:00:00.000Z", "2024-03-31 00:00:00.000Z", "2024-03-31 02:00:00.000Z"),
    "FLOOR(lt TO DAY)": ("2024-10-26 22:00:00.000Z", "2024-03-30 23:00:00.000Z", "2024-03-30 23:00:00.000Z"),
    "TIMESTAMPADD(HOUR, 3, lt)": ("2024-10-27 04:06:05.000Z", "2024-03-31 03:00:00.000Z", "2024-03-31 05:00:00.000Z"),
    "TIMESTAMPADD(DAY, 1, lt)": ("2024-10-28 01:06:05.000Z", "2024-04-01 00:00:00.000Z", "2024-04-01 02:00:00.000Z"),
    "TIMESTAMPADD(MONTH, 1, lt)": ("2024-11-27 01:06:05.000Z", "2024-04-30 00:00:00.000Z", "2024-04-30 02:00:00.000Z"),
    "TIMESTAMPDIFF(HOUR, TO_TIMESTAMP_LTZ(1711839600000, 3), lt)": (5042, 1, 3),
    "lt > TIMESTAMP '2024-03-31 03:30:00'": (True, False, True),
    "TIMESTAMP '2024-03-31 01:00:00' = lt": (False, True, False),
}


@pytest.fixture(scope="module")
def found(spark, tmp_path_factory) -> list[dict[str, object]]:
    file: Path = tmp_path_factory.mktemp("instants") / "t.json"
    file.write_text("".join(json.dumps({"n": n, "ms": ms}) + "\n" for n, ms in enumerate(AT.values())))
    items = ", ".join(f"{expression} AS `{n}`" for n, expression in enumerate(VALUES))
    plan = plan_query(TABLE.format(file), f"SELECT n, {items} FROM t", Path("/"))
    return sorted(map(json.loads, run_bounded(spark, plan, "batch")), key=lambda row: row["n"])


@pytest.mark.parametrize("expression", VALUES)
def test_value(found: list[dict[str, object]], expression: str) -> None:
    name = str([*VALUES].index(expression))
    assert tuple(row[name] for row in found) == VALUES[expression]


def test_numbers_beyond_the_years_0_and_9999_are_no_instants(spark, tmp_path: Path) -> None:
    first, last = -62167219200000, 253402300799999
    numbers = [first, first - 1, last, last + 1, 2**63 - 1, -(2**63)]
    file = tmp_path / "t.json"
    file.write_text("".join(json.dumps({"n": n, "ms": ms}) + "\n" for n, ms in enumerate(numbers)))
    table = TABLE.format(file).replace(", WATERMARK FOR lt AS lt", "")
    query = "SELECT n, lt IS NULL AS a, TO_TIMESTAMP_LTZ(ms / 1000, 0) IS NULL AS b FROM t WHERE n < 6"
    rows = sorted(
        map(json.loads, run_bounded(spark, plan_query(table, query, Path("/")), "batch")), key=lambda row: row["n"]
    )
    assert [row["a"] for row in rows] == [False, True, False, True, True, True]
    assert [row["b"] for row in rows] == [False, False, False, True, True, True]
