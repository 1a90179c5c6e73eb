"""Where the columns of results come from, through every kind of operator."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.lineage import as_insert, lineage_of
from airflow_nrt.model.datasets import DatasetName
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query

pytest.importorskip("openlineage_sql")

CASES = Path(__file__).parents[1]

TABLES = """
CREATE TABLE orders (
    id BIGINT, shop INT, buyer INT, price DECIMAL(10, 2), ok BOOLEAN, at STRING,
    total AS price * 2,
    t AS TO_TIMESTAMP(at),
    WATERMARK FOR t AS t - INTERVAL '5' MINUTES
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');
CREATE TABLE shops (shop INT, city STRING)
WITH ('connector' = 'filesystem', 'path' = '/data/shops', 'format' = 'json');
"""
SINK = "CREATE TABLE result ({}) WITH ('connector' = 'filesystem', 'path' = '/data/result', 'format' = '{}');"
CUMULATE = "FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(t), INTERVAL '10' MINUTES, INTERVAL '1' DAY))"


def origins(columns: str, query: str, kind: str = "json") -> dict[str, str]:
    """By column of the result what it comes from, in words."""
    script = f"{TABLES}{SINK.format(columns, kind)} INSERT INTO result {query};"
    (result,) = lineage_of(plan_script(script, {}, "report", Path("/reports"))).results
    return {name: " ".join(f"{table}.{column}" for table, column in found) for name, found in result.origins.items()}


def test_aggregates_of_windows_come_from_arguments_and_filters_and_bounds_from_the_rowtime() -> None:
    assert origins(
        "shop INT, window_end TIMESTAMP(3), n BIGINT, buyers BIGINT, gmv DECIMAL(38, 2), day STRING",
        "SELECT shop, window_end, COUNT(*), COUNT(DISTINCT buyer), SUM(total) FILTER (WHERE ok), "
        f"DATE_FORMAT(window_start, 'yyyy-MM-dd') {CUMULATE} GROUP BY shop, window_start, window_end",
    ) == {
        "shop": "orders.shop",
        "window_end": "orders.at",
        "buyers": "orders.buyer",
        "gmv": "orders.ok orders.price",
        "day": "orders.at",
    }


def test_windows_over_windows_and_a_top_n_are_followed() -> None:
    inner = (
        f"SELECT shop, window_start, window_end, SUM(price) AS gmv {CUMULATE} GROUP BY shop, window_start, window_end"
    )
    ranked = (
        f"SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY gmv DESC) AS n FROM ({inner})"
    )
    found = origins("shop INT, gmv DECIMAL(38, 2)", f"SELECT shop, gmv FROM ({ranked}) WHERE n <= 10")
    assert found == {"shop": "orders.shop", "gmv": "orders.price"}


def test_rows_that_are_numbered_as_they_arrive_are_followed() -> None:
    first = (
        "SELECT *, ROW_NUMBER() OVER (PARTITION BY buyer ORDER BY PROCTIME()) AS place FROM (SELECT * FROM orders) "
        "WHERE ok"
    )
    found = origins(
        "shop INT, gmv DECIMAL(38, 2), ends TIMESTAMP(3), places BIGINT",
        "SELECT shop, SUM(total), TUMBLE_END(t, INTERVAL '10' MINUTE), MAX(place) "
        f"FROM (SELECT * FROM ({first}) WHERE place <= 2 AND id > 0) GROUP BY shop, TUMBLE(t, INTERVAL '10' MINUTE)",
    )
    assert found == {"shop": "orders.shop", "gmv": "orders.price", "ends": "orders.at"}


def test_joins_and_groups_without_windows_are_followed() -> None:
    found = origins(
        "city STRING, gmv DECIMAL(38, 2), mean DOUBLE, PRIMARY KEY (city) NOT ENFORCED",
        "SELECT city, SUM(price), CAST(SUM(price) / COUNT(buyer) AS DOUBLE) FROM orders "
        "JOIN shops ON orders.shop = shops.shop GROUP BY city",
        "debezium-json",
    )
    assert found == {"city": "shops.city", "gmv": "orders.price", "mean": "orders.buyer orders.price"}


def test_integer_division_is_read() -> None:
    assert origins("half BIGINT", "SELECT id / 2 FROM orders") == {"half": "orders.id"}


def test_the_parser_reads_what_the_planner_writes() -> None:
    """All queries between the operators of the cases that Flink has run."""
    from openlineage_sql import parse

    read, unread = 0, set()
    for file in [*CASES.glob("golden/cases/**/ddl.sql"), *CASES.glob("field/cases/**/ddl.sql")]:
        place = file.parent
        tables = fill_placeholders(file.read_text(), {"CASE_DIR": str(place)})
        try:
            plan = plan_query(tables, (place / "query.sql").read_text(), place)
        except (SqlError, SqlErrors):
            continue
        for query in _queries(plan):
            parsed = parse([as_insert(query)], dialect="databricks")
            read += 1
            if parsed is None or parsed.errors:
                unread.add(place.name)
    assert unread == set()
    assert read > 300


def _queries(plan: Plan) -> list[Query]:
    steps = [*(one.input for one in plan.operators), *(one.input for one in plan.regroups)]
    return [*(one.query for one in plan.inserts), *steps, *(query for one in plan.updating for query in one.inputs)]


def test_tables_have_their_places_and_columns_and_no_secrets() -> None:
    script = f"{TABLES}{SINK.format('id BIGINT', 'json')} INSERT INTO result SELECT id FROM orders;"
    script = script.replace("/data/result", "/data/${TOKEN}")
    script = f"SET 'spark.hadoop.fs.s3a.secret.key' = 'hunter2'; {script}"
    given = Settings((("TOKEN", "top-secret"),))
    lineage = lineage_of(plan_script(script, given, "report", Path("/reports")))
    assert [(one.name, *one.names) for one in lineage.sources] == [("orders", DatasetName("file", "/data/orders"))]
    assert lineage.sources[0].columns[:2] == (("id", "BIGINT"), ("shop", "INT"))
    assert lineage.results[0].names[0].name == "/data/${TOKEN}"
    assert "top-secret" not in repr(lineage) and "secret.key' = '***'" in lineage.script
