"""What a task tells Airflow's OpenLineage provider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator
from tests.launch.homes import REPORT

pytestmark = pytest.mark.process

extractors = pytest.importorskip("airflow.providers.openlineage.extractors.manager")


def extractor(tmp_path: Path, report: str) -> Any:
    """What the provider asks a stream task with."""
    with DAG("lineage"):
        task = NrtStreamOperator(task_id="stream", report=report, home="home", settings={"DATA": str(tmp_path)})
    return extractors.ExtractorManager()._get_extractor(task)


def test_a_task_says_its_tables_and_columns(tmp_path: Path) -> None:
    told = extractor(tmp_path, str(REPORT)).extract_on_complete(None)
    ((orders,), (curve,)) = (told.inputs, told.outputs)
    assert (orders.namespace, orders.name) == ("file", f"{tmp_path}/orders")
    assert curve.name == f"{tmp_path}/orders_curve"
    assert "price" in [one.name for one in orders.facets["schema"].fields]
    (origin,) = curve.facets["columnLineage"].fields["gmv"].inputFields
    assert (origin.name, origin.field) == (orders.name, "price")
    assert "'${DATA}/orders'" in told.job_facets["sql"].query
    assert not (tmp_path / "home").exists()


LAKE = """CREATE TABLE orders (shop INT, price INT) WITH ('connector' = 'kafka', 'topic' = 'orders;returns',
  'properties.bootstrap.servers' = 'broker:9092,other:9092', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset');
CREATE TABLE seen (shop INT, price INT) WITH ('connector' = 'iceberg', 'catalog-name' = 'lake',
  'catalog-type' = 'hadoop', 'warehouse' = '${DATA}/lake', 'catalog-database' = 'sales');
CREATE TABLE copied (shop INT, price INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db:5433/shop',
  'table-name' = 'copied');
INSERT INTO seen SELECT shop, price FROM orders;
INSERT INTO copied SELECT shop, price FROM orders;
"""


def test_topics_and_tables_have_the_names_of_other_integrations(tmp_path: Path) -> None:
    report = tmp_path / "lake.sql"
    report.write_text(LAKE)
    told = extractor(tmp_path, str(report)).extract_on_complete(None)
    assert [(one.namespace, one.name) for one in told.inputs] == [
        ("kafka://broker:9092", "orders"),
        ("kafka://broker:9092", "returns"),
    ]
    seen, copied = told.outputs
    assert (seen.namespace, seen.name) == ("file", f"{tmp_path}/lake/sales/seen")
    (link,) = seen.facets["symlinks"].identifiers
    assert (link.namespace, link.name, link.type) == (f"file:{tmp_path}/lake", "sales.seen", "TABLE")
    assert (copied.namespace, copied.name) == ("postgres://db:5433", "shop.public.copied")
    origins = copied.facets["columnLineage"].fields["price"].inputFields
    assert [(one.namespace, one.name, one.field) for one in origins] == [
        ("kafka://broker:9092", "orders", "price"),
        ("kafka://broker:9092", "returns", "price"),
    ]


def test_a_stream_says_it_when_it_begins(tmp_path: Path) -> None:
    told = extractor(tmp_path, str(REPORT)).extract()
    assert [one.name for one in told.inputs] == [f"{tmp_path}/orders"]


def test_a_report_that_can_t_be_planned_has_no_lineage(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sql"
    broken.write_text("INSERT INTO nowhere SELECT 1;")
    assert extractor(tmp_path, str(broken)).extract_on_complete(None) is None
