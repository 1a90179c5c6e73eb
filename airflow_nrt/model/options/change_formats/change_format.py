"""A format of changes: each record is an operation, and the rows that it adds and retracts.

Its methods give SQL of Spark for records that were read into columns, and take records that were read by Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.model.options.option import Option

Record = Mapping[str, Any]


class ChangeFormat(ABC):
    """A value of the option 'format'. Operations are the values of the field `op`.

    A record may have several rows. SQL of rows is an array of the texts of objects, with NULL where a row is missing;
    `at` is SQL of the record, a struct of `fields`.
    """

    name: ClassVar[str]
    op: ClassVar[str]
    inserts: ClassVar[tuple[str, ...]]
    updates: ClassVar[str]
    deletes: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    """What no other format of changes has."""
    more_fields: ClassVar[tuple[str, ...]] = ()
    """Fields that decide whether a record is read, beside the operation and the rows: texts."""

    @property
    def operations(self) -> tuple[str, ...]:
        return (*self.inserts, self.updates, self.deletes)

    def fields(self, row: str) -> str:
        """The schema of a record whose rows have this type: all that is read of it."""
        texts = ", ".join(f"{quote(name)} STRING" for name in (self.op, *self.more_fields))
        return f"{self.images(row)}, {texts}"

    @abstractmethod
    def images(self, row: str) -> str:
        """The part of the schema with the rows of a record."""

    # ---------------------------------------------------------------------------------------------------- what is read

    @abstractmethod
    def inserted(self, at: str) -> str:
        """SQL of the rows of an insert."""

    @abstractmethod
    def deleted(self, at: str) -> str:
        """SQL of the rows of a delete."""

    @abstractmethod
    def before(self, at: str) -> str:
        """SQL of the rows before an update."""

    def after(self, at: str) -> str:
        """SQL of the rows after an update."""
        return self.inserted(at)

    def unwanted(self, at: str, options: Mapping[str, str]) -> str:
        """SQL condition of records that are skipped; NULL of those that can't be read."""
        return "false"

    def record(self, read: str, options: Mapping[str, str]) -> str:
        """SQL of the record in what a line holds, which is `read`."""
        return read

    def line(self, options: Mapping[str, str]) -> str:
        """The schema of a line, with rows as texts."""
        return self.fields("STRING")

    # ------------------------------------------------------------------------------------------------- what is written

    @abstractmethod
    def written(self, row: str, is_gone: str) -> str:
        """SQL of the record that adds a row, or retracts it if the condition `is_gone` is true."""

    @abstractmethod
    def row(self, at: str) -> str:
        """SQL of the row in a record that was written here."""

    def adds(self, at: str) -> str:
        """SQL predicate: such a record adds its row.

        >>> from airflow_nrt.model.options.change_formats.maxwell import Maxwell
        >>> print(Maxwell().adds("r"))
        r.`type` IN ('insert')
        """
        return f"{at}.{quote(self.op)} IN ({', '.join(map(string_literal, self.inserts))})"

    @abstractmethod
    def row_in(self, record: Record) -> Mapping[str, Any]:
        """The row in a record that was written here."""

    def is_added(self, record: Record) -> bool:
        """Whether such a record adds its row."""
        return record[self.op] in self.inserts

    @abstractmethod
    def added(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The record that adds a row."""

    def operation(self, is_gone: str) -> str:
        """SQL of the operation of a written record.

        >>> from airflow_nrt.model.options.change_formats.maxwell import Maxwell
        >>> print(Maxwell().operation("gone"))
        IF(gone, 'delete', 'insert') AS `type`
        """
        return f"IF({is_gone}, {string_literal(self.deletes)}, {string_literal(self.inserts[0])}) AS {quote(self.op)}"
