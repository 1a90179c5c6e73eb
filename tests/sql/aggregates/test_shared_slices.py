"""Which aggregations share an operator: those of the same rows, keys, windows and timing."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.sql.load import plan_script
from tests.sample import ORDERS

TENS = "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)"
HOURS = TENS.replace("'10' MINUTES", "'1' HOUR")


def insert(values: str, keys: str = "shop", rows: str = TENS) -> str:
    sink = "CREATE TABLE {0} (a STRING, b DECIMAL(38, 2)) WITH ('connector' = 'print');\nINSERT INTO {0} "
    query = f"SELECT MAX(shop), {values} FROM {rows} GROUP BY window_start, window_end, {keys};\n"
    return sink + query


def operators(*inserts: str) -> tuple[WindowAggregate, ...]:
    script = ORDERS + "".join(one.replace("{0}", f"sink{n}") for n, one in enumerate(inserts))
    return plan_script(script, {}, "report", Path("/")).operators


@pytest.mark.parametrize(
    ("other", "texts"),
    [
        (insert("COUNT(*)"), ["MAX(shop)", "COUNT(*)"]),
        (insert("SUM(price)"), ["MAX(shop)", "COUNT(*)", "SUM(price)"]),
        (insert("COUNT(DISTINCT price)"), ["MAX(shop)", "COUNT(*)", "COUNT(DISTINCT price)"]),
        (insert("COUNT(*) FILTER (WHERE id > 3)"), ["MAX(shop)", "COUNT(*)", "COUNT(*) FILTER (WHERE id > 3)"]),
    ],
)
def test_what_is_computed_together(other: str, texts: list[str]) -> None:
    (shared,) = operators(insert("COUNT(*)"), other)
    assert [call.text for call in shared.aggregates] == texts
    assert [key.type.name for key in shared.keys] == ["STRING"]


def test_keys_in_any_order() -> None:
    assert len(operators(insert("COUNT(*)", "shop, id"), insert("SUM(price)", "id, shop"))) == 1


@pytest.mark.parametrize(
    "other",
    [
        insert("COUNT(*)", "id"),
        insert("COUNT(*)", "shop, id"),
        insert("COUNT(*)", rows=HOURS),
        insert("COUNT(*)", rows=f"{TENS} WHERE id > 3"),
    ],
)
def test_what_is_not(other: str) -> None:
    assert len(operators(insert("COUNT(*)"), other)) == 2
