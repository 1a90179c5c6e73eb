"""A table whose catalog of Iceberg is a database: published, changed by others, verified, and read as a source."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.jars import fetched
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sources.lakehouse.iceberg import IcebergHistory
from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import CURVE, arrive
from tests.engine.sinks.lakehouse.reports import TUMBLED, Format, begin_with, curve, table_of
from tests.engine.sources.lakehouse.tables import Orders
from tests.servers.installed import missing
from tests.servers.postgresql import PostgreSql


@pytest.fixture
def lake(spark: SparkSession, postgresql: PostgreSql, tmp_path: Path) -> Format:
    if not fetched("iceberg"):
        missing("the jar of connector iceberg is not here: airflow-nrt prepare iceberg")
    catalog = f"shared_{hashlib.md5(str(tmp_path).encode()).hexdigest()}"
    options = f"'catalog-name' = '{catalog}', 'catalog-type' = 'jdbc', 'warehouse' = 'lake'"
    at = f"'uri' = '{postgresql.url}', 'jdbc.user' = 'app', 'catalog-database' = 'shop'"
    lake = Format("iceberg", f"{options}, {at}, 'catalog-table' = '{{table}}'")
    begin_with(spark, lake.plan(tmp_path, "any"))
    return lake


def test_a_catalog_in_a_database(spark, lake: Format, postgresql: PostgreSql, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "curve", CURVE, TUMBLED)
    assert plan.jars == ("iceberg", "postgresql")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00"), (1, 9, "10:22:30")), source="orders")
    assert curve(spark, plan) == [("10:10", 1, 1, "5.00"), ("10:20", 2, 1, "7.00")]
    tables = postgresql.query("SELECT table_namespace, table_name FROM iceberg_tables")
    assert tables == [["shop", "curve"]]
    assert verify(spark, plan, stream.home).is_proven
    spark.sql(f"DELETE FROM {table_of(spark, plan).sql_name} WHERE shop = 2")
    (bad,) = verify(spark, plan, stream.home).inserts[0].bad
    assert bad.history is not None and bad.history.changed_by is not None
    assert bad.history.changed_by.operation == "overwrite"


def test_a_table_of_it_as_a_source(spark, lake: Format, tmp_path: Path) -> None:
    orders = Orders(spark, lake, tmp_path).create()
    orders.add((1, 5, "10:01:00"), (2, 7, "10:12:00"))
    assert orders.run() == [("10:10", 1, 5)]


def test_a_catalog_that_is_away_may_come_back(spark, lake: Format, postgresql: PostgreSql, tmp_path: Path) -> None:
    """A driver owes a sink its results, and waits for a source, as it does where these are servers."""
    plan = lake.plan(tmp_path, "owed", CURVE, TUMBLED)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 5, "10:12:00")), source="orders")
    postgresql.stop("immediate")
    try:
        with pytest.raises(UnreachableError, match="the database of its catalog does not answer"):
            stream.absorb(arrive(tmp_path, "1", (1, 5, "10:22:00")), source="orders")
        with pytest.raises(UnreachableError, match="the database of its catalog does not answer"):
            Stream(spark, plan, tmp_path / "home")
        with pytest.raises(UnreachableError, match="the database of its catalog does not answer"):
            IcebergHistory(spark, plan.inserts[0].sink).newest()
    finally:
        postgresql.start()
    Stream(spark, plan, tmp_path / "home")
    assert [row[0] for row in curve(spark, plan)] == ["10:10", "10:20"]
