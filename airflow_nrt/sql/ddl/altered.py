"""A declaration as ALTER TABLE leaves it."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import parsed


def altered(declared: parsed.CreateTable, statement: parsed.AlterTable) -> parsed.CreateTable:
    """The declaration with other options. Raises SqlError for RESET of one that it does not have."""
    present = {key for key, *_ in declared.options}
    unknown = next((key for key in statement.without if key not in present), None)
    if unknown is not None:
        raise SqlError(f"table {declared.name!r} is declared without {unknown!r}: leave RESET out", statement.at)
    changed = {*statement.without, *(key for key, *_ in statement.options)}
    kept = tuple(one for one in declared.options if one[0] not in changed)
    return replace(declared, options=(*kept, *statement.options))
