"""PostgreSQL: its SQL, and rows sent by COPY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.java_sources import COPY_ROWS
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sinks.jdbc.column_kinds import (
    UUID,
    Booleans,
    Bytes,
    Dates,
    Decimals,
    Documents,
    Floats,
    Integers,
    Texts,
    Times,
    Timestamps,
)
from airflow_nrt.engine.sinks.jdbc.dialect import Dialect


class PostgreSql(Dialect):
    driver = "org.postgresql.Driver"
    faster: ClassVar = {"reWriteBatchedInserts": "true"}
    sender = COPY_ROWS
    staged = "UNLOGGED TABLE"
    text = "TEXT"
    types: ClassVar = {
        "BOOLEAN": "BOOLEAN",
        "TINYINT": "SMALLINT",
        "SMALLINT": "SMALLINT",
        "INT": "INTEGER",
        "BIGINT": "BIGINT",
        "FLOAT": "REAL",
        "DOUBLE": "DOUBLE PRECISION",
        "DATE": "DATE",
        "TIME": "TIME(3)",
        "TIMESTAMP": "TIMESTAMP(6)",
        "TIMESTAMP_LTZ": "TIMESTAMP(6) WITH TIME ZONE",
        "BYTES": "BYTEA",
        "VARBINARY": "BYTEA",
        "BINARY": "BYTEA",
    }

    kinds: ClassVar = {
        "bool": Booleans(),
        "int2": Integers(-(2**15), 2**15 - 1),
        "int4": Integers(-(2**31), 2**31 - 1),
        "int8": Integers(-(2**63), 2**63 - 1),
        "numeric": Decimals(),
        "float4": Floats(is_single=True, has_special=True),
        "float8": Floats(is_single=False, has_special=True),
        **dict.fromkeys(("text", "varchar", "citext", "name", "json", "enum"), Texts()),
        "bpchar": Texts(pads=True),
        "uuid": Texts(lower=True, pattern=UUID),
        "jsonb": Documents(),
        "bytea": Bytes(),
        "date": Dates(),
        "time": Times(),
        **dict.fromkeys(("timestamp", "timestamptz"), Timestamps()),
    }
    # A third of a page, less what the other columns of a key take.
    longest_key = 2_600

    def waits(self, connect: int, answer: int) -> dict[str, str]:
        """As `Dialect.waits`. Its driver counts seconds.

        >>> print(PostgreSql().waits(10_000, 65_000))
        {'connectTimeout': '10', 'loginTimeout': '10', 'socketTimeout': '65', 'tcpKeepAlive': 'true'}
        """
        seconds = str(max(connect // SECOND, 1))
        socket = str(-(-answer // SECOND))
        return {"connectTimeout": seconds, "loginTimeout": seconds, "socketTimeout": socket, "tcpKeepAlive": "true"}

    def beginning(self, lock: int, statement: int | None) -> str:
        """As `Dialect.beginning`.

        >>> print(PostgreSql().beginning(10_000, 60_000))
        SET TIME ZONE 'UTC'; SET lock_timeout = 10000; SET statement_timeout = 60000
        """
        begun = f"SET TIME ZONE 'UTC'; SET lock_timeout = {lock}"
        return begun if statement is None else f"{begun}; SET statement_timeout = {statement}"

    def name(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def value(self, text: str, kind: str) -> str:
        """As `Dialect.value`.

        >>> print(PostgreSql().value("x", "numeric(10,2)"))
        CAST(x AS numeric(10,2))
        """
        return f"decode({text}, 'hex')" if kind == "bytea" else f"CAST({text} AS {kind})"

    def read(self, column: str, kind: DataType) -> str:
        """As `Dialect.read`.

        >>> print(PostgreSql().read("n", DataType("INT")))
        CAST(n AS TEXT)
        """
        if kind.is_bytes:
            return f"encode({column}, 'hex')"
        # Texts of REAL have the digits of REAL.
        wide = f"CAST({column} AS DOUBLE PRECISION)" if kind.name == "DOUBLE" else column
        return f"CAST({self.time(column) if kind.is_timestamp else wide} AS TEXT)"

    def time(self, column: str) -> str:
        """As `Dialect.time`.

        >>> print(PostgreSql().time("e"))
        CAST(e AS TIMESTAMP)
        """
        return f"CAST({column} AS TIMESTAMP)"

    def facts(self, schema: str, table: str) -> str:
        """As `Dialect.facts`.

        >>> print(PostgreSql().facts("'public'", "'curve'").partition(" FROM ")[2])
        information_schema.columns LEFT JOIN pg_type ON pg_type.oid = to_regtype(format('%I.%I', udt_schema, udt_name))
        WHERE table_schema = 'public' AND table_name = 'curve'
        """
        kind = "CASE WHEN typtype = 'e' THEN 'enum' ELSE udt_name END"
        types = "pg_type ON pg_type.oid = to_regtype(format('%I.%I', udt_schema, udt_name))"
        return (
            f"SELECT column_name, {kind}, character_maximum_length, NULL, numeric_precision, numeric_scale, "
            f"datetime_precision, is_nullable, NULL FROM information_schema.columns LEFT JOIN {types} "
            f"WHERE table_schema = {schema} AND table_name = {table}"
        )

    def upsert(self, table: str, columns: Sequence[str], rows: str, key: Sequence[str]) -> str:
        """As `Dialect.upsert`.

        >>> print(PostgreSql().upsert("t", ["id", "n"], "SELECT * FROM rows", ["id"]))
        INSERT INTO t (id, n) SELECT * FROM rows ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n
        """
        values = ", ".join(f"{name} = EXCLUDED.{name}" for name in columns if name not in key)
        action = f"UPDATE SET {values}" if values else "NOTHING"
        return f"INSERT INTO {table} ({', '.join(columns)}) {rows} ON CONFLICT ({', '.join(key)}) DO {action}"

    def delete(self, table: str, rows: str, key: Sequence[str]) -> str:
        """As `Dialect.delete`.

        >>> print(PostgreSql().delete("t", "SELECT * FROM rows", ["id"]))
        DELETE FROM t t USING (SELECT * FROM rows) gone WHERE t.id = gone.id
        """
        same = " AND ".join(f"t.{name} = gone.{name}" for name in key)
        return f"DELETE FROM {table} t USING ({rows}) gone WHERE {same}"
