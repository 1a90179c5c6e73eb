"""What databases say differently: names, types, upserts, and how a text becomes a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from airflow_nrt.basics.java_sources import JavaSource
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sinks.jdbc.column_kinds import ColumnKind
from airflow_nrt.model.connectors.jdbc import URL
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
    kinds: ClassVar[Mapping[str, ColumnKind]]
    """Kinds of columns, by the database's names of their types."""
    longest_key: ClassVar[int | None] = None
    """Bytes of the texts of a key; None if the types of its columns bound them."""
    suffix: ClassVar[str] = ""
    """What follows CREATE TABLE (…)."""

    def url(self, table: Table) -> str:
        return table.options[URL]

    @abstractmethod
    def waits(self, connect: int, answer: int) -> dict[str, str]:
        """Properties of a connection: how long it may take to connect, and to get an answer (ms)."""

    @abstractmethod
    def beginning(self, lock: int, statement: int | None) -> str:
        """The statement after which the times of a connection are in UTC, and the database ends statements that wait
        for a lock, or run, for so long (ms; None: for ever)."""

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
        """SQL of a column's value as the text that `values_as_texts.py` reads."""

    @abstractmethod
    def time(self, column: str) -> str:
        """SQL of a column's time in UTC as `yyyy-MM-dd HH:mm:ss`, whatever type of times it has."""

    def longest_row(self, ask: Callable[[str], list[tuple[Any, ...]]]) -> int | None:
        """Bytes of the texts of a row; None if only their types bound them. `ask` gives the rows of a query."""
        return None

    @abstractmethod
    def facts(self, schema: str, table: str) -> str:
        """A SELECT of the fields of `ColumnFacts` of a table's columns after their names. Both are literals."""

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
        """The type of any other column: a text where the database has none of its own.

        >>> from airflow_nrt.engine.sinks.jdbc.mysql import MySql
        >>> print(MySql().type_of(DataType("DECIMAL", 10, 2)))
        DECIMAL(10, 2)
        """
        if kind.name == "DECIMAL":
            return f"DECIMAL({kind.digits}, {kind.scale or 0})"
        return self.types.get(kind.name, self.text)
