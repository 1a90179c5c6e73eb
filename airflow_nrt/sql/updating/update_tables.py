"""Sources that are tables: those with a PRIMARY KEY, which have the newest row of each key, and changelogs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT, POSITION_TYPE, Field
from airflow_nrt.model.internal_columns import AFTER, ALIVE, CHANGE_HIDDEN, KEY, OP, POSITION, key_of
from airflow_nrt.model.operators import AggregateCall, Query
from airflow_nrt.model.tables import Table
from airflow_nrt.model.updating import UpdatingAggregate, UpdatingRows
from airflow_nrt.model.written import Written
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.scan import Changes, Newest
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.updating.sliding import ways_to_bound

_POSITION_PARTS = ("file", "block", "row")
_BOUNDED = "read a copy of it that ends"


def newest_rows(findings: Findings, rows: Relation, table: Table, demand: Demand, at: Place) -> Relation:
    """A source as a table: for each key the row with the last rowtime. If several are equal, the last one to arrive.

    Only the columns of the `demand` are kept.
    """
    columns, fields = _read(findings, rows, table, demand)
    keys = _keys(table)
    time = () if table.watermark is None else (Field("t", table.rowtime_type),)
    items = [*_items(columns, fields), *_items_of_key(table)]
    items += [f"{table.watermark.rowtime} AS t"] if table.watermark is not None else []
    items.append(f"struct({', '.join(f'{POSITION}.{part} AS {part}' for part in _POSITION_PARTS)}) AS p")
    items += CHANGE_HIDDEN if rows.is_changing else []
    partition = ", ".join([AFTER, *([ALIVE] if rows.is_changing else []), *(key.name for key in keys)])
    last = ", ".join(
        f"{name} DESC" for name in (*(field.name for field in time), *(f"p.{part}" for part in _POSITION_PARTS))
    )
    number = f"CAST(row_number() OVER (PARTITION BY {partition} ORDER BY {last}) AS BIGINT)"
    operator = UpdatingRows(
        name="",
        input=Query(f"SELECT {', '.join(items)} FROM {rows.text}", rows.inputs, keys),
        keys=keys,
        columns=(*fields, *time, *([Field("p", POSITION_TYPE)] if rows.is_changing else [])),
        computed=((Field("r0", BIGINT), number),),
        identity=key_of([key.name for key in keys]),
        # If the newest row can be removed, an older one takes its place.
        limit=None if rows.is_changing else 1,
        changing=rows.is_changing,
        constant=_is_constant(columns, table.primary_key),
        written=_written(table),
    )
    shared = findings.share_updating(
        operator, _boundless(table, "leave PRIMARY KEY out to read its rows one by one", demand, at)
    )
    newest = f"(SELECT * FROM {quote(shared.name)} WHERE r0 = 1)"
    node = Newest(rows.node, table.primary_key, operators=(shared.name,))
    return _as_table(newest, columns, fields, node, rows, table)


def changing_rows(findings: Findings, rows: Relation, table: Table, demand: Demand, at: Place) -> Relation:
    """A changelog as a table: with a key the last change of each key to arrive, without one every change."""
    columns, fields = _read(findings, rows, table, demand)
    if not table.primary_key:
        return _counted_rows(findings, rows, table, columns, demand, at)
    keys = _keys(table)
    items = [*_items(columns, fields), *_items_of_key(table), f"{OP} = '+I' AS {AFTER}"]
    names = ", ".join(map(quote, table.primary_key))
    latest = ", ".join(f"{POSITION}.{part} DESC" for part in _POSITION_PARTS)
    last = f"row_number() OVER (PARTITION BY {names} ORDER BY {latest})"
    net = f"SELECT {', '.join(items)} FROM (SELECT *, {last} AS _nrt_last FROM {rows.text}) WHERE _nrt_last = 1"
    identity = key_of([key.name for key in keys])
    operator = UpdatingRows(
        name="",
        input=Query(f"SELECT *, {identity} AS {KEY} FROM ({net})", rows.inputs, keys),
        keys=keys,
        columns=fields,
        computed=(),
        identity=identity,
        changing=True,
        constant=_is_constant(columns, table.primary_key),
        written=_written(table),
    )
    shared = findings.share_updating(operator, _boundless(table, _BOUNDED, demand, at))
    node = Newest(rows.node, table.primary_key, operators=(shared.name,))
    return _as_table(quote(shared.name), columns, fields, node, rows, table)


def _counted_rows(
    findings: Findings, rows: Relation, table: Table, columns: tuple[ScopeColumn, ...], demand: Demand, at: Place
) -> Relation:
    """A changelog without a key. A row is identified by its values, and is there once for each +I without a -D."""
    fields = tuple(Field(f"k{n}", column.type) for n, column in enumerate(columns))
    items = [*_items(columns, fields), f"IF({OP} = '+I', 1L, -1L) AS v0"]
    hidden = CHANGE_HIDDEN if rows.is_changing else (POSITION,)
    count = AggregateCall("a0", "SUM", "v0", BIGINT, None, False, BIGINT, "changes of a row")
    operator = UpdatingAggregate(
        name="",
        input=Query(f"SELECT {', '.join([*items, *hidden])} FROM {rows.text}", rows.inputs, fields),
        keys=fields,
        aggregates=(count,),
        arguments=("v0",),
        changing=rows.is_changing,
        constant=_is_constant(columns, [column.name for column in columns]),
        written=Written(tuple((field.name, column.name) for column, field in zip(columns, fields))),
    )
    shared = findings.share_updating(operator, _boundless(table, _BOUNDED, demand, at))
    each = f"SELECT *, explode(sequence(1L, a0)) AS _nrt_n FROM {quote(shared.name)} WHERE a0 > 0"
    key = f"{key_of([f'{KEY} AS row', '_nrt_n AS n'])} AS {KEY}"
    text = f"(SELECT * EXCEPT ({KEY}), {key} FROM ({each}))"
    return _as_table(text, columns, fields, Changes(rows.node, operators=(shared.name,)), rows, table)


def _read(
    findings: Findings, rows: Relation, table: Table, demand: Demand
) -> tuple[tuple[ScopeColumn, ...], tuple[Field, ...]]:
    """The columns that are kept, and their fields in the operator."""
    columns = tuple(column for column in rows.columns if demand.reads(column.name) or column.name in table.primary_key)
    findings.used[table.name].update(column.name for column in columns)
    return columns, tuple(Field(f"c{n}", column.type) for n, column in enumerate(columns))


def _is_constant(columns: tuple[ScopeColumn, ...], names: Sequence[str]) -> bool:
    """Whether the domains of these columns do not grow."""
    return all(column.constant for column in columns if column.name in names)


def _keys(table: Table) -> tuple[Field, ...]:
    return tuple(Field(f"k{n}", table.column(name).type) for n, name in enumerate(table.primary_key))


def _written(table: Table) -> Written:
    return Written(tuple((field.name, name) for field, name in zip(_keys(table), table.primary_key)))


def _items(columns: tuple[ScopeColumn, ...], fields: tuple[Field, ...]) -> list[str]:
    """SQL of the columns, as the fields of the operator.

    `shop` AS k0
    `seen` AS k1
    """
    return [f"{quote(column.name)} AS {field.name}" for column, field in zip(columns, fields)]


def _items_of_key(table: Table) -> list[str]:
    """SQL of the columns of the key.

    `id` AS k0
    """
    return [f"{quote(name)} AS {key.name}" for name, key in zip(table.primary_key, _keys(table))]


def _boundless(table: Table, clause: str, demand: Demand, at: Place) -> Boundless:
    time = table.watermark.name if table.watermark is not None and demand.select is not None else None
    growing = [name for name in table.primary_key if name not in table.constant]
    by_time = None if table.is_changelog and table.primary_key else time
    ways = ways_to_bound(table.name, by_time, demand.where, growing)
    kind = "changelog" if table.is_changelog else "update table"
    return Boundless(f"the {kind} {table.name!r}", clause, at, ways)


def _as_table(
    text: str, columns: tuple[ScopeColumn, ...], fields: tuple[Field, ...], node: Node, rows: Relation, table: Table
) -> Relation:
    """The result of a node's operators over the rows of a source, with the columns that they keep."""
    items = [f"{field.name} AS {quote(column.name)}" for column, field in zip(columns, fields)]
    return replace(
        rows,
        text=f"(SELECT {', '.join([*items, *CHANGE_HIDDEN])} FROM {text})",
        columns=tuple(replace(column, proctime=False) for column in columns),
        inputs=node.operators,
        node=node,
        hidden=CHANGE_HIDDEN,
        scan=None,
        unique=(table.primary_key,) if table.primary_key else (),
    )
