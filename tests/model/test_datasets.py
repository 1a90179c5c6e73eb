"""Names of tables in lineage, as OpenLineage's own helpers make them."""

from __future__ import annotations

import pytest

from airflow_nrt.model.datasets import DatasetName, in_warehouse, of_database, of_path, of_topic

naming = pytest.importorskip("openlineage.client.naming.dataset")

PLACES = {
    "/data/orders/": naming.LocalFileSystem("/data/orders"),
    "file:///data/orders": naming.LocalFileSystem("/data/orders"),
    "s3a://bucket/lake/curve": naming.S3("bucket", "lake/curve"),
    "gs://bucket/lake/curve": naming.GCS("bucket", "lake/curve"),
    "hdfs://namenode:8020/lake/curve": naming.HDFS("namenode", "8020", "/lake/curve"),
}
WAREHOUSES = {
    "/data/lake": "file:/data/lake",
    "file:///data/lake/": "file:/data/lake",
    "s3a://bucket/lake": "s3://bucket/lake",
    "hdfs://namenode:8020/lake": "hdfs://namenode:8020/lake",
}
DATABASES = {
    ("jdbc:postgresql://db/shop", "curve"): naming.Postgres("db", "5432", "shop", "public", "curve"),
    ("jdbc:postgresql://db:5433/shop?ssl=true", "sales.curve"): naming.Postgres("db", "5433", "shop", "sales", "curve"),
    ("jdbc:postgresql://one:1,two:2/shop?currentSchema=sales", "curve"): naming.Postgres(
        "one", "1", "shop", "sales", "curve"
    ),
    ("jdbc:postgresql://me:secret@[::1]/shop", "curve"): naming.Postgres("[::1]", "5432", "shop", "public", "curve"),
    ("jdbc:mysql://db:3307/shop", "curve"): naming.MySQL("db", "3307", "shop", "curve"),
    ("jdbc:mariadb://db/shop", "other.curve"): naming.MySQL("db", "3306", "other", "curve"),
}


def check(found: DatasetName, expected: object) -> None:
    assert (found.namespace, found.name) == (expected.get_namespace(), expected.get_name())  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", PLACES)
def test_directories(place: str) -> None:
    check(of_path(place), PLACES[place])


@pytest.mark.parametrize("place", WAREHOUSES)
def test_tables_in_a_warehouse(place: str) -> None:
    assert in_warehouse(place, "sales.curve") == DatasetName(WAREHOUSES[place], "sales.curve")


def test_topics() -> None:
    check(of_topic("one:9092, two:9092", "orders"), naming.Kafka("one", "9092", "orders"))


@pytest.mark.parametrize(("url", "table"), DATABASES)
def test_tables_of_databases(url: str, table: str) -> None:
    check(of_database(url, table), DATABASES[url, table])
