"""The rows of a windowing function, kept until their windows are complete: below Top-N, deduplication and joins."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.report.hidden import POSITION
from airflow_nrt.report.operators import Query, WindowAggregate
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.types import POSITION_TYPE, Field
from airflow_nrt.report.window_columns import ROLES, bounds
from airflow_nrt.report.written import Written
from airflow_nrt.sql.findings import Findings
from airflow_nrt.sql.relation import Relation, raw_windows

_NAMES = {role: name for name, role in ROLES.items()}


def place(name: str) -> str:
    """SQL of where a row stood on arrival, under this name."""
    return f"struct({', '.join(f'{POSITION}.{part} AS {part}' for part, _ in POSITION_TYPE.children)}) AS {name}"


def finished(found: Findings, relation: Relation) -> Relation:
    """The relation as rows of finished windows, if it is a windowing function of which nothing was computed yet."""
    if relation.pending is None:
        return relation
    if relation.is_changing:
        # Its windows are never complete.
        found.note_all_columns(relation)
        return raw_windows(relation)
    assert relation.rowtime_type is not None
    # A row is in all of its windows: only aggregates have updates.
    window = replace(relation.pending, only_updates=False)
    found.note_all_columns(relation)
    plain = [column for column in relation.columns if column.role is None]
    fields = tuple(Field(f"k{n}", column.type) for n, column in enumerate(plain))
    kept = [f"{quote(column.name)} AS {field.name}" for column, field in zip(plain, fields)]
    operator = found.share_operator(
        WindowAggregate(
            name="",
            input=Query(
                f"SELECT {', '.join([*kept, place('p'), *relation.hidden])} FROM {relation.text}",
                relation.inputs,
                fields,
            ),
            sources=found.sources_of(relation),
            window=window,
            keys=(*fields, Field("p", POSITION_TYPE)),
            aggregates=(),
            rowtime_type=relation.rowtime_type,
            clock=relation.clock,
            keeps_rows=True,
            partition=tuple(
                field.name for column, field in zip(plain, fields) if column.name in (relation.partition or ())
            ),
            written=Written(tuple((field.name, column.name) for column, field in zip(plain, fields))),
        )
    )
    names = {column.name: field.name for column, field in zip(plain, fields)}
    items = [f"{names.get(c.name) or _NAMES[c.role or '']} AS {quote(c.name)}" for c in relation.columns]
    return Relation(
        f"(SELECT {', '.join([*items, f'p AS {POSITION}', *bounds(operator.window)])} FROM {quote(operator.name)})",
        relation.columns,
        (operator.name,),
        hidden=(*bounds(operator.window), POSITION),
        window=window,
        rowtime_type=relation.rowtime_type,
    )
