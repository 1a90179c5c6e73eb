"""Connector `filesystem`: directories of files."""

from __future__ import annotations

from typing import ClassVar

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.partition_pattern import check_pattern
from airflow_nrt.basics.types import BIGINT, STRING, DataType
from airflow_nrt.model.connectors.connector import Connector, Metadata
from airflow_nrt.model.connectors.file_formats import file_format_of
from airflow_nrt.model.datasets import DatasetName, of_path
from airflow_nrt.model.options.known import FILE_OPTIONS, FORMATS, LIVE, sink_option, source_option
from airflow_nrt.model.tables import MODIFIED, SIZE, SOURCE_FILE, Table

_PATH = f"url_decode(replace({SOURCE_FILE}, '+', '%2B'))"
WRITTEN_AT = "file.modification-time"
"""The METADATA key of the time at which the file of a row was written."""
INSTANT = DataType("TIMESTAMP_LTZ", precision=3, nullable=False)


class Filesystem(Connector):
    name = "filesystem"
    arrival = WRITTEN_AT
    options = FILE_OPTIONS
    # The reader of files adds these columns where a table declares them.
    metadata: ClassVar = {
        "file.path": Metadata(_PATH, STRING, lambda kind: kind.is_string),
        "file.name": Metadata(f"regexp_extract({_PATH}, '[^/]*$', 0)", STRING, lambda kind: kind.is_string),
        "file.size": Metadata(SIZE, BIGINT, lambda kind: kind.name == "BIGINT"),
        WRITTEN_AT: Metadata(MODIFIED, INSTANT, lambda kind: (kind.name, kind.precision) == ("TIMESTAMP_LTZ", 3)),
    }

    def check_source(self, table: Table) -> None:
        self._check(table)
        if all(source_option(table.options, one) for one in ("json.fail-on-missing-field", "json.ignore-parse-errors")):
            raise InputError(
                f"table {table.name!r}: 'json.fail-on-missing-field' and 'json.ignore-parse-errors' contradict each "
                "other: leave one out"
            )
        pattern = table.options.get("partition.time-extractor.timestamp-pattern")
        try:
            if pattern is not None:
                check_pattern(pattern, table.partition_keys)
        except InputError as wrong:
            raise InputError(f"table {table.name!r}: {wrong}") from None

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        return (of_path(table.path),)

    def check_dimension(self, table: Table) -> None:
        self.check_source(table)
        if table.is_changelog:
            raise MissingError(
                f"table {table.name!r}: a lookup join with 'format' = '{table.format}'", "use csv, json or parquet"
            )
        if self.is_live(table):
            raise InputError(
                f"table {table.name!r}: '{LIVE}' is of a table that is read row by row: leave it out, because each "
                "batch looks for changed files of a table that is looked up"
            )

    def check_sink(self, table: Table) -> None:
        self._check(table)
        file_format_of(table).check_written(table)
        if table.name.startswith(("_", ".")):
            raise InputError(
                f"table {table.name!r}: its files are named after it, and files that begin with {table.name[0]!r} are "
                "hidden from readers: give it another name"
            )

    def _check(self, table: Table) -> None:
        self.check_options(table)
        for name in ("path", "format"):
            if name not in table.options:
                raise InputError(f"table {table.name!r} needs the option '{name}'")
        foreign = next((name for name in table.options if name.split(".")[0] in {*FORMATS} - {table.format}), None)
        if foreign is not None:
            raise InputError(
                f"table {table.name!r}: option {foreign!r} is of another format than its 'format', {table.format!r}"
            )
        file_format_of(table).check(table)
        scheme, separator, _ = table.options["path"].partition("://")
        if separator and scheme != "file":
            raise InputError(
                f"table {table.name!r}: paths of {scheme}:// are not there yet; use a path of a POSIX file system"
            )

    def jars(self, table: Table) -> tuple[str, ...]:
        return file_format_of(table).jars

    def directory(self, table: Table) -> str:
        return table.path.removeprefix("file://")

    def keeps_exactly(self, table: Table) -> bool:
        # A csv file without a literal for NULL has nothing in its place, and nothing in the place of an empty text.
        texts = any(one.type.is_string for one in table.physical if one.name not in table.partition_keys)
        return table.format != "csv" or sink_option(table.options, "csv.null-literal") is not None or not texts

    def keeps_samples(self, table: Table) -> bool:
        return not table.is_changelog

    def place(self, table: Table) -> str:
        return table.path

    def takes_changes_as_such(self, table: Table) -> bool:
        return table.is_changelog

    def replaces_rows(self, table: Table) -> bool:
        return not table.is_changelog and bool(table.primary_key)
