"""A driver that follows a table while another writer appends to it, compacts it and removes old files."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.verify import verify
from tests.engine.drivers import SMALL
from tests.engine.reports import rows_of
from tests.engine.sources.lakehouse.tables import Orders

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.timeout(900)]

COMMITS = 24


@pytest.fixture
def orders(spark: SparkSession, lake, tmp_path) -> Orders:
    return Orders(spark, lake, tmp_path).create()


def test_each_row_is_read_once(orders: Orders) -> None:
    report = orders.place / "sums.sql"
    report.write_text(orders.plan.script)
    line = [sys.executable, "-m", "airflow_nrt.engine.main", "--report", str(report), "--home", str(orders.home.path)]
    with open(orders.place / "said", "wb") as said:
        driver = subprocess.Popen([*line, *SMALL], stdout=said, stderr=said)
    try:
        chance, expected = random.Random(5), Counter[tuple[int, int]]()
        compacted = forgotten = 0
        for n in range(COMMITS):
            minute = 3 * n
            rows = [(chance.randint(1, 3), chance.randint(1, 100)) for _ in range(5)]
            orders.add(*((shop, price, f"{10 + minute // 60}:{minute % 60:02}:00") for shop, price in rows))
            for shop, price in rows:
                expected[shop, minute // 10] += price
            if n % 4 == 3:
                orders.compact()
                compacted += 1
            if n % 8 == 7:
                # What the driver has read may go.
                _until(driver, orders, partial(_has_read, orders, 5 * (n + 1)))
                orders.forget()
                forgotten += 1
        orders.add((9, 1, "15:00:00"))
        _until(driver, orders, lambda: _sums(orders) == sorted(expected.items()))
        orders.home.ask_to_stop()
        assert driver.wait(60) == 0
    finally:
        driver.kill()
        driver.wait()
    assert sum(orders.rows_read()) == 5 * COMMITS + 1
    verdict = verify(orders.spark, orders.plan, orders.home)
    # Nothing proves the windows of files that are gone, and no other window is unexplained.
    assert verdict.problems and all("removed it" in one for one in verdict.problems)
    print(f"{orders.lake.name}: {COMMITS} appends, {compacted} compactions, {forgotten} times old files removed: "
          f"{5 * COMMITS} rows once, {len(expected)} windows, 0 differ")  # fmt: skip


def _until(driver: subprocess.Popen[bytes], orders: Orders, done: Callable[[], bool]) -> None:
    latest = time.monotonic() + 120
    while not done():
        assert driver.poll() is None and time.monotonic() < latest, (orders.place / "said").read_text()[-3000:]
        time.sleep(0.1)


def _has_read(orders: Orders, rows: int) -> bool:
    return sum(orders.rows_read()) == rows


def _sums(orders: Orders) -> list[tuple[tuple[int, int], int]]:
    found = rows_of(orders.place / "sums") if (orders.place / "sums").exists() else []
    return sorted(((shop, ((end.hour - 10) * 60 + end.minute) // 10 - 1), gmv) for shop, end, gmv in found if shop != 9)
