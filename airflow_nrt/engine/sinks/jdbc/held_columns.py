"""What a table of a database holds of an insert: by the types of its columns there."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.held_rows import HeldRows, Limit
from airflow_nrt.engine.sinks.jdbc.column_facts import ColumnFacts, facts_of
from airflow_nrt.engine.sinks.jdbc.column_kinds import Timestamps
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.model.connectors.jdbc import TABLE
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Column
from airflow_nrt.model.windows import Window


def held_rows(database: Database, insert: Insert) -> HeldRows:
    """The rows that fit. Columns that are not read back as they were written are `unread`."""
    facts = _facts(database, insert)
    known = [(one, facts[one.name]) for one in insert.sink.physical if one.name in facts]
    kinds = database.dialect.kinds
    limits: list[Limit] = []
    seen: dict[str, str] = {}
    for column, fact in known:
        kind = kinds.get(fact.kind)
        found = kind.fits(column, fact) if kind is not None and column.name != insert.end_column else ()
        place = f"column {column.name} of table {insert.sink.options[TABLE]} ({fact})"
        limits += [Limit(fits, f"{place} {wanted}") for fits, wanted in found]
        if fact.is_required and column.type.nullable and column.name not in insert.sink.primary_key:
            limits.append(Limit(f"{quote(column.name)} IS NOT NULL", f"{place} is NOT NULL"))
        sql = kind.seen(column, fact) if kind is not None else None
        if sql is not None:
            seen[column.name] = sql
    unread = frozenset(column.name for column, fact in known if not _gives_back(database, insert, column, fact))
    return HeldRows((*limits, *_of_key(database, insert, facts), *_of_row(database, insert)), seen, unread)


def check_columns(database: Database, insert: Insert) -> None:
    """Raises InputError for a column of the database that does not give back what is written into it."""
    for column in insert.sink.physical:
        fact = _facts(database, insert).get(column.name)
        if fact is None or _gives_back(database, insert, column, fact):
            continue
        kind = database.dialect.kinds.get(fact.kind)
        if column.type.is_string and (kind is None or kind.rewrites_texts):
            continue
        wanted = database.dialect.created_type(column, column.name in insert.sink.primary_key)
        raise InputError(
            f"table {insert.sink.name!r}: column {column.name} of table {insert.sink.options[TABLE]} in the database "
            f"has the type {fact}, which does not give back {column.type.flink} as it was written: make it {wanted}"
        )


def _facts(database: Database, insert: Insert) -> dict[str, ColumnFacts]:
    """By column of the table; nothing of those that the user may not see."""
    schema, _, table = insert.sink.options[TABLE].rpartition(".")
    literal = database.dialect.literal
    rows = database.rows(database.dialect.facts(literal(schema or database.schema), literal(table)))
    return {str(name): facts_of(fields) for name, *fields in rows}


def _gives_back(database: Database, insert: Insert, column: Column, fact: ColumnFacts) -> bool:
    kind = database.dialect.kinds.get(fact.kind)
    if column.name == insert.end_column:
        # Windows are found by it, so it is no text; it needs fractions only where ends have some.
        return isinstance(kind, Timestamps) and (
            not _has_fractions(insert.window) or kind.gives_back(column.type, fact)
        )
    return kind is not None and kind.gives_back(column.type, fact)


def _has_fractions(window: Window | None) -> bool:
    """Whether windows end within a second."""
    return window is not None and window.grid.unit % SECOND != 0


def _of_key(database: Database, insert: Insert, facts: dict[str, ColumnFacts]) -> Iterator[Limit]:
    """The bound of a key's texts.

    coalesce(octet_length(`shop`), 0) + coalesce(octet_length(`city`), 0) <= 2600
    """
    most = database.dialect.longest_key
    texts = [one for one in insert.sink.physical if one.name in insert.sink.primary_key and one.type.is_string]
    lengths = [facts[one.name].length if one.name in facts else None for one in texts]
    if most is None or not texts or sum(4 * (most if one is None else one) for one in lengths) <= most:
        return
    length = " + ".join(f"coalesce(octet_length({quote(one.name)}), 0)" for one in texts)
    yield Limit(f"{length} <= {most}", f"a key of table {insert.sink.options[TABLE]} holds {most} bytes of texts")


def _of_row(database: Database, insert: Insert) -> Iterator[Limit]:
    """The bound of what is sent of a row at once.

    coalesce(octet_length(`shop`), 0) <= 16776192
    """
    most = database.dialect.longest_row(database.rows)
    long = [one for one in insert.sink.physical if one.type.is_string or one.type.is_bytes]
    if most is not None and long:
        length = " + ".join(f"coalesce(octet_length({quote(one.name)}), 0)" for one in long)
        yield Limit(f"{length} <= {most}", f"the database takes {most} bytes of texts in a row")
