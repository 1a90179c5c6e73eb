"""A source with PRIMARY KEY … NOT ENFORCED: a table of the newest row of each key."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.report.hidden import AFTER, CHANGE_HIDDEN, POSITION, key_of
from airflow_nrt.report.operators import Query
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import Table
from airflow_nrt.report.types import BIGINT, Field
from airflow_nrt.report.updating import UpdatingRows
from airflow_nrt.sql.around import Around
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.findings import Boundless, Findings
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.scope import ScopeColumn

_PLACES = ("file", "block", "row")


def newest_rows(found: Findings, rows: Relation, table: Table, around: Around, at: Place) -> Relation:
    """The rows of a source as a table: of a key the last by rowtime, of equal ones the last to arrive.

    Kept are the columns that the SELECT `around` looks at.
    """
    columns = tuple(column for column in rows.columns if around.reads(column.name) or column.name in table.primary_key)
    found.used[table.name].update(column.name for column in columns)
    keys = tuple(Field(f"k{n}", table.column(name).type) for n, name in enumerate(table.primary_key))
    fields = tuple(Field(f"c{n}", column.type) for n, column in enumerate(columns))
    time = () if table.watermark is None else (Field("t", table.rowtime_type),)
    items = [f"{quote(name)} AS {key.name}" for name, key in zip(table.primary_key, keys)]
    items += [f"{quote(column.name)} AS {field.name}" for column, field in zip(columns, fields)]
    items += [f"{table.watermark.rowtime} AS t"] if table.watermark is not None else []
    items.append(f"struct({', '.join(f'{POSITION}.{part} AS {part}' for part in _PLACES)}) AS p")
    partition = ", ".join([AFTER, *(key.name for key in keys)])
    last = ", ".join(f"{name} DESC" for name in (*(field.name for field in time), *(f"p.{part}" for part in _PLACES)))
    number = f"CAST(row_number() OVER (PARTITION BY {partition} ORDER BY {last}) AS BIGINT)"
    operator = UpdatingRows(
        name="",
        input=Query(f"SELECT {', '.join(items)} FROM {rows.text}", rows.inputs, keys),
        keys=keys,
        columns=(*fields, *time),
        computed=((Field("r0", BIGINT), number),),
        identity=key_of([key.name for key in keys]),
        limit=1,
    )
    clause = "leave PRIMARY KEY away to read its rows one by one"
    shared = found.share_updating(operator, Boundless(f"the update table {table.name!r}", clause, at))
    return as_table(shared.name, columns, fields, table)


def as_table(operator: str, columns: tuple[ScopeColumn, ...], fields: tuple[Field, ...], table: Table) -> Relation:
    """The result of an operator under the columns of the source that it keeps."""
    items = [f"{field.name} AS {quote(column.name)}" for column, field in zip(columns, fields)]
    return Relation(
        f"(SELECT {', '.join([*items, *CHANGE_HIDDEN])} FROM {quote(operator)})",
        tuple(replace(column, proctime=False) for column in columns),
        (operator,),
        hidden=CHANGE_HIDDEN,
        unique=(table.primary_key,) if table.primary_key else (),
    )
