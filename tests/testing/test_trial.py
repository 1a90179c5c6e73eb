"""A report on trial: rows arrive, time passes, and the windows that are published are looked at."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.testing import trial
from airflow_nrt.testing.fixture import nrt_trial
from tests.sample import CURVE, INSERT, ORDERS, REPORT

__all__ = ["nrt_trial"]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    file = tmp_path / "curve.sql"
    file.write_text(REPORT)
    return file


def order(shop: str, price: str, time: str) -> dict[str, object]:
    return {"id": 1, "shop": shop, "price": price, "ts": f"2024-06-18 {time}"}


def test_windows_fire_when_the_watermark_passes_them(spark, report: Path) -> None:
    """10:00 ──a─────┬─────b────┬───────────┬   the watermark of b is 10:06, that of a row at 10:26 is 10:21."""
    with trial(report) as curve:
        curve.rows("orders", order("a", "1.50", "10:01:00"), order("b", "2.00", "10:11:00"))
        assert curve.windows() == {}
        curve.rows("orders", order("a", "3.00", "10:26:00"))
        assert curve.windows("curve", "shop", "cnt", "gmv") == {
            "2024-06-18 10:10:00": [("a", 1, Decimal("1.50"))],
            "2024-06-18 10:20:00": [("a", 1, Decimal("1.50")), ("b", 1, Decimal("2.00"))],
        }
        curve.watermark("orders", "2024-06-18 10:30")
        assert curve.windows("curve", "shop", "gmv")["2024-06-18 10:30:00"] == [("a", 4.5), ("b", 2)]
        curve.end()
        assert list(curve.windows())[-1] == "2024-06-18 11:00:00" and len(curve.results()) == 11


def test_late_rows(spark, report: Path) -> None:
    with trial(report) as curve:
        curve.watermark("orders", "2024-06-18 10:20")
        curve.rows("orders", order("a", "1.00", "10:01:00"), order("a", "1.00", "08:01:00"))
        assert (curve.late, curve.dropped, curve.rejected) == (2, 1, 0)
        curve.watermark("orders", "2024-06-18 10:30")
        assert curve.windows(None, "cnt") == {"2024-06-18 10:30:00": [(1,)]}


def test_a_watermark_never_goes_back(spark, report: Path) -> None:
    with trial(report) as curve:
        curve.watermark("orders", "2024-06-18 10:20")
        curve.watermark("orders", "2024-06-18 09:00")
        curve.rows("orders", order("a", "1.00", "09:30:00"))
        assert curve.dropped == 1


TOTALS = """
CREATE TABLE totals (shop STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'parquet');
INSERT INTO totals SELECT shop, COUNT(*) FROM orders GROUP BY shop;
CREATE TABLE printed (shop STRING, cnt BIGINT) WITH ('connector' = 'print');
INSERT INTO printed SELECT shop, COUNT(*) FROM orders GROUP BY shop;
"""


def test_rows_that_change(spark, tmp_path: Path) -> None:
    (tmp_path / "totals.sql").write_text(ORDERS + TOTALS)
    with trial(tmp_path / "totals.sql") as totals:
        totals.rows("orders", order("a", "1.00", "10:01:00"), order("b", "1.00", "10:02:00"))
        totals.rows("orders", order("a", "1.00", "10:03:00"))
        assert totals.results("totals") == totals.results("printed") == [("a", 2), ("b", 1)]
        assert totals.windows("totals") == {}


PARTITIONED = REPORT.replace("id BIGINT", "id BIGINT, day STRING").replace(
    ") WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv')",
    ") PARTITIONED BY (day) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders', 'format' = 'csv', "
    "'source.monitor-interval' = '1 s')",
)


def test_a_live_partitioned_source_and_the_fixture(spark, tmp_path: Path, nrt_trial) -> None:
    (tmp_path / "curve.sql").write_text(PARTITIONED)
    curve = nrt_trial(tmp_path / "curve.sql", settings={"DATA": "/nowhere"})
    paid = {**order("a", "1.00", "10:01:00"), "ts": datetime(2024, 6, 18, 10, 1), "day": "2024-06-18"}
    curve.rows("orders", {**paid, "price": Decimal("7.25")}, {"shop": None, "ts": "2024-06-18 10:02:00"})
    curve.end()
    assert curve.windows(None, "shop", "gmv")["2024-06-18 11:00:00"] == [("a", Decimal("7.25")), (None, None)]


LOOKED_UP = """
CREATE TABLE shops (shop STRING, region STRING)
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'csv', 'lookup.cache' = 'FULL');
CREATE TABLE placed (id BIGINT, region STRING)
WITH ('connector' = 'filesystem', 'path' = 'placed', 'format' = 'parquet');
INSERT INTO placed SELECT o.id, s.region FROM (SELECT *, PROCTIME() AS p FROM orders) AS o
LEFT JOIN shops FOR SYSTEM_TIME AS OF o.p AS s ON o.shop = s.shop;
"""


def test_a_table_that_is_looked_up(spark, tmp_path: Path) -> None:
    (tmp_path / "placed.sql").write_text(ORDERS + LOOKED_UP)
    with trial(tmp_path / "placed.sql") as placed:
        placed.rows("orders", order("a", "1.00", "10:01:00"))
        placed.dimension("shops", {"shop": "a", "region": "north"})
        placed.rows("orders", order("a", "1.00", "10:02:00"))
        placed.dimension("shops", {"shop": "a", "region": "east"}, {"shop": "b"})
        placed.rows("orders", order("a", "1.00", "10:03:00"))
        assert sorted(placed.results("placed", "region"), key=str) == [("east",), ("north",), (None,)]
        with pytest.raises(InputError, match="looks up no table 'orders': shops"):
            placed.dimension("orders", {})


def test_what_is_wrong(spark, report: Path) -> None:
    with pytest.raises(InputError, match="there is no column 'prize'"), trial(_other(report)):
        pass
    with trial(report) as curve:
        for wrong, message in (
            (lambda: curve.rows("order", {}), "curve reads no table 'order'; did you mean 'orders'"),
            (
                lambda: curve.rows("orders", {"shp": 1}),
                "table 'orders' has no column 'shp'; did you mean 'shop'",
            ),
            (lambda: curve.watermark("orders", "noon"), "'noon' is not a time"),
            (lambda: curve.windows("totals"), "curve writes no table 'totals': curve"),
            (lambda: curve.windows("curve", "count"), "table 'curve' has no column 'count'; did you mean 'cnt'"),
        ):
            with pytest.raises(InputError) as told:
                wrong()
            assert message in str(told.value)


def test_a_value_that_is_none_of_its_type(spark, report: Path) -> None:
    with trial(report) as curve, pytest.raises(DataError, match="column price: 'much' is no DECIMAL"):
        curve.rows("orders", order("a", "much", "10:01:00"))


def _other(report: Path) -> Path:
    other = report.with_name("other.sql")
    other.write_text(ORDERS + CURVE + INSERT.replace("SUM(price)", "SUM(prize)"))
    return other


def test_a_trial_writes_no_archive(spark, report: Path, tmp_path: Path) -> None:
    topic = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    columns = ORDERS[ORDERS.index("(") + 1 : ORDERS.index("WATERMARK")]
    archive = f"CREATE TABLE kept ({columns} ds STRING) PARTITIONED BY (ds) WITH ('connector' = 'filesystem',"
    orders = (
        ORDERS[: ORDERS.index("WITH")] + f"WITH ({topic}, 'scan.startup.mode' = 'latest-offset', 'archive' = 'kept');"
    )
    script = f"{archive} 'path' = '{tmp_path / 'kept'}', 'format' = 'parquet'); {orders}"
    report.write_text(script + CURVE + INSERT)
    with trial(report) as curve:
        curve.rows("orders", order("a", "1.50", "10:01:00"), order("a", "3.00", "10:26:00"))
        assert len(curve.windows("curve", "shop", "cnt")) == 2
    assert not (tmp_path / "kept").exists()
