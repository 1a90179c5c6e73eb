"""Format `csv`: which columns a line can have, and which options a sink has none of."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import Table


def check_csv(part: Table) -> None:
    """Raises InputError for columns that csv has no fields for, as in Flink, and for characters of two meanings."""
    escape = source_option(part.options, "csv.escape-character")
    if escape is not None and escape == source_option(part.options, "csv.field-delimiter"):
        raise InputError(
            f"table {part.name!r}: 'csv.escape-character' and 'csv.field-delimiter' are the same character, "
            f"{escape!r}: choose another one"
        )
    for column in part.physical:
        if column.type.name == "MAP" or any(child.children for _, child in column.type.children):
            raise InputError(
                f"table {part.name!r}: column {column.name!r}: csv has no field for {column.type.flink}, but for an "
                "ARRAY or a ROW of values without others inside: use json"
            )


def check_written_csv(part: Table) -> None:
    """Raises InputError for what only a source has."""
    if "csv.escape-character" in part.options:
        raise InputError(
            f"table {part.name!r}: 'csv.escape-character': a sink writes a quote twice, so that every reader of "
            "csv reads it: leave it out"
        )
    nested = next((column for column in part.physical if column.type.children), None)
    if nested is not None:
        raise MissingError(
            f"table {part.name!r}: column {nested.name!r}: {nested.type.name} in csv that is written",
            "use json or parquet",
        )
