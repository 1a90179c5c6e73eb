"""Changes as Canal, Maxwell and Oracle GoldenGate bring them: what Flink 2.3 reads of each record, and what it writes.

Covers airflow_nrt/model/options/change_formats.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.query import stream_to_end, streamed_lines
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, plan_of, write_lines
from tests.engine.updating.queries import emitted, published_in_parquet

KEY = ", PRIMARY KEY (id) NOT ENFORCED"
TEA, CUP = {"id": "1", "name": "tea", "price": "3.50"}, {"id": "2", "name": "cup", "price": 8}
OLD_TEA, OLD_CUP = {**TEA, "price": 1.5}, {**CUP, "name": None}


def canal(kind: str, data: Any, old: Any = None, **more: Any) -> dict[str, Any]:
    return {"data": data, "old": old, "database": "shop", "table": "products", "isDdl": False, "type": kind, **more}


def maxwell(kind: str, **rows: Any) -> dict[str, Any]:
    return {"database": "shop", "table": "products", "type": kind, "ts": 1, **rows}


def ogg(kind: str, **rows: Any) -> dict[str, Any]:
    return {"table": "SHOP.PRODUCTS", "op_type": kind, "pos": "0", **rows}


READ: dict[str, list[dict[str, Any]]] = {
    "canal-json": [
        canal("INSERT", [OLD_TEA, OLD_CUP]),
        canal("UPDATE", [TEA, CUP], [{"price": 1.5}, {"name": None}]),
        canal("DELETE", [TEA]),
    ],
    "maxwell-json": [
        maxwell("insert", data=OLD_TEA),
        maxwell("insert", data=OLD_CUP),
        maxwell("update", data=TEA, old={"price": 1.5}),
        maxwell("update", data=CUP, old={"name": None}),
        maxwell("delete", data=TEA),
    ],
    "ogg-json": [
        ogg("I", after=OLD_TEA),
        ogg("I", after=OLD_CUP),
        ogg("U", before=OLD_TEA, after=TEA),
        ogg("U", before=OLD_CUP, after=CUP),
        ogg("D", before=TEA),
    ],
}
SKIPPED = {
    "canal-json": [
        canal("CREATE", None),
        canal("ALTER", None, isDdl=True),
        canal("INSERT", []),
    ],
    "maxwell-json": [maxwell("table-create"), maxwell("table-alter"), maxwell("database-drop")],
    "ogg-json": [],
}
UNREADABLE: dict[str, list[Any]] = {
    "canal-json": [
        canal("TRUNCATE", None, isDdl=True),
        canal("QUERY", None),
        canal("insert", [TEA]),
        canal("INSERT", None),
        canal("INSERT", TEA),
        canal("INSERT", [TEA, None]),
        canal("INSERT", ["tea"]),
        7,
    ],
    "maxwell-json": [maxwell("bootstrap-insert", data=TEA), maxwell("insert"), maxwell("insert", data=[TEA]), 7],
    "ogg-json": [ogg("T"), ogg("I", before=TEA), ogg("D", after=TEA), 7],
}
WITHOUT_OLD = {
    "canal-json": [canal("UPDATE", [TEA]), canal("UPDATE", [TEA], [])],
    "maxwell-json": [maxwell("update", data=TEA)],
    "ogg-json": [ogg("U", after=TEA)],
}
"""What can't be read without a key, and is a new row with one."""


def stream(spark, place: Path, form: str, records: list[Any], key: str = "", options: str = "") -> Stream:
    """Into `q`, in one batch."""
    source = (
        f"CREATE TABLE products (id INT, name STRING, price DECIMAL(10, 2){key}) WITH "
        f"('connector' = 'filesystem', 'path' = '${{DATA}}/products', 'format' = '{form}'{options});"
    )
    sink = "CREATE TABLE q (id INT, name STRING, price DECIMAL(10, 2)) WITH ('connector' = 'print');"
    plan = published_in_parquet(plan_of(place, source, sink, "INSERT INTO q SELECT * FROM products;"), place)
    one = Stream(spark, plan, place / "home")
    lines = [json.dumps(record) for record in records]
    one.absorb(write_lines(place / "products" / "0.json", lines, at=10**9), source="products")
    return one


def changes(place: Path) -> list[tuple[str, tuple[Any, ...]]]:
    return [(op, (row[0], row[1], str(row[2]))) for op, _, row in emitted(place / "q")]


@pytest.mark.parametrize("form", READ)
def test_what_records_do_without_a_key(spark, tmp_path: Path, form: str) -> None:
    """A row is found by all its values before the change, so these are right."""
    stream(spark, tmp_path, form, [*READ[form], *SKIPPED[form]])
    assert changes(tmp_path) == [("+I", (2, "cup", "8.00"))]


@pytest.mark.parametrize("form", READ)
def test_what_records_do_with_a_key(spark, tmp_path: Path, form: str) -> None:
    records = [*READ[form][:-1], *SKIPPED[form], *WITHOUT_OLD[form]]
    stream(spark, tmp_path, form, records, KEY)
    assert changes(tmp_path) == [("+I", (1, "tea", "3.50")), ("+I", (2, "cup", "8.00"))]


@pytest.mark.parametrize("form", READ)
def test_what_is_unreadable(spark, tmp_path: Path, form: str) -> None:
    unreadable = [*UNREADABLE[form], *WITHOUT_OLD[form]]
    options = f", '{form}.ignore-parse-errors' = 'true'"
    one = stream(spark, tmp_path, form, [*unreadable, READ[form][0]], options=options)
    assert changes(tmp_path)[0] == ("+I", (1, "tea", "1.50"))
    source = one.driver.position.sources["products"]
    assert (source.rejected, source.null_fields) == (len(unreadable), 0)


def test_an_unknown_operation_is_named(spark, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="is no canal-json: 'type' is none of 'INSERT', 'UPDATE', 'DELETE'"):
        stream(spark, tmp_path, "canal-json", [canal("TRUNCATE", None, isDdl=True)])


def test_databases_and_tables_that_are_included(spark, tmp_path: Path) -> None:
    included = "'canal-json.database.include' = 'sho.', 'canal-json.table.include' = 'prod.*|old'"
    others = [
        canal("INSERT", [TEA], database="shop2"),
        canal("UNKNOWN", None, table="Products"),
        canal("INSERT", [TEA], table="olds"),
    ]
    nowhere = canal("INSERT", [TEA], database=None)
    options = f", {included}, 'canal-json.ignore-parse-errors' = 'true'"
    one = stream(
        spark, tmp_path, "canal-json", [*others, nowhere, canal("INSERT", [CUP], table="old")], options=options
    )
    assert changes(tmp_path) == [("+I", (2, "cup", "8.00"))]
    assert one.driver.position.sources["products"].rejected == 1


COUNTS = "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"


@pytest.mark.parametrize("form", CHANGE_FORMATS)
def test_from_changes_to_windows(spark, tmp_path: Path, form: str) -> None:
    """With a watermark and a key, verified."""
    times = ["2024-06-18 09:00:00", "2024-06-18 09:50:00", "2024-06-18T10:30:00"]
    added = [CHANGE_FORMATS[form].added({"id": n, "ts": time}) for n, time in enumerate([*times, times[0]])]
    write_lines(tmp_path / "orders" / "0.json", map(json.dumps, added))
    source = (
        f"CREATE TABLE orders (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts{KEY}) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path}/orders', 'format' = '{form}');"
    )
    plan: Plan = plan_query(source, f"{COUNTS} GROUP BY window_start, window_end", tmp_path)
    (tmp_path / "run").mkdir()
    streamed, home = stream_to_end(report_session(spark, plan), plan, tmp_path / "run")
    rows = [tuple(json.loads(line).values()) for line in streamed_lines(spark, streamed, tmp_path / "run")]
    assert sorted(rows) == [("2024-06-18 09:00:00.000", 3), ("2024-06-18 10:00:00.000", 1)]
    assert verify(spark, streamed, home).is_proven


WRITTEN = {
    "canal-json": [
        '{"data":[{"shop":"a","n":1}],"type":"INSERT"}',
        '{"data":[{"shop":"a","n":1}],"type":"DELETE"}',
        '{"data":[{"shop":"a","n":2}],"type":"INSERT"}',
    ],
    "maxwell-json": [
        '{"data":{"shop":"a","n":1},"type":"insert"}',
        '{"data":{"shop":"a","n":1},"type":"delete"}',
        '{"data":{"shop":"a","n":2},"type":"insert"}',
    ],
    "ogg-json": [
        '{"before":null,"after":{"shop":"a","n":1},"op_type":"I"}',
        '{"before":{"shop":"a","n":1},"after":null,"op_type":"D"}',
        '{"before":null,"after":{"shop":"a","n":2},"op_type":"I"}',
    ],
}


@pytest.mark.parametrize("form", WRITTEN)
def test_what_is_written(spark, tmp_path: Path, form: str) -> None:
    """Verified. A column may be called as a field of the record."""
    files = "'connector' = 'filesystem', 'path' = '${DATA}/%s', 'format' = '%s'"
    source = f"CREATE TABLE orders (shop STRING) WITH ({files % ('orders', 'json')});"
    query = "SELECT shop, COUNT(*), 'x' FROM orders GROUP BY shop"
    sink = (
        "CREATE TABLE totals (shop STRING, n BIGINT, `type` STRING) PARTITIONED BY (`type`) WITH "
        f"({files % ('totals', form)});"
    )
    plan = plan_of(tmp_path, source, sink, f"INSERT INTO totals {query};")
    one = Stream(spark, plan, tmp_path / "home")
    for n in range(2):
        one.absorb(
            write_lines(tmp_path / "orders" / f"{n}.json", ['{"shop": "a"}'], at=(n + 1) * 10**9), source="orders"
        )
    written = sorted((tmp_path / "totals" / "type=x").glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
    assert [line for file in written for line in file.read_text().splitlines()] == WRITTEN[form]
    assert verify(spark, plan, one.home).is_proven
