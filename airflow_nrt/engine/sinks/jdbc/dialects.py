"""What databases say differently: names, types, upserts, and how a text becomes a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from airflow_nrt.basics.java_sources import COPY_ROWS, JavaSource
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.connectors.jdbc import URL, database_kind
from airflow_nrt.model.tables import Column, Table


class Dialect(ABC):
    """SQL of one kind of database."""

    driver: ClassVar[str]
    """The class of its JDBC driver."""
    faster: ClassVar[Mapping[str, str]] = {}
    """Properties of connections that write many rows."""
    sender: ClassVar[JavaSource | None] = None
    """A class of `engine/java` that sends rows faster than INSERT does."""
    staged: ClassVar[str] = "TABLE"
    """What is created for rows that may be lost when the database crashes."""
    types: ClassVar[Mapping[str, str]]
    """Types of columns that the product creates, by Flink's names."""
    integer: ClassVar[str] = "BIGINT"
    text: ClassVar[str]
    """The type of a text of any length."""
    clock: ClassVar[str]
    """The statement after which the times of a connection are in UTC."""
    suffix: ClassVar[str] = ""
    """What follows CREATE TABLE (…)."""

    def url(self, table: Table) -> str:
        return table.options[URL]

    @abstractmethod
    def name(self, name: str) -> str:
        """A name of one part, quoted."""

    def table(self, name: str) -> str:
        """A table, also as `schema.table`, quoted."""
        return ".".join(map(self.name, name.split(".")))

    @abstractmethod
    def value(self, text: str, kind: str) -> str:
        """SQL of the value of a text, for a column of this type of the database."""

    def compared(self, text: str, kind: str) -> str:
        """SQL of the value of a text, which is compared with a column of this type."""
        return self.value(text, kind)

    @abstractmethod
    def read(self, column: str, kind: DataType) -> str:
        """SQL of a column's value as the text that `texts.py` reads."""

    @abstractmethod
    def upsert(self, table: str, columns: Sequence[str], rows: str, key: Sequence[str]) -> str:
        """INSERT of rows (a SELECT) that replaces those with the same key. Names are quoted."""

    @abstractmethod
    def delete(self, table: str, rows: str, key: Sequence[str]) -> str:
        """DELETE of the rows with the keys of `rows`, a SELECT of them."""

    def literal(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def created_type(self, column: Column, in_key: bool) -> str:
        """The type of a column of a table that the product creates."""
        kind = column.type
        return self.key_type(kind) if kind.is_string and in_key else self.type_of(kind)

    def key_type(self, kind: DataType) -> str:
        """The type of a text in a key."""
        return self.text

    def type_of(self, kind: DataType) -> str:
        if kind.name == "DECIMAL":
            return f"DECIMAL({kind.digits}, {kind.scale or 0})"
        return self.types.get(kind.name, self.text)


class PostgreSql(Dialect):
    driver = "org.postgresql.Driver"
    faster: ClassVar = {"reWriteBatchedInserts": "true"}
    sender = COPY_ROWS
    staged = "UNLOGGED TABLE"
    text = "TEXT"
    clock = "SET TIME ZONE 'UTC'"
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
        return f"encode({column}, 'hex')" if kind.is_bytes else f"CAST({column} AS TEXT)"

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


_OPTIONS = "permitMysqlScheme&useBulkStmts=true&sessionVariables=sql_mode='TRADITIONAL'"
"""Of the driver: it takes URLs of MySQL, sends rows in bulk, and refuses what does not fit a column."""


class MySql(Dialect):
    driver = "org.mariadb.jdbc.Driver"
    text = "LONGTEXT"
    clock = "SET time_zone = '+00:00'"
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

    def url(self, table: Table) -> str:
        url = table.options[URL]
        if database_kind(table) == "mariadb":
            # Spark knows how to quote names by the scheme of MySQL.
            url = url.replace("jdbc:mariadb:", "jdbc:mysql:", 1)
        return f"{url}{'&' if '?' in url else '?'}{_OPTIONS}"

    def name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def value(self, text: str, kind: str) -> str:
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
        return f"HEX({column})" if kind.is_bytes else f"CAST({column} AS CHAR)"

    def key_type(self, kind: DataType) -> str:
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


_DIALECTS: Mapping[str, Dialect] = {"postgresql": PostgreSql(), "mysql": MySql(), "mariadb": MySql()}


def dialect_of(table: Table) -> Dialect:
    return _DIALECTS[database_kind(table)]
