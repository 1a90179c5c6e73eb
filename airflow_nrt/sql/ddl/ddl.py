"""CREATE TABLE, checked: columns and their order, computed columns, keys, options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os.path import normpath
from pathlib import Path

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.model.connectors import CONNECTORS, connector_of
from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import DOMAIN, check_options
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Column, Table, Watermark
from airflow_nrt.model.value_places import OF_READER
from airflow_nrt.sql.ddl.like import taken_over
from airflow_nrt.sql.ddl.metadata import is_system_rowtime, metadata_column, rowtime_of_source
from airflow_nrt.sql.ddl.watermark import declare_watermark
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import TimeAttribute
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.meaning import words_of
from airflow_nrt.sql.parse.walk import children


class Misdeclared(SqlErrors):
    """A declaration is wrong. Its queries can be checked with `table`, unless its columns are wrong, too (None)."""

    def __init__(self, problems: Sequence[SqlError], table: Table | None) -> None:
        super().__init__(problems)
        self.table = table


def declare(statement: parsed.CreateTable, known: Mapping[str, Table]) -> Table:
    """The table that a statement declares. `known` are the tables for LIKE. Raises Misdeclared with all errors."""
    problems = Problems()
    base = problems.attempt(partial(_base, statement, known))
    if statement.like is not None and base is None:
        raise Misdeclared(problems.errors, None)
    options = dict(base.options) if base else {}
    options.update((key, value) for key, value, _ in statement.options)
    connector = options.get("connector", "")
    columns = problems.attempt(partial(_columns, statement, base, CONNECTORS.get(connector)))
    watermark = base.watermark if base else None
    if statement.watermark is not None and columns is not None:
        known_connector = CONNECTORS.get(connector)
        watermark = problems.attempt(partial(declare_watermark, statement.watermark, columns, known_connector))
    valid_columns = columns if not problems.errors else None
    if connector in CONNECTORS:
        _check_options(statement, CONNECTORS[connector].options, problems)
    else:
        # Without a known connector the options can't be checked.
        problems.errors.append(SqlError(_connector_error(statement.name, options.get("connector")), statement.at))
    partition_keys = statement.partition_keys or (base.partition_keys if base else ())
    primary_key = statement.primary_key or (base.primary_key if base else ())
    if columns is not None:
        _check_keys(statement, columns, partition_keys, options, problems)
    if problems.errors or columns is None:
        stand_in = _stand_in(statement.name, valid_columns, watermark, options) if valid_columns is not None else None
        raise Misdeclared(problems.errors, stand_in)
    has_upserts = CONNECTORS[connector].has_upserts
    return Table(statement.name, columns, connector, watermark, partition_keys, primary_key, options, has_upserts)


def _stand_in(name: str, columns: tuple[Column, ...], watermark: Watermark | None, options: Mapping[str, str]) -> Table:
    """A table with these columns and valid options. It is never read: it serves to check queries."""
    given = options.get("format", "").lower()
    form = given if given in CHANGE_FORMATS else "json"
    valid = {"connector": "filesystem", "path": "/nowhere", "format": form}
    return Table(name, columns, "filesystem", watermark, options=valid)


def _check_keys(
    statement: parsed.CreateTable,
    columns: Sequence[Column],
    partition_keys: Sequence[str],
    options: Mapping[str, str],
    problems: Problems,
) -> None:
    kinds = {column.name: column.type for column in columns}
    for key in (*partition_keys, *statement.primary_key):
        if key not in kinds:
            problems.errors.append(SqlError(f"table {statement.name!r} has no column {key!r}", statement.at))
    for key in partition_keys:
        if key in kinds and kinds[key].name == "TIME":
            wrong = f"can't be partitioned by {key!r}, which is TIME: declare it as STRING, and CAST the value"
            problems.errors.append(SqlError(f"table {statement.name!r} {wrong}", statement.at))
    for key in _domains(options):
        if key not in kinds:
            wrong = f"table {statement.name!r} has no column {key!r} with a domain"
            problems.errors.append(SqlError(wrong, statement.at))


def _domains(options: Mapping[str, str]) -> list[str]:
    return [key.removeprefix(DOMAIN) for key in options if key.startswith(DOMAIN)]


def _check_options(statement: parsed.CreateTable, known: Mapping[str, Option], problems: Problems) -> None:
    for key, value, at in statement.options:
        try:
            check_options({key: value}, known, f"table {statement.name!r}")
        except InputError as wrong:
            problems.errors.append(SqlError(str(wrong), at))


def check_source(table: Table, at: Place) -> None:
    """Raises SqlError if the table can't be read."""
    _check(connector_of(table).check_source, table, at)


def check_dimension(table: Table, at: Place) -> None:
    """Raises SqlError if the table can't be looked up."""
    _check(connector_of(table).check_dimension, table, at)


def placed(table: Table, base: Path) -> Table:
    """The table with absolute paths without `..`, as Spark spells the paths of its files."""
    given = {name: table.options[name] for name in connector_of(table).paths if name in table.options}
    local = {name: path for name, path in given.items() if "://" not in path or path.startswith("file://")}
    found = {name: normpath(base / path.removeprefix("file://")) for name, path in local.items()}
    return with_options(table, found) if found else table


def check_sink(table: Table, at: Place) -> None:
    """Raises SqlError if the table can't be written to."""
    _check(connector_of(table).check_sink, table, at)


def check_sole(insert: Insert, others: Iterable[Insert], at: Place) -> None:
    """Raises SqlError if another INSERT writes into the same table, and the connector can't tell their rows apart."""
    sink, connector = insert.sink, connector_of(insert.sink)
    same = (one for one in others if one is not insert and one.sink.connector == sink.connector)
    if not connector.shares_tables and any(connector.place(one.sink) == connector.place(sink) for one in same):
        raise SqlError(
            f"table {sink.name!r}: another INSERT writes into {connector.place(sink)}, and a newer version of a window "
            "would replace the rows of both: give each a table of its own",
            at,
        )


def check_windows(insert: Insert, at: Place) -> None:
    """Raises SqlError if the sink can't take the windows of an insert."""
    if insert.window is not None:
        window, end = insert.window, insert.end_column
        _check(lambda table: connector_of(table).check_windows(table, window, end), insert.sink, at)


def _check(check: Callable[[Table], None], table: Table, at: Place) -> None:
    try:
        check(table)
    except MissingError as wrong:
        raise NotThereYet(wrong.what, at, wrong.instead) from None
    except InputError as wrong:
        raise SqlError(str(wrong), at) from None


def _base(statement: parsed.CreateTable, known: Mapping[str, Table]) -> Table | None:
    if statement.like is None:
        return None
    if statement.like not in known:
        raise SqlError(f"there is no table {statement.like!r}{nearest(statement.like, known)}", statement.at)
    return taken_over(statement, known[statement.like])


def _connector_error(name: str, connector: str | None) -> str:
    if connector is None:
        return f"table {name!r} needs the option 'connector'"
    *others, last = map(repr, CONNECTORS)
    hint = nearest(connector, CONNECTORS) or f"; there are {', '.join(others)} and {last}"
    return f"table {name!r}: there is no connector {connector!r}{hint}"


# ---------------------------------------------------------------------------------------------------- columns


def _columns(statement: parsed.CreateTable, base: Table | None, connector: Connector | None) -> tuple[Column, ...]:
    physical = [ScopeColumn(c.name, c.type) for c in (base.physical if base else ())]
    for definition in statement.columns:
        if definition.type is not None:
            physical.append(ScopeColumn(definition.name, definition.type))
    compiler = Compiler(Scope(physical, has_batch=True), place=lambda: OF_READER)
    columns = {column.name: column for column in (base.columns if base else ())}
    computed = {column.name for column in statement.columns if column.expression is not None}
    problems = Problems()
    for definition in statement.columns:
        if definition.name in columns:
            problems.errors.append(SqlError(f"column {definition.name!r} is declared twice", definition.at))
            continue
        column = problems.attempt(partial(_column, definition, computed, compiler, connector))
        if column is not None:
            columns[column.name] = column
    problems.raise_any()
    if not columns:
        raise SqlError(f"table {statement.name!r} has no columns", statement.at)
    return tuple(columns.values())


def _column(
    definition: parsed.ColumnDefinition, computed: set[str], compiler: Compiler, connector: Connector | None
) -> Column:
    if definition.name.startswith("_nrt_"):
        raise SqlError(f"column {definition.name!r}: names that begin with _nrt_ are taken", definition.at)
    if definition.metadata is not None:
        return metadata_column(definition, connector)
    if is_system_rowtime(definition.expression):
        return rowtime_of_source(definition, connector)
    if definition.type is not None:
        if definition.type.name == "INTERVAL":
            raise NotThereYet("a column of type INTERVAL", definition.at)
        return Column(definition.name, definition.type)
    assert definition.expression is not None
    _check_reads(definition.expression, computed)
    typed = compiler.compile(definition.expression)
    reads, text = tuple(sorted(typed.columns)), words_of(definition.expression)
    by_clock = typed.time_attribute is TimeAttribute.PROCTIME
    return Column(definition.name, typed.type, typed.sql, reads, text=text, proctime=by_clock)


def _check_reads(node: ast.Expression, computed: set[str]) -> None:
    """Raises SqlError if a computed column reads another computed one, as in Flink."""
    if isinstance(node, ast.Name) and node.parts[0] in computed:
        raise SqlError(f"column {node.parts[0]!r} is computed itself: write its expression here", node.at)
    for child in children(node):
        _check_reads(child, computed)


def scope_columns(table: Table) -> tuple[ScopeColumn, ...]:
    """The columns of a table as a query sees them, with its time attribute."""
    watermark = table.watermark
    return tuple(
        ScopeColumn(column.name, column.type, proctime=column.proctime, constant=column.name in table.constant)
        if watermark is None or watermark.column != column.name
        else ScopeColumn(column.name, column.type, rowtime=not watermark.path, rowtime_path=watermark.path)
        for column in table.columns
    )


def with_options(table: Table, options: Mapping[str, str]) -> Table:
    """The table with some options replaced, as by an OPTIONS hint."""
    return replace(table, options={**table.options, **options})
