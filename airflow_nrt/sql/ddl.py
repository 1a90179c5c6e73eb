"""CREATE TABLE, checked: columns and their order, computed columns, keys, options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from airflow_nrt.report.errors import InputError
from airflow_nrt.report.option import Option
from airflow_nrt.report.options import (
    DOMAIN,
    FILE_OPTIONS,
    FORMATS,
    PRINT_OPTIONS,
    check_options,
    nearest,
    source_option,
)
from airflow_nrt.report.partitions import check_pattern
from airflow_nrt.report.tables import Column, Table
from airflow_nrt.sql import ast, parsed
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions import Compiler
from airflow_nrt.sql.functions.clock import PROCTIME_SQL
from airflow_nrt.sql.like import taken_over
from airflow_nrt.sql.metadata import is_system_rowtime, metadata_column, rowtime_of_source
from airflow_nrt.sql.scope import Scope, ScopeColumn
from airflow_nrt.sql.walk import children
from airflow_nrt.sql.watermark import declare_watermark

CONNECTORS = {"filesystem": FILE_OPTIONS, "print": PRINT_OPTIONS}
"""The options of each."""
_KAFKA = "let Kafka Connect write the topic into a directory, and read that by 'filesystem'"
_ELSEWHERE = {
    "kafka": _KAFKA,
    "upsert-kafka": f"{_KAFKA} in 'format' = 'debezium-json'",
    "blackhole": "write to 'print'",
}
"""Connectors of Flink that are not there, and what does instead."""


def declare(statement: parsed.CreateTable, known: Mapping[str, Table]) -> Table:
    """The table that a statement declares; `known` serves LIKE. Raises SqlError."""
    base = _base(statement, known)
    columns = _columns(statement, base)
    watermark = base.watermark if base else None
    if statement.watermark is not None:
        watermark = declare_watermark(statement.watermark, columns)
    options = dict(base.options) if base else {}
    options.update((key, value) for key, value, _ in statement.options)
    connector = options.get("connector")
    if connector not in CONNECTORS:
        # Said first: another connector has other options.
        raise SqlError(_connector_error(statement.name, connector), statement.at)
    _check_options(statement, CONNECTORS[connector])
    partition_keys = statement.partition_keys or (base.partition_keys if base else ())
    for key in (*partition_keys, *statement.primary_key):
        if key not in {column.name for column in columns}:
            raise SqlError(f"table {statement.name!r} has no column {key!r}", statement.at)
    for column in columns:
        if column.name in partition_keys and column.type.name == "TIME":
            raise SqlError(
                f"table {statement.name!r} can't be partitioned by {column.name!r}, which is TIME: let it be STRING, "
                "and CAST it",
                statement.at,
            )
    unknown = next((key for key in _domains(options) if key not in {column.name for column in columns}), None)
    if unknown is not None:
        raise SqlError(f"table {statement.name!r} has no column {unknown!r} with a domain", statement.at)
    return Table(
        statement.name,
        columns,
        connector,
        watermark,
        partition_keys,
        statement.primary_key or (base.primary_key if base else ()),
        options,
    )


def _domains(options: Mapping[str, str]) -> list[str]:
    return [key.removeprefix(DOMAIN) for key in options if key.startswith(DOMAIN)]


def _check_options(statement: parsed.CreateTable, known: Mapping[str, Option]) -> None:
    for key, value, at in statement.options:
        try:
            check_options({key: value}, known, f"table {statement.name!r}")
        except InputError as wrong:
            raise SqlError(str(wrong), at) from None


def check_source(table: Table, at: Place) -> None:
    """Raises SqlError if the table can't be read."""
    if table.connector != "filesystem":
        raise SqlError(f"table {table.name!r}: connector '{table.connector}' can only be written to", at)
    _check_file_table(table, at)
    if all(source_option(table.options, name) for name in ("json.fail-on-missing-field", "json.ignore-parse-errors")):
        raise SqlError(
            f"table {table.name!r}: 'json.fail-on-missing-field' and 'json.ignore-parse-errors' contradict each other: "
            "leave one out",
            at,
        )
    pattern = table.options.get("partition.time-extractor.timestamp-pattern")
    try:
        if pattern is not None:
            check_pattern(pattern, table.partition_keys)
    except InputError as wrong:
        raise SqlError(f"table {table.name!r}: {wrong}", at) from None


def check_sink(table: Table, at: Place) -> None:
    """Raises SqlError if the table can't be written to."""
    if table.connector == "filesystem":
        _check_file_table(table, at)
        if table.name.startswith(("_", ".")):
            raise SqlError(
                f"table {table.name!r}: its files are named after it, and files that begin with {table.name[0]!r} are "
                "hidden from readers: give it another name",
                at,
            )
        if source_option(table.options, "csv.disable-quote-character"):
            raise SqlError(
                f"table {table.name!r}: 'csv.disable-quote-character': a sink quotes what holds a delimiter, to be "
                "read again: leave it out, or choose a 'csv.field-delimiter' that no text has",
                at,
            )
        return
    try:
        check_options(table.options, PRINT_OPTIONS, f"table {table.name!r}")
    except InputError as wrong:
        raise SqlError(str(wrong), at) from None


def _check_file_table(table: Table, at: Place) -> None:
    try:
        check_options(table.options, FILE_OPTIONS, f"table {table.name!r}")
    except InputError as wrong:
        raise SqlError(str(wrong), at) from None
    for name in ("path", "format"):
        if name not in table.options:
            raise SqlError(f"table {table.name!r} needs the option '{name}'", at)
    foreign = next((name for name in table.options if name.split(".")[0] in {*FORMATS} - {table.format}), None)
    if foreign is not None:
        raise SqlError(
            f"table {table.name!r}: option {foreign!r} is of another format than its 'format', {table.format!r}", at
        )
    nested = next((column for column in table.physical if column.type.children), None)
    mapped = next((column for column in table.physical if column.type.holds("MAP")), None)
    if mapped is not None and table.is_changelog and not table.primary_key:
        raise NotThereYet(
            f"table {table.name!r}: column {mapped.name!r}: a row with a MAP that changes without a key",
            at,
            "declare PRIMARY KEY (…) NOT ENFORCED",
        )
    if nested is not None and table.format == "csv":
        raise NotThereYet(
            f"table {table.name!r}: column {nested.name!r}: {nested.type.name} in a csv file", at, "use json or parquet"
        )
    scheme, separator, _ = table.options["path"].partition("://")
    if separator and scheme != "file":
        raise SqlError(
            f"table {table.name!r}: paths of {scheme}:// are not there yet; use a path of a POSIX file system", at
        )


def _base(statement: parsed.CreateTable, known: Mapping[str, Table]) -> Table | None:
    if statement.like is None:
        return None
    if statement.like not in known:
        raise SqlError(f"there is no table {statement.like!r}{nearest(statement.like, known)}", statement.at)
    return taken_over(statement, known[statement.like])


def _connector_error(name: str, connector: str | None) -> str:
    if connector is None:
        return f"table {name!r} needs the option 'connector'"
    hint = _ELSEWHERE.get(connector.lower(), "")
    hint = f": {hint}" if hint else nearest(connector, CONNECTORS)
    hint = hint or f"; there are {' and '.join(map(repr, CONNECTORS))}"
    return f"table {name!r}: there is no connector {connector!r}{hint}"


# ---------------------------------------------------------------------------------------------------- columns


def _columns(statement: parsed.CreateTable, base: Table | None) -> tuple[Column, ...]:
    physical = [ScopeColumn(c.name, c.type) for c in (base.physical if base else ())]
    for definition in statement.columns:
        if definition.type is not None:
            physical.append(ScopeColumn(definition.name, definition.type))
    compiler = Compiler(Scope(physical, has_batch=True))
    columns = list(base.columns) if base else []
    for definition in statement.columns:
        if definition.name in {column.name for column in columns}:
            raise SqlError(f"column {definition.name!r} stands twice", definition.at)
        if definition.name.startswith("_nrt_"):
            raise SqlError(f"column {definition.name!r}: names that begin with _nrt_ are taken", definition.at)
        if definition.metadata is not None:
            columns.append(metadata_column(definition))
        elif is_system_rowtime(definition.expression):
            columns.append(rowtime_of_source(definition.name))
        elif definition.type is not None:
            if definition.type.name == "INTERVAL":
                raise NotThereYet("a column of type INTERVAL", definition.at)
            columns.append(Column(definition.name, definition.type))
        else:
            assert definition.expression is not None
            _check_reads(definition.expression, {c.name for c in statement.columns if c.expression is not None})
            typed = compiler.compile(definition.expression)
            columns.append(Column(definition.name, typed.type, typed.sql, tuple(sorted(typed.columns))))
    if not columns:
        raise SqlError(f"table {statement.name!r} has no columns", statement.at)
    return tuple(columns)


def _check_reads(node: ast.Expression, computed: set[str]) -> None:
    """Computed columns are of columns that are not, as in Flink."""
    if isinstance(node, ast.Name) and node.parts[0] in computed:
        raise SqlError(f"column {node.parts[0]!r} is computed itself: write its expression here", node.at)
    for child in children(node):
        _check_reads(child, computed)


def scope_columns(table: Table) -> tuple[ScopeColumn, ...]:
    """The columns of a table as a query sees them, with its time attribute."""
    watermark = table.watermark
    return tuple(
        ScopeColumn(
            column.name, column.type, proctime=column.expression == PROCTIME_SQL, constant=column.name in table.constant
        )
        if watermark is None or watermark.column != column.name
        else ScopeColumn(column.name, column.type, rowtime=not watermark.path, rowtime_path=watermark.path)
        for column in table.columns
    )


def with_options(table: Table, options: Mapping[str, str]) -> Table:
    """The table with some options replaced: what an OPTIONS hint does."""
    return replace(table, options={**table.options, **options})
