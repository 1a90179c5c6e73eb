"""Dimension tables of a lakehouse, whose versions are their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.dimensions.newest import check_dimension
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.dimensions.reports import ENRICHED, report, write_orders
from tests.engine.reports import Stream, rows_of
from tests.engine.sinks.lakehouse.conftest import delta, iceberg, lake
from tests.engine.sinks.lakehouse.reports import Format, table_of

__all__ = ["delta", "iceberg", "lake"]


def shops(spark: SparkSession, lake: Format, place: Path) -> str:
    """Makes the table, without rows, and gives its name in SQL."""
    plan = lake.plan(place, "shops", "id INT, region STRING", "SELECT shop, CAST(price AS STRING) FROM orders")
    table = table_of(spark, plan)
    table.create("id INT, region STRING", {"made.by": "somebody"})
    return table.sql_name


def planned(lake: Format, place: Path, columns: str = "id INT, region STRING") -> Plan:
    where = lake.options.format(table="shops")
    return report(place, ENRICHED, shops=f"CREATE TABLE shops ({columns}) WITH ('connector' = '{lake.name}', {where});")


def test_rows_are_joined_with_the_version_of_their_batch(spark: SparkSession, lake: Format, tmp_path: Path) -> None:
    name, plan = shops(spark, lake, tmp_path), planned(lake, tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_orders(tmp_path, "0", (1, 1, 1, 1)), source="orders")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'north'), (2, 'south')")
    for order in (2, 3):
        stream.absorb(write_orders(tmp_path, str(order), (order, 1, 1, 1)), source="orders")
    spark.sql(f"INSERT OVERWRITE {name} VALUES (1, 'east')")
    stream.absorb(write_orders(tmp_path, "4", (4, 1, 1, 1), (5, 2, 1, 1)), source="orders")
    stream.end()
    assert rows_of(tmp_path / "enriched") == [(1, None), (2, "north"), (3, "north"), (4, "east"), (5, None)]
    versions = [entry.dimensions["shops"] for entry in stream.entries if entry.dimensions]
    assert versions[0] != versions[1] == versions[2] != versions[3]
    spark.sql(f"DELETE FROM {name}")
    assert verify(spark, plan, stream.home).is_proven


def test_what_is_wrong_at_the_start(spark: SparkSession, lake: Format, tmp_path: Path) -> None:
    (lookup,) = planned(lake, tmp_path).lookups
    with pytest.raises(InputError, match="'shops': there is no table"):
        check_dimension(spark, lookup)
    shops(spark, lake, tmp_path)
    (lookup,) = planned(lake, tmp_path, "id BIGINT, region STRING").lookups
    with pytest.raises(InputError, match=r"its column 'id' is INT .* declared as BIGINT"):
        check_dimension(spark, lookup)
