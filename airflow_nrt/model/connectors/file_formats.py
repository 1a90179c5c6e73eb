"""The formats of files: which columns each can have, and what Spark needs for it."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.model.connectors.avro import AVRO
from airflow_nrt.model.connectors.csv import check_csv, check_written_csv
from airflow_nrt.model.connectors.raw import RAW, check_file
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import Table


class FileFormat:
    """A value of the option 'format' of tables of files."""

    jars: tuple[str, ...] = ()
    """What Spark needs for it, by the names of `basics/jars.py`."""

    def check(self, table: Table) -> None:
        """Raises InputError if the columns of a table can't be read so."""
        return

    def check_written(self, table: Table) -> None:
        """Raises InputError if a table, of which `check` is content, can't be written so."""
        return


class _Csv(FileFormat):
    def check(self, table: Table) -> None:
        check_csv(table)

    def check_written(self, table: Table) -> None:
        check_written_csv(table)
        if source_option(table.options, "csv.disable-quote-character"):
            raise InputError(
                f"table {table.name!r}: 'csv.disable-quote-character': a sink quotes what holds a delimiter, to be "
                "read again: leave it out, or choose a 'csv.field-delimiter' that no text has"
            )


class _Changes(FileFormat):
    def check(self, table: Table) -> None:
        mapped = next((column for column in table.physical if column.type.holds("MAP")), None)
        if mapped is not None and not table.primary_key:
            raise MissingError(
                f"table {table.name!r}: column {mapped.name!r}: a row with a MAP that changes without a key",
                "declare PRIMARY KEY (…) NOT ENFORCED",
            )


class _SourceOnly(FileFormat):
    def check_written(self, table: Table) -> None:
        raise MissingError(f"table {table.name!r}: a sink with 'format' = '{table.format}'", "use csv, json or parquet")


class _Raw(_SourceOnly):
    def check(self, table: Table) -> None:
        check_file(table)


class _Avro(_SourceOnly):
    jars = ("avro",)


FILE_FORMATS: dict[str, FileFormat] = {
    "csv": _Csv(),
    "json": FileFormat(),
    "parquet": FileFormat(),
    **dict.fromkeys(CHANGE_FORMATS, _Changes()),
    RAW: _Raw(),
    "orc": _SourceOnly(),
    AVRO: _Avro(),
}


def file_format_of(table: Table) -> FileFormat:
    return FILE_FORMATS[table.format]
