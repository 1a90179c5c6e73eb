"""Tables of one's own: each type of their columns gives back what is written into it, or is refused at the start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.publish.fitting import held_rows
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.notes.left_out import left_out_rows
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream, write_lines
from tests.engine.sinks.jdbc.reports import CURVE, arrive, report
from tests.servers.fixtures import Server
from tests.servers.mysql import MySqlServer
from tests.servers.postgresql import PostgreSql

UUID = "0B1E69BA-a098-3936-fde4-0a07b4a6a21b"
WHEN = "2024-06-18 10:01:02.345"
POSTGRESQL = [
    ("BOOLEAN", "boolean", True),
    ("BOOLEAN", "integer", True),
    ("BOOLEAN", "text", False),
    ("TINYINT", "smallint", -7),
    ("SMALLINT", "double precision", 32767),
    ("INT", "bigint", 7),
    ("INT", "numeric", 7),
    ("INT", "varchar(20)", 7),
    ("BIGINT", "integer", 7),
    ("BIGINT", "numeric(20, 0)", 2**62),
    ("DECIMAL(20, 0)", "bigint", "9007199254740993"),
    ("DECIMAL(20, 4)", "numeric(20, 2)", "1.2350"),
    ("DECIMAL(20, 4)", "numeric", "1.2350"),
    ("DECIMAL(20, 4)", "text", "1.2350"),
    ("FLOAT", "real", 0.1),
    ("FLOAT", "double precision", 0.1),
    ("DOUBLE", "double precision", 0.1),
    ("DOUBLE", "real", 0.1),
    ("DOUBLE", "numeric(12, 3)", 0.1255),
    ("DOUBLE", "numeric", 1e10),
    ("STRING", "text", "ä"),
    ("STRING", "varchar(20)", "x "),
    ("STRING", "char(20)", "x "),
    ("STRING", "json", '{"b": 1, "a": 2}'),
    ("STRING", "jsonb", '{"b": 1, "a": 2}'),
    ("STRING", "uuid", UUID),
    ("STRING", "mood", "happy"),
    ("STRING", "few", "x"),
    ("STRING", "inet", "10.0.0.1"),
    ("DATE", "date", "2024-06-18"),
    ("DATE", "timestamp", "2024-06-18"),
    ("DATE", "text", "2024-06-18"),
    ("TIME(3)", "time", "10:01:02.345"),
    ("TIMESTAMP(3)", "timestamp", WHEN),
    ("TIMESTAMP(3)", "timestamptz", WHEN),
    ("TIMESTAMP(3)", "text", WHEN),
    ("TIMESTAMP_LTZ(3)", "timestamptz", f"{WHEN}Z"),
    ("TIMESTAMP_LTZ(3)", "timestamp", f"{WHEN}Z"),
    ("BYTES", "bytea", "aGVsbG8="),
    ("ARRAY<INT>", "text", [1, 2]),
    ("ARRAY<INT>", "jsonb", [1, 2]),
    ("ROW<a INT, b STRING>", "json", {"a": 1, "b": "x"}),
]
MARIADB = [
    ("BOOLEAN", "boolean", True),
    ("TINYINT", "tinyint", -7),
    ("INT", "mediumint", 7),
    ("INT", "int unsigned", 7),
    ("INT", "double", 7),
    ("INT", "varchar(20)", 7),
    ("BIGINT", "bigint unsigned", 2**62),
    ("BIGINT", "decimal(20, 0)", 2**62),
    ("DECIMAL(20, 4)", "decimal(20, 2)", "1.2350"),
    ("DECIMAL(20, 0)", "bigint", "9007199254740993"),
    ("FLOAT", "float", 0.1),
    ("DOUBLE", "double", 0.1),
    ("DOUBLE", "float", 0.1),
    ("DOUBLE", "decimal(12, 3)", 0.1255),
    ("STRING", "varchar(20)", "x "),
    ("STRING", "char(20)", "x "),
    ("STRING", "text", "ä"),
    ("STRING", "longtext", "ä"),
    ("STRING", "enum('happy', 'sad')", "happy"),
    ("STRING", "uuid", UUID),
    ("STRING", "inet6", "::1"),
    ("DATE", "date", "2024-06-18"),
    ("DATE", "datetime", "2024-06-18"),
    ("TIME(3)", "time(3)", "10:01:02.345"),
    ("TIMESTAMP(3)", "datetime(3)", WHEN),
    ("TIMESTAMP(3)", "timestamp(6)", WHEN),
    ("TIMESTAMP_LTZ(3)", "datetime(6)", f"{WHEN}Z"),
    ("BYTES", "blob", "aGVsbG8="),
    ("BYTES", "varbinary(20)", "aGVsbG8="),
    ("ARRAY<INT>", "json", [1, 2]),
]

ONLY_MARIADB = ("uuid", "inet6", "json")
"""MySQL has no such types, or one that does not give back what was written (JSON is a text in MariaDB)."""


def types_of(server: Server) -> list[tuple[str, str, object]]:
    if isinstance(server, MySqlServer):
        return [one for one in MARIADB if one[1] not in ONLY_MARIADB]
    return POSTGRESQL if isinstance(server, PostgreSql) else MARIADB


def stream_of(spark, server: Server, place: Path, table: str, types: list[tuple[str, str, object]]) -> Stream:
    """A report that copies rows into a table that is there already: `id`, and a column of each of these types."""
    columns = ", ".join(f"c{n} {declared}" for n, (declared, _, _) in enumerate(types))
    server.query(f"CREATE TABLE {table} (id INT PRIMARY KEY, {', '.join(f'c{n} {t[1]}' for n, t in enumerate(types))})")
    script = f"""
        CREATE TABLE many (id INT, {columns}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem',
          'path' = 'many', 'format' = 'json', 'source.monitor-interval' = '100 ms', 'json.timestamp-format.standard' =
          'SQL');
        CREATE TABLE copy (id INT, {columns}, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc',
          'url' = '{server.url}', 'table-name' = '{table}', 'username' = 'app', 'password' = 'secret');
        INSERT INTO copy SELECT id, {", ".join(f"c{n}" for n in range(len(types)))} FROM many;
    """
    return Stream(spark, plan_script(script, {}, "copied", place), place / "home")


def copied(place: Path, *rows: list[object]) -> Path:
    lines = [
        json.dumps({"id": number, "ts": "2024-06-18 10:00:00", **{f"c{n}": one for n, one in enumerate(row)}})
        for number, row in enumerate(rows)
    ]
    return write_lines(place / "many" / "0.json", lines)


def test_every_type_of_a_table_is_written_and_read_back(spark, server: Server, tmp_path: Path) -> None:
    if isinstance(server, PostgreSql):
        server.query("CREATE TYPE mood AS ENUM ('happy', 'sad')")
        server.query("CREATE DOMAIN few AS varchar(3)")
    types = types_of(server)
    stream = stream_of(spark, server, tmp_path, "typed", types)
    stream.absorb(copied(tmp_path, [one for _, _, one in types], [None] * len(types)), source="many")
    assert server.query("SELECT COUNT(*) FROM typed") == [["2"]]
    assert not left_out_rows(stream.home)
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] == 2
    # Of a type of the database's own, which it writes in its own way.
    notes = " ".join(verdict.notes)
    own = [f"c{n}" for n, (declared, kind, _) in enumerate(types) if declared == "STRING" and kind in OWN]
    assert not own or f"does not give back what was written into {', '.join(sorted(own))}: not compared" in notes


OWN = ("inet", "jsonb", "inet6")
REFUSED = {
    "postgresql": [
        ("BYTES", "text", "bytea"),
        ("INT", "boolean", "INTEGER"),
        ("BIGINT", "real", "BIGINT"),
        ("TIMESTAMP(3)", "date", "TIMESTAMP(6)"),
        ("TIMESTAMP(3)", "timestamp(0)", "TIMESTAMP(6)"),
        ("DECIMAL(20, 4)", "double precision", "DECIMAL(20, 4)"),
        ("STRING", "integer", "TEXT"),
        ("INT", "money", "INTEGER"),
        ("ARRAY<INT>", "integer[]", "TEXT"),
    ],
    "mariadb": [
        ("BYTES", "text", "LONGBLOB"),
        ("INT", "bit", "INT"),
        ("TIMESTAMP(3)", "datetime", "DATETIME(6)"),
        ("DECIMAL(20, 4)", "double", "DECIMAL(20, 4)"),
        ("STRING", "int", "LONGTEXT"),
        ("BYTES", "binary(20)", "LONGBLOB"),
    ],
}


def test_a_type_that_does_not_give_back_is_refused_at_the_start(spark, server: Server, tmp_path: Path) -> None:
    name = "postgresql" if isinstance(server, PostgreSql) else "mariadb"
    for n, (declared, kind, wanted) in enumerate(REFUSED[name]):
        with pytest.raises(InputError) as wrong:
            stream_of(spark, server, tmp_path / str(n), f"refused_{n}", [(declared, kind, None)])
        assert f"does not give back {declared.upper()}" in str(wrong.value) or "ARRAY" in declared
        assert str(wrong.value).lower().endswith(f"make it {wanted.lower()}")
        assert server.query(f"SELECT COUNT(*) FROM refused_{n}") == [["0"]]


LIMITS = {
    "postgresql": [
        ("BIGINT", "integer", 2**31, "holds -2147483648 to 2147483647"),
        ("DECIMAL(38, 0)", "bigint", str(2**63), "holds -9223372036854775808 to 9223372036854775807"),
        ("DECIMAL(20, 2)", "numeric(3, 2)", "10.00", "holds 1 digits before the point"),
        ("DECIMAL(20, 4)", "numeric(3, 2)", "9.9950", "holds 1 digits before the point"),
        ("DOUBLE", "real", 1e39, "holds the range of FLOAT"),
        ("DOUBLE", "numeric(3, 2)", 9.999, "holds 1 digits before the point"),
        ("STRING", "varchar(3)", "four", "holds 3 characters"),
        ("STRING", "uuid", "none", "holds values of type uuid"),
        ("DATE", "date", "0000-01-01", "holds the years 1 to 9999"),
        ("TIMESTAMP(3)", "timestamp", "0000-06-01 00:00:00", "holds the years 1 to 9999"),
        ("INT", "integer NOT NULL", None, "is NOT NULL"),
    ],
    "mariadb": [
        ("BIGINT", "tinyint", 128, "holds -128 to 127"),
        ("BIGINT", "int unsigned", -1, "holds 0 to 4294967295"),
        ("DECIMAL(20, 2)", "decimal(3, 2)", "10.00", "holds 1 digits before the point"),
        ("STRING", "varchar(3)", "four", "holds 3 characters"),
        ("STRING", "tinytext", "ä" * 200, "holds 255 bytes"),
        ("STRING", "varchar(9) CHARACTER SET utf8mb3", "\U0001f600", "has characters of utf8mb3"),
        ("BYTES", "varbinary(3)", "aGVsbG8=", "holds 3 bytes"),
        ("DATE", "date", "0000-01-01", "holds the years 1 to 9999"),
        ("TIMESTAMP(3)", "timestamp(3)", "1969-06-01 00:00:00", "holds times from 1970-01-01 00:00:01"),
        ("INT", "int NOT NULL", None, "is NOT NULL"),
    ],
}


def test_a_row_that_does_not_fit_is_left_out_and_named(spark, server: Server, tmp_path: Path) -> None:
    limits = LIMITS["postgresql" if isinstance(server, PostgreSql) else "mariadb"]
    types: list[tuple[str, str, object]] = [(declared, kind, None) for declared, kind, _, _ in limits]
    stream = stream_of(spark, server, tmp_path, "limited", types)
    fits: list[object] = [1 if "NOT NULL" in kind else None for _, kind, _, _ in limits]
    rows = [[*fits[:n], value, *fits[n + 1 :]] for n, (_, _, value, _) in enumerate(limits)]
    stream.absorb(copied(tmp_path, fits, *rows), source="many")
    assert server.query("SELECT id FROM limited") == [["0"]]
    noted = left_out_rows(stream.home)["copy"]
    for n, (_, _, _, wanted) in enumerate(limits):
        found = [(one.count, one.last) for reason, one in noted.items() if reason.startswith(f"column c{n} of table")]
        assert found and found[0][0] == 1 and f'"id":{n + 1}' in found[0][1]
        assert any(wanted in reason for reason in noted if reason.startswith(f"column c{n} of table limited ("))
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] == 1


def test_a_window_ends_in_a_column_with_a_zone(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    postgresql.query(
        "CREATE TABLE zoned (shop INT, window_end timestamptz, n BIGINT, gmv DECIMAL(3, 2), "
        "PRIMARY KEY (shop, window_end))"
    )
    stream = Stream(spark, report(tmp_path, postgresql.url, "zoned"), tmp_path / "home")
    orders = [(1, 5, "10:01:00"), (2, 500, "10:02:00"), (1, 1, "10:12:00")]
    stream.absorb(arrive(tmp_path, "0", *orders), source="orders")
    assert postgresql.query("SELECT shop, n FROM zoned") == [["1", "1"]]
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.inserts[0].windows == 1 and not verdict.problems
    assert left_out_rows(stream.home)["curve"]


def test_a_key_that_is_too_long(spark, server: Server, tmp_path: Path) -> None:
    """A text in a key has any length in the report, and a bound in an index."""
    columns = CURVE.replace("shop INT", "shop STRING")
    query = """SELECT CASE WHEN shop = 1 THEN REPEAT(CAST(RAND() AS STRING), 2000) ELSE 'short' END, window_end,
        COUNT(*), CAST(SUM(price) AS DECIMAL(20, 2)) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts),
        INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end""".replace("CAST(RAND() AS STRING)", "'x'")
    stream = Stream(spark, report(tmp_path, server.url, "keyed", columns, query), tmp_path / "home")
    orders = [(1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:22:00")]
    if isinstance(server, PostgreSql):
        query = query.replace("2000", "3000")
        stream = Stream(spark, report(tmp_path, server.url, "keyed_long", columns, query), tmp_path / "long")
    stream.absorb(arrive(tmp_path, "0", *orders), source="orders")
    ((reason, one),) = left_out_rows(stream.home)["curve"].items()
    assert one.count == 1 and ("2600 bytes of texts" in reason or "holds 255 characters" in reason)
    assert verify(spark, stream.plan, stream.home).is_proven


def test_the_limits_of_a_database_that_is_away(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    """A driver that begins while its database is away leaves out what that could not take when it answered."""
    own = PostgreSql(tmp_path / "own").start()
    own.query(f"CREATE TABLE away ({CURVE.replace('DECIMAL(20, 2)', 'DECIMAL(3, 2)').replace('NOT ENFORCED', '')})")
    plan = report(tmp_path, own.url, "away")
    stream = Stream(spark, plan, tmp_path / "home")
    (insert,) = plan.inserts
    there = held_rows(spark, stream.home, insert)
    own.stop("immediate")
    assert there.limits and held_rows(spark, stream.home, insert).limits == there.limits
