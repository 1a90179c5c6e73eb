"""A report over a table of a lakehouse to which others append: each row once, and read again by whoever verifies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.sources.lakehouse.arrivals import TableArrivals
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MINUTE, MORNING
from tests.engine.sinks.lakehouse.reports import Format
from tests.engine.sources.lakehouse.tables import Orders

FIRST = Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 10 * MINUTE)


@pytest.fixture
def orders(spark: SparkSession, lake: Format, tmp_path: Path) -> Orders:
    return Orders(spark, lake, tmp_path).create()


def test_what_others_append_is_read_once(spark, orders: Orders) -> None:
    """Also beside a compaction; late rows are explained, and a backfill counts them."""
    assert orders.run() == []
    orders.add((1, 5, "10:01:00"), (2, 7, "10:02:00"))
    orders.add((1, 6, "10:03:00"))
    orders.run()
    orders.compact()
    orders.add((1, 1, "10:12:00"), (2, 1, "10:13:00"))
    done = [("10:10", 1, 11), ("10:10", 2, 7)]
    assert orders.run() == done
    orders.add((1, 9, "10:04:00"), (2, 4, "10:31:30"))
    assert orders.run() == [*done, ("10:20", 1, 1), ("10:20", 2, 1)]
    assert orders.rows_read() == [3, 2, 2]
    verdict = verify(spark, orders.plan, orders.home)
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 1
    backfill(spark, orders.plan, orders.home, FIRST, check=False)
    assert orders.run()[0] == ("10:10", 1, 20)


def test_files_that_were_removed_prove_nothing(spark, orders: Orders) -> None:
    orders.add((1, 5, "10:01:00"))
    orders.add((1, 6, "10:03:00"), (1, 1, "10:12:00"))
    orders.run()
    orders.compact()
    orders.forget()
    verdict = verify(spark, orders.plan, orders.home)
    assert "a VACUUM, or the expiry of snapshots, removed it" in verdict.problems[0]


def test_versions_that_are_gone_before_they_are_read(orders: Orders) -> None:
    orders.add((1, 5, "10:01:00"))
    orders.run()
    orders.add((1, 6, "10:03:00"))
    orders.add((1, 1, "10:12:00"))
    orders.compact()
    orders.forget()
    with pytest.raises(InputError, match="no longer in its history, and may have rows that were not read"):
        orders.run()


def test_rows_that_are_deleted_or_replaced(orders: Orders) -> None:
    orders.add((1, 5, "10:01:00"), (2, 7, "10:02:00"))
    orders.run()
    orders.change("DELETE FROM {} WHERE shop = 2")
    with pytest.raises(InputError, match=r"deletes rows, which may be in results already: set '[\w-]+' = 'true'"):
        orders.run()


def test_versions_that_change_rows_are_left_out(orders: Orders) -> None:
    names = {"delta": ["skipChangeCommits"]}.get(
        orders.lake.name, ["streaming-skip-delete-snapshots", "streaming-skip-overwrite-snapshots"]
    )
    skipping = replace(orders, options="".join(f", '{name}' = 'true'" for name in names))
    skipping.add((1, 5, "10:01:00"), (2, 7, "10:02:00"))
    skipping.run()
    skipping.change("DELETE FROM {} WHERE shop = 2")
    skipping.change("UPDATE {} SET price = 99 WHERE shop = 1")
    skipping.add((3, 1, "10:03:00"), (3, 1, "10:12:00"))
    assert skipping.run() == [("10:10", 1, 5), ("10:10", 2, 7), ("10:10", 3, 1)]


def test_a_driver_that_died_within_a_version(orders: Orders, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version has two files, and a batch takes one. Of the first version that is all that the table had."""
    small = replace(orders, options=", 'source.max-batch-size' = '1 b'")
    poll = TableArrivals.poll

    def dies_after_one(given: TableArrivals):
        return poll(given)[:1]

    small.add((1, 5, "10:01:00"))
    small.add((2, 7, "10:02:00"))
    for _ in range(2):
        with monkeypatch.context() as dying:
            dying.setattr(TableArrivals, "poll", dies_after_one)
            small.run()
        small.run()
        small.add((1, 1, "10:03:00"), (2, 1, "10:12:00"))
    assert small.rows_read() == [1, 1, 1, 1]
    small.run()
    assert small.rows_read() == [1] * 6


WRONG = {
    "no table": ("shop INT, price INT, ts TIMESTAMP(3)", "there is no table"),
    "no column": ("shop INT, price INT, cost INT, ts TIMESTAMP(3)", "it has no column 'cost'; it has shop, price, ts"),
    "another type": (
        "shop INT, price BIGINT, ts TIMESTAMP(3)",
        "'price' is INT (in Spark's words), and is declared as",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_table(spark, lake: Format, tmp_path: Path, name: str) -> None:
    columns, expected = WRONG[name]
    orders = Orders(spark, lake, tmp_path, columns=columns)
    if name != "no table":
        orders.create()
    with pytest.raises(InputError) as wrong:
        orders.run()
    assert expected in str(wrong.value)
    assert orders.home.log().last == -1


def test_a_column_that_was_renamed(spark, iceberg: Format, tmp_path: Path) -> None:
    """Files have the names of columns that these had when the files were written."""
    orders = Orders(spark, iceberg, tmp_path).create()
    orders.change("ALTER TABLE {} RENAME COLUMN price TO cost")
    with pytest.raises(InputError, match="it has a column that was renamed"):
        orders.run()


def test_rows_that_files_have_and_the_table_has_not(spark, delta: Format, tmp_path: Path) -> None:
    orders = Orders(spark, delta, tmp_path).create()
    orders.change("ALTER TABLE {} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    with pytest.raises(InputError, match="it has deletion vectors, so that its files are not its rows"):
        orders.run()


def test_a_report_that_would_read_its_own_results(lake: Format, tmp_path: Path) -> None:
    where = lake.options.format(table="orders")
    script = f"""
        CREATE TABLE orders (shop INT) WITH ('connector' = '{lake.name}', {where});
        CREATE TABLE again (shop INT) WITH ('connector' = '{lake.name}', {where});
        INSERT INTO again SELECT shop FROM orders;
    """
    with pytest.raises(InputError, match="where table 'orders' reads: the report would read its own results"):
        Home.create(tmp_path / "home", plan_script(script, {}, "again", tmp_path))
