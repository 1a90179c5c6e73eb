"""Whose a table is: one home publishes into it, from the log entry on at which it took the table."""

from __future__ import annotations

from airflow_nrt.basics.errors import FencedError, InputError
from airflow_nrt.engine.sinks.lakehouse.columns import check_columns, columns_sql
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors.lakehouse import CREATE

OWNER, SINCE, KEY = "airflow-nrt.home", "airflow-nrt.since", "airflow-nrt.primary-key"
"""Properties of a table: the id of the home, the last entry of its log when it took the table, and the columns by which
rows are replaced."""


def writer_of(home: Home, table: LakeTable) -> str:
    """The name of a home's insert in the marks of commits."""
    return f"airflow-nrt/{home.identity().id}/{table.insert.name}"


def claim(table: LakeTable, home: Home, may_create: bool) -> None:
    """Makes the table if it may, and takes it for a home.

    Raises InputError if it is another home's, if its columns don't fit, or if the home is an older copy of itself.
    """
    sink, owner = table.insert.sink, home.identity().id
    own = owned_by(home, table, home.log().last)
    if not check_table(table, may_create):
        table.create(columns_sql(sink.physical), own)
        check_table(table, may_create)
    properties = table.properties()
    if OWNER not in properties:
        table.set_properties(own)
    elif properties[OWNER] != owner:
        raise InputError(
            f"table {sink.name!r}: another home publishes to table {table.name} (its id is {properties[OWNER]}). Is "
            f"the path of this home right, {home.path}? Else give this report a table of its own, or remove the "
            f"property '{OWNER}' if that home is gone"
        )
    _check_log(table, home)


def owned_by(home: Home, table: LakeTable, since: int) -> dict[str, str]:
    """The properties of a table that a home has taken at an entry of its log."""
    own = {OWNER: home.identity().id, SINCE: str(since)}
    key = table.insert.sink.primary_key
    return {**own, KEY: ", ".join(key)} if key else own


def release(table: LakeTable, home: Home) -> None:
    """Gives a table up, so that another home can take it. Its rows and their history stay."""
    if table.schema() is not None and table.properties().get(OWNER) == home.identity().id:
        table.remove_properties((OWNER, SINCE))


def check_table(table: LakeTable, may_create: bool) -> bool:
    """Whether there is a table; if there is none, it may be made. Raises InputError if its columns don't fit."""
    sink, schema = table.insert.sink, table.schema()
    if schema is not None:
        check_columns(sink, schema, table.name)
    elif not may_create:
        raise InputError(
            f"table {sink.name!r}: there is no table {table.name}: create it, or set '{CREATE}' = 'true'. Its columns "
            f"would be: {columns_sql(sink.physical)}"
        )
    return schema is not None


def _check_log(table: LakeTable, home: Home) -> None:
    last = table.published(writer_of(home, table))
    # Read after the mark: a driver may be publishing.
    if last is not None and last > home.log().last:
        raise InputError(
            f"table {table.insert.sink.name!r}: table {table.name} has results of log entry {last}, and the log of "
            f"{home.path} ends with {home.log().last}: the home is an older copy of itself. Use a new home and a new "
            "table, or restore the newer home"
        )


def published_until(table: LakeTable, home: Home) -> int:
    """The log entry up to which the table has the results of its insert.

    Raises InputError if the table is gone, FencedError if it is another home's by now.
    """
    where = f"table {table.insert.sink.name!r}: table {table.name}"
    if table.schema() is None:
        raise InputError(
            f"{where} is gone: restore it. Or start again with '{CREATE}' = 'true', which makes an empty one, and let "
            "a backfill publish its windows"
        )
    properties = table.properties()
    if properties.get(OWNER) != home.identity().id:
        raise FencedError(f"{where} is another home's by now")
    marked = table.published(writer_of(home, table))
    return max(int(properties.get(SINCE, -1)), -1 if marked is None else marked)
