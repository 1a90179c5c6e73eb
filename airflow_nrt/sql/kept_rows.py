"""The rows of a windowing function, kept until their windows are complete: below Top-N, deduplication and joins."""

from __future__ import annotations

from airflow_nrt.report.plan import POSITION, Query, WindowAggregate
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.types import DataType, Field
from airflow_nrt.report.window_columns import ROLES, bounds
from airflow_nrt.sql.findings import Findings
from airflow_nrt.sql.relation import Relation

_NAMES = {role: name for name, role in ROLES.items()}
_POSITION = DataType("ROW", children=tuple((name, DataType("BIGINT")) for name in ("file", "block", "row")))


def finished(found: Findings, relation: Relation) -> Relation:
    """The relation as rows of finished windows, if it is a windowing function of which nothing was computed yet."""
    if relation.pending is None:
        return relation
    assert relation.rowtime_type is not None
    found.note_all_columns(relation)
    plain = [column for column in relation.columns if column.role is None]
    fields = tuple(Field(f"k{n}", column.type) for n, column in enumerate(plain))
    kept = [f"{quote(column.name)} AS {field.name}" for column, field in zip(plain, fields)]
    place = f"struct({', '.join(f'{POSITION}.{name} AS {name}' for name, _ in _POSITION.children)}) AS p"
    operator = found.share_operator(
        WindowAggregate(
            name="",
            input=Query(
                f"SELECT {', '.join([*kept, place, *relation.hidden])} FROM {relation.text}", relation.inputs, fields
            ),
            sources=found.sources_of(relation),
            window=relation.pending,
            keys=(*fields, Field("p", _POSITION)),
            aggregates=(),
            rowtime_type=relation.rowtime_type,
            clock=relation.clock,
            keeps_rows=True,
            partition=tuple(
                field.name for column, field in zip(plain, fields) if column.name in (relation.partition or ())
            ),
        )
    )
    names = {column.name: field.name for column, field in zip(plain, fields)}
    items = [f"{names.get(c.name) or _NAMES[c.role or '']} AS {quote(c.name)}" for c in relation.columns]
    return Relation(
        f"(SELECT {', '.join([*items, f'p AS {POSITION}', *bounds(operator.window)])} FROM {quote(operator.name)})",
        relation.columns,
        (operator.name,),
        hidden=(*bounds(operator.window), POSITION),
        window=relation.pending,
        rowtime_type=relation.rowtime_type,
    )
