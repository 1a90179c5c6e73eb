"""The formats of a lakehouse, each with its tables in a directory of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.jars import fetched
from tests.engine.sinks.lakehouse.reports import Format, begin_with
from tests.servers.installed import missing


@pytest.fixture(scope="module")
def delta(spark: SparkSession) -> Format:
    if not fetched("delta"):
        missing("the jars of connector delta are not here: airflow-nrt prepare delta")
    return Format("delta", "'table-path' = 'lake/{table}'")


@pytest.fixture
def iceberg(spark: SparkSession, tmp_path: Path) -> Format:
    """A session keeps a catalog with its warehouse, so each test has one of its own."""
    if not fetched("iceberg"):
        missing("the jar of connector iceberg is not here: airflow-nrt prepare iceberg")
    catalog = f"lake_{hashlib.md5(str(tmp_path).encode()).hexdigest()}"
    options = f"'catalog-name' = '{catalog}', 'catalog-type' = 'hadoop', 'warehouse' = 'lake'"
    lake = Format("iceberg", f"{options}, 'catalog-database' = 'shop', 'catalog-table' = '{{table}}'")
    begin_with(spark, lake.plan(tmp_path, "any"))
    return lake


@pytest.fixture(params=["delta", "iceberg"])
def lake(spark: SparkSession, request: pytest.FixtureRequest) -> Format:
    """Each format in turn."""
    found: Format = request.getfixturevalue(request.param)
    return found
