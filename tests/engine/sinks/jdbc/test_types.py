"""Tables of one's own: each type of column is written, read back, proven and repaired, or refused at the start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MORNING, Stream, write_lines
from tests.servers.fixtures import Server
from tests.servers.postgresql import PostgreSql

VALUES = {
    "BOOLEAN": "true",
    "TINYINT": "CAST(7 AS TINYINT)",
    "SMALLINT": "CAST(300 AS SMALLINT)",
    "INT": "70000",
    "BIGINT": "CAST(123456789012 AS BIGINT)",
    "DECIMAL(12, 3)": "CAST(1234.565 AS DECIMAL(12, 3))",
    "DECIMAL(20, 0)": "CAST(12345678901 AS DECIMAL(20, 0))",
    "FLOAT": "CAST(1.2345678 AS FLOAT)",
    "DOUBLE": "CAST(1234567.8901234 AS DOUBLE)",
    "STRING": "'a '",
    "BYTES": "x'0aff'",
    "DATE": "DATE '2024-06-18'",
    "TIME(3)": "TIME '23:59:58.789'",
    "TIMESTAMP(3)": "TIMESTAMP '1969-12-31 23:59:58.789'",
    "TIMESTAMP_LTZ(3)": "CAST(TIMESTAMP '2024-06-18 10:00:00.789' AS TIMESTAMP_LTZ(3))",
    "ARRAY<INT>": "ARRAY[1, 2]",
    "ROW<a INT, b STRING>": "CAST(ROW(1, 'x') AS ROW<a INT, b STRING>)",
    "MAP<STRING, INT>": "MAP['b', 1, 'a', 2]",
}
"""A value of each of Flink's types."""
OF_POSTGRESQL = {
    "BOOLEAN": "boolean smallint numeric(5,2) text",
    "TINYINT": "smallint numeric(5,1)",
    "SMALLINT": "varchar(9)",
    "INT": "integer double@precision numeric(12,4)",
    "BIGINT": "bigint numeric double@precision",
    "DECIMAL(12, 3)": "numeric(12,3) numeric(10,1) double@precision text",
    "DECIMAL(20, 0)": "bigint numeric(22,2)",
    "FLOAT": "real double@precision numeric(10,2)",
    "DOUBLE": "double@precision numeric(12,2) text",
    "STRING": "text varchar(3) char(4) varchar(1)",
    "BYTES": "bytea",
    "DATE": "date timestamptz text",
    "TIME(3)": "time(0) time(1) timetz text",
    "TIMESTAMP(3)": "timestamp timestamp(0) timestamptz(2) text",
    "TIMESTAMP_LTZ(3)": "timestamptz timestamp(1) text",
    "ARRAY<INT>": "text",
    "ROW<a INT, b STRING>": "json",
    "MAP<STRING, INT>": "jsonb",
}
"""The types of columns that take it, with `@` for a blank."""
OF_MARIADB = {
    "BOOLEAN": "boolean int@unsigned decimal(5,2) text",
    "TINYINT": "tinyint decimal(5,1)",
    "SMALLINT": "mediumint",
    "INT": "int double decimal(12,4)",
    "BIGINT": "bigint@unsigned decimal(20,0) double text",
    "DECIMAL(12, 3)": "decimal(12,3) decimal(10,1) double",
    "DECIMAL(20, 0)": "bigint decimal(22,2)",
    "FLOAT": "float double decimal(10,2)",
    "DOUBLE": "double decimal(12,2) text",
    "STRING": "varchar(3) char(4) tinytext varchar(5)@character@set@latin1",
    "BYTES": "longblob varbinary(9) binary(5)",
    "DATE": "date datetime text",
    "TIME(3)": "time time(1) text",
    "TIMESTAMP(3)": "datetime datetime(1) text",
    "TIMESTAMP_LTZ(3)": "datetime(3) timestamp@null",
    "ARRAY<INT>": "text",
    "ROW<a INT, b STRING>": "json",
    "MAP<STRING, INT>": "longtext",
}
ORDERS = """
CREATE TABLE orders (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json', 'source.monitor-interval' = '100 ms');
"""
WINDOWS = "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end"
SPAN = Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR)


def columns_of(server: Server) -> list[tuple[str, str, str]]:
    """Name, Flink's type and the database's of each."""
    known = OF_POSTGRESQL if isinstance(server, PostgreSql) else OF_MARIADB
    pairs = [(kind, own.replace("@", " ")) for kind, some in known.items() for own in some.split()]
    return [(f"c{n}", kind, own) for n, (kind, own) in enumerate(pairs)]


def report(server: Server, place: Path, table: str, columns: list[tuple[str, str]], values: list[str], end: str = "e"):
    declared = ", ".join(f"{name} {kind}" for name, kind in columns)
    script = f"""{ORDERS}
        CREATE TABLE kept (shop INT, e {"TIMESTAMP(3)" if end == "e" else end}, {declared},
          PRIMARY KEY (shop, e) NOT ENFORCED)
        WITH ('connector' = 'jdbc', 'url' = '{server.url}', 'table-name' = '{table}', 'username' = 'app',
          'password' = 'secret');
        INSERT INTO kept SELECT shop, window_end, {", ".join(values)} {WINDOWS};
    """
    return plan_script(script, {}, "kept", place)


def test_each_type_is_written_proven_and_repaired(spark, server: Server, tmp_path: Path) -> None:
    """The window's end is a time with a zone in PostgreSQL; one row has the values, another one NULL."""
    columns = columns_of(server)
    end = "timestamptz" if isinstance(server, PostgreSql) else "datetime"
    own = ", ".join(f"{name} {kind}" for name, _, kind in columns)
    server.query(f"CREATE TABLE kinds (shop INT, e {end}, {own}, PRIMARY KEY (shop, e))")
    values = [
        VALUES[kind] if _composed(kind) else f"CASE WHEN shop = 1 THEN {VALUES[kind]} END" for _, kind, _ in columns
    ]
    plan = report(server, tmp_path, "kinds", [(name, kind) for name, kind, _ in columns], values)
    stream = Stream(spark, plan, tmp_path / "home")
    lines = [json.dumps({"shop": shop, "ts": f"2024-06-18 {at}"}) for shop, at in ((1, "10:01:00"), (2, "10:02:00"))]
    lines.append(json.dumps({"shop": 1, "ts": "2024-06-18 11:30:00"}))
    stream.absorb(write_lines(tmp_path / "orders" / "0.json", lines), source="orders")
    assert server.query("SELECT COUNT(*) FROM kinds") == [["2"]]
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems, verdict.inserts[0].bad
    changed = next(name for name, kind, _ in columns if kind == "INT")
    server.query(f"UPDATE kinds SET {changed} = 5 WHERE shop = 1")
    repaired = backfill(spark, plan, stream.home, SPAN, check=True, on_mismatch=REPAIR)
    assert repaired.published and repaired.verdict is not None and repaired.verdict.is_proven
    assert server.query(f"SELECT {changed} FROM kinds WHERE shop = 1") == [["70000"]]


REFUSED = [
    ("BYTES", "text"),
    ("TIMESTAMP(3)", "date"),
    ("DECIMAL(12, 3)", "bigint"),
    ("DOUBLE", "real"),
    ("STRING", "integer"),
    ("ARRAY<INT>", "integer"),
]


@pytest.mark.parametrize("end", ["timestamp", "text"])
def test_a_type_that_gives_no_value_back_is_refused_at_the_start(
    spark, postgresql: PostgreSql, tmp_path: Path, end: str
) -> None:
    for n, (kind, own) in enumerate(REFUSED if end == "timestamp" else [("INT", "integer")]):
        table = f"refused_{end}_{n}"
        postgresql.query(f"CREATE TABLE {table} (shop INT, e {end}, v {own}, PRIMARY KEY (shop, e))")
        plan = report(postgresql, tmp_path, table, [("v", kind)], [VALUES[kind]])
        with pytest.raises(InputError) as wrong:
            Stream(spark, plan, tmp_path / f"home-{n}")
        name, declared, of = ("v", kind, own) if end == "timestamp" else ("e", "TIMESTAMP(3)", "text")
        assert f"column {name!r} is {declared}, and {of}" in str(wrong.value).replace("int4", "integer").replace(
            "int8", "bigint"
        ).replace("float4", "real")


def _composed(kind: str) -> bool:
    return kind.startswith(("ARRAY", "ROW", "MAP"))
