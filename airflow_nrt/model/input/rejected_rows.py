"""The table of rejected rows of a source (`'source.rejected.table'`): any sink, with some of these columns.

source       STRING NOT NULL   the table that was read
reason       STRING NOT NULL   as `airflow-nrt late` has it: 'malformed line', 'NULL rowtime', …
field        STRING            the column with the malformed field
why          STRING            what is wrong with it
place        STRING            the file, or the partition and the offset: orders-0@800
line         STRING            the line, or the row as JSON
rejected_at  TIMESTAMP_LTZ(3)  processing time of its batch
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import STRING, DataType, Field
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REJECTED_TABLE
from airflow_nrt.model.plan import Insert, Source
from airflow_nrt.model.tables import Table

REJECTED_VIEW, REJECTED_AT = "_nrt_rejected", "rejected_at"
"""The view of a batch's rejected rows, and its column of the time."""
_COLUMNS = {
    "source": (STRING.with_nullable(False), "source"),
    "reason": (STRING.with_nullable(False), "reason"),
    "field": (STRING, "column"),
    "why": (STRING, "why"),
    "place": (STRING, "file"),
    "line": (STRING, "line"),
    REJECTED_AT: (DataType("TIMESTAMP_LTZ", precision=3), REJECTED_AT),
}
"""By column, its type, and its name in the ledger."""


def with_rejected_table(source: Source, table: Table) -> Source:
    """The source whose rejected rows go into this table, too.

    Raises InputError if the table has a column that they have not, or a PRIMARY KEY.
    """
    where = f"table {table.name!r}, '{REJECTED_TABLE}' of {source.name!r}"
    if table.primary_key:
        raise InputError(f"{where}: rejected rows have no key: leave the PRIMARY KEY out")
    for column in table.physical:
        if column.name not in _COLUMNS:
            raise InputError(f"{where}: rejected rows have no column {column.name!r}: they have {', '.join(_COLUMNS)}")
        kind, _ = _COLUMNS[column.name]
        if column.type.with_nullable(True) != kind.with_nullable(True):
            raise InputError(f"{where}: column {column.name!r} is {column.type.flink}: declare it {kind.flink}")
        if kind.nullable and not column.type.nullable:
            raise InputError(f"{where}: column {column.name!r} is NOT NULL, and may be NULL: declare it {kind.flink}")
    items = ", ".join(f"{quote(_COLUMNS[one.name][1])} AS {quote(one.name)}" for one in table.physical)
    fields = tuple(Field(one.name, one.type) for one in table.physical)
    query = Query(f"SELECT {items} FROM {REJECTED_VIEW}", (REJECTED_VIEW,), fields)
    return replace(source, rejected_into=Insert(table.name, table, query, (), None, None))
