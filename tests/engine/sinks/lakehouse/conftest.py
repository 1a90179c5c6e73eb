"""The formats of a lakehouse, each with its tables in a directory of its own."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.jars import fetched
from tests.engine.sinks.lakehouse.reports import Format
from tests.servers.installed import missing


@pytest.fixture(scope="module")
def delta(spark: SparkSession) -> Format:
    if not fetched("delta"):
        missing("the jars of connector delta are not here: airflow-nrt prepare delta")
    return Format("delta", "'table-path' = 'lake/{table}'")


@pytest.fixture(params=["delta"])
def lake(request: pytest.FixtureRequest) -> Format:
    """Each format in turn."""
    found: Format = request.getfixturevalue(request.param)
    return found
