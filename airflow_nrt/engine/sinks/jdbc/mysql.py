"""MySQL and MariaDB: their SQL, and the options of their driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sinks.jdbc.column_kinds import (
    UUID,
    Bytes,
    Dates,
    Decimals,
    Floats,
    Integers,
    Texts,
    Times,
    Timestamps,
)
from airflow_nrt.engine.sinks.jdbc.dialect import Dialect
from airflow_nrt.model.connectors.jdbc import URL, database_kind
from airflow_nrt.model.tables import Table

_OPTIONS = "permitMysqlScheme&useBulkStmts=true&sessionVariables=sql_mode='TRADITIONAL'"
"""Of the driver: it takes URLs of MySQL, sends rows in bulk, and refuses what does not fit a column."""

_REST_OF_ROW = 16 * 1024
"""Bytes of a row beside its texts."""


class MySql(Dialect):
    driver = "org.mariadb.jdbc.Driver"
    text = "LONGTEXT"
    suffix = " ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin"
    types: ClassVar = {
        "BOOLEAN": "BOOLEAN",
        "TINYINT": "TINYINT",
        "SMALLINT": "SMALLINT",
        "INT": "INT",
        "BIGINT": "BIGINT",
        "FLOAT": "FLOAT",
        "DOUBLE": "DOUBLE",
        "DATE": "DATE",
        "TIME": "TIME(3)",
        "TIMESTAMP": "DATETIME(6)",
        "TIMESTAMP_LTZ": "DATETIME(6)",
        "BYTES": "LONGBLOB",
        "VARBINARY": "LONGBLOB",
        "BINARY": "LONGBLOB",
    }

    kinds: ClassVar = {
        **{
            name: kind
            for word, bits in (("tinyint", 8), ("smallint", 16), ("mediumint", 24), ("int", 32), ("bigint", 64))
            for name, kind in (
                (word, Integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)),
                (f"{word} unsigned", Integers(0, 2**bits - 1)),
            )
        },
        "decimal": Decimals(),
        "float": Floats(is_single=True, has_special=False),
        "double": Floats(is_single=False, has_special=False),
        **dict.fromkeys(("varchar", "tinytext", "text", "mediumtext", "longtext", "enum"), Texts()),
        "char": Texts(pads=True),
        "uuid": Texts(lower=True, pattern=UUID),
        **dict.fromkeys(("varbinary", "tinyblob", "blob", "mediumblob", "longblob"), Bytes()),
        "date": Dates(),
        "time": Times(),
        "datetime": Timestamps(),
        "timestamp": Timestamps("1970-01-01 00:00:01", "2038-01-19 03:14:08"),
    }

    def url(self, table: Table) -> str:
        url = table.options[URL]
        if database_kind(table) == "mariadb":
            # Spark knows how to quote names by the scheme of MySQL.
            url = url.replace("jdbc:mariadb:", "jdbc:mysql:", 1)
        return f"{url}{'&' if '?' in url else '?'}{_OPTIONS}"

    def waits(self, connect: int, answer: int) -> dict[str, str]:
        """As `Dialect.waits`. Its driver counts milliseconds.

        >>> print(MySql().waits(10_000, 65_000))
        {'connectTimeout': '10000', 'socketTimeout': '65000'}
        """
        return {"connectTimeout": str(max(connect, SECOND)), "socketTimeout": str(answer)}

    def beginning(self, lock: int, statement: int | None) -> str:
        """As `Dialect.beginning`. Only MariaDB ends statements that write, and reads the comment.

        >>> print(MySql().beginning(10_000, 60_000).partition(" /*M!")[0])
        SET time_zone = '+00:00', lock_wait_timeout = 10, innodb_lock_wait_timeout = 10
        """
        seconds = -(-lock // SECOND)
        begun = f"SET time_zone = '+00:00', lock_wait_timeout = {seconds}, innodb_lock_wait_timeout = {seconds}"
        return begun if statement is None else f"{begun} /*M! , max_statement_time = {-(-statement // SECOND)} */"

    def name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def value(self, text: str, kind: str) -> str:
        """As `Dialect.value`.

        >>> print(MySql().value("x", "varbinary"))
        UNHEX(x)
        """
        return f"UNHEX({text})" if kind.endswith(("blob", "binary")) else text

    def compared(self, text: str, kind: str) -> str:
        """As `Dialect.compared`.

        >>> print(MySql().compared("x", "bigint unsigned"))
        CAST(x AS UNSIGNED)
        """
        # It would compare numbers with texts as DOUBLE, of which several are equal to one large number.
        if "int" in kind:
            return f"CAST({text} AS {'UNSIGNED' if 'unsigned' in kind else 'SIGNED'})"
        if kind.startswith(("decimal", "numeric")):
            return f"CAST({text} AS DECIMAL(65, 30))"
        return f"CAST({text} AS DATETIME(6))" if kind in ("datetime", "timestamp") else self.value(text, kind)

    def read(self, column: str, kind: DataType) -> str:
        """As `Dialect.read`.

        >>> print(MySql().read("n", DataType("INT")))
        CAST(n AS CHAR)
        """
        if kind.is_bytes:
            return f"HEX({column})"
        # A text of FLOAT has six digits.
        return f"CAST({f'CAST({column} AS DOUBLE)' if kind.is_approximate else column} AS CHAR)"

    def time(self, column: str) -> str:
        """As `Dialect.time`.

        >>> print(MySql().time("e"))
        CAST(e AS DATETIME(6))
        """
        return f"CAST({column} AS DATETIME(6))"

    def longest_row(self, ask: Callable[[str], list[tuple[Any, ...]]]) -> int | None:
        ((size,),) = ask("SELECT @@max_allowed_packet")
        # Bytes are sent as twice as many letters, and a letter may be escaped.
        return int(size) // 2 - _REST_OF_ROW

    def facts(self, schema: str, table: str) -> str:
        """As `Dialect.facts`.

        >>> print(MySql().facts("'app'", "'curve'").partition(" FROM ")[2])
        information_schema.columns WHERE table_schema = 'app' AND table_name = 'curve'
        """
        kind = "CONCAT(data_type, IF(column_type LIKE '%unsigned%', ' unsigned', ''))"
        return (
            f"SELECT column_name, {kind}, character_maximum_length, character_octet_length, numeric_precision, "
            "numeric_scale, datetime_precision, is_nullable, character_set_name FROM information_schema.columns "
            f"WHERE table_schema = {schema} AND table_name = {table}"
        )

    def key_type(self, kind: DataType) -> str:
        """As `Dialect.key_type`.

        >>> print(MySql().key_type(DataType("VARCHAR", 40)))
        VARCHAR(40)
        """
        return f"VARCHAR({kind.precision or 255})"

    def literal(self, text: str) -> str:
        return super().literal(text.replace("\\", "\\\\"))

    def upsert(self, table: str, columns: Sequence[str], rows: str, key: Sequence[str]) -> str:
        """As `Dialect.upsert`.

        >>> print(MySql().upsert("t", ["id", "n"], "SELECT * FROM rows", ["id"]))
        INSERT INTO t (id, n) SELECT * FROM rows ON DUPLICATE KEY UPDATE n = VALUES(n)
        """
        first = key[0]
        values = ", ".join(f"{name} = VALUES({name})" for name in columns if name not in key)
        names = ", ".join(columns)
        return f"INSERT INTO {table} ({names}) {rows} ON DUPLICATE KEY UPDATE {values or f'{first} = {first}'}"

    def delete(self, table: str, rows: str, key: Sequence[str]) -> str:
        """As `Dialect.delete`.

        >>> print(MySql().delete("t", "SELECT * FROM rows", ["id"]))
        DELETE t FROM t t JOIN (SELECT * FROM rows) gone ON t.id = gone.id
        """
        same = " AND ".join(f"t.{name} = gone.{name}" for name in key)
        return f"DELETE t FROM {table} t JOIN ({rows}) gone ON {same}"
