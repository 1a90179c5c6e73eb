"""`WHERE rowtime BETWEEN now() - INTERVAL '1' HOUR AND now()`: the rows of the last hour of event time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import STRING, Field
from airflow_nrt.model.internal_columns import CHANGE_HIDDEN, OP, POSITION
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import DOMAIN
from airflow_nrt.model.tables import Table
from airflow_nrt.model.updating import RecentRows
from airflow_nrt.model.written import Written
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.intervals import interval_ms
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.logical.scan import Recent
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import conjuncts
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation

NOW = ("NOW", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP")
CLAUSE = "{} BETWEEN now() - INTERVAL '1' HOUR AND now()"


@dataclass(frozen=True)
class Sliding:
    """A condition for the rows of the last `span` milliseconds, by a `time` column."""

    condition: ast.Between
    time: ast.Name
    span: int


def sliding_of(where: ast.Expression | None) -> Sliding | None:
    """The first sliding condition among those that AND joins in a WHERE."""
    parts = (_sliding(part) for part in conjuncts(where)) if where is not None else ()
    return next((one for one in parts if one is not None), None)


def check_sliding(node: ast.Select, relation: Relation, alias: str | None) -> None:
    """Raises NotThereYet at a sliding condition on a rowtime, unless the scan of the table applied it already."""
    sliding = sliding_of(node.where)
    if sliding is None or sliding.condition in relation.node.held:
        return
    scope = Scope(relation.columns, alias)
    if scope.has(sliding.time) and scope.time_column(sliding.time).rowtime:
        raise NotThereYet(
            "a sliding condition on anything but a table", sliding.condition.at, "put it into SELECT … FROM table"
        )


def _sliding(part: ast.Expression) -> Sliding | None:
    match part:
        case ast.Between(ast.Name() as time, ast.Binary("-", low, ast.Interval() as span), high, False):
            if _is_now(low) and _is_now(high):
                return Sliding(part, time, interval_ms(span))
    return None


def _is_now(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.name in NOW and node.over is None


def is_over_time(sliding: Sliding, table: Table, alias: str | None) -> bool:
    """Whether the condition is on the time attribute of a table: by its name, or as `rowtime`."""
    parts = sliding.time.parts
    parts = parts[1:] if len(parts) > 1 and parts[0] == alias else parts
    names = {column.name for column in table.columns}
    mark = table.watermark
    return mark is not None and (
        parts in ((mark.column, *mark.path),) or (parts == ("rowtime",) and parts[0] not in names)
    )


def recent_rows(findings: Findings, rows: Relation, table: Table, sliding: Sliding, demand: Demand) -> Relation:
    """The rows of a source in the span before its watermark. They are removed as the watermark advances.

    Only the columns of the `demand` are kept.
    """
    if table.is_changelog and table.primary_key:
        raise NotThereYet("a sliding condition on a changelog with a key", sliding.condition.at)
    if sliding.span <= 0:
        raise SqlError(f"no row is in {text_of(sliding.condition)}: the interval must be above 0", sliding.condition.at)
    assert table.watermark is not None
    needed = {table.watermark.column, *table.primary_key}
    columns = tuple(column for column in rows.columns if demand.reads(column.name) or column.name in needed)
    findings.used[table.name].update(column.name for column in columns)
    fields = tuple(Field(f"c{n}", column.type) for n, column in enumerate(columns))
    ops = (Field(OP, STRING),) if table.is_changelog else ()
    items = [f"{quote(column.name)} AS {field.name}" for column, field in zip(columns, fields)]
    items += [f"unix_millis(CAST({table.watermark.rowtime} AS TIMESTAMP)) AS t", "_nrt_proposal AS w"]
    items.append(f"struct({', '.join(f'{POSITION}.{part} AS {part}' for part in ('file', 'block', 'row'))}) AS p")
    items += [field.name for field in ops]
    operator = RecentRows(
        name="",
        input=Query(f"SELECT {', '.join(items)} FROM {rows.text}", rows.inputs, fields),
        columns=(*fields, *ops),
        source=table.name,
        span=sliding.span,
        text=text_of(sliding.condition),
        written=Written(tuple((field.name, column.name) for column, field in zip(columns, fields))),
    )
    shared = findings.share_updating(operator, Boundless(operator.text, "", sliding.condition.at))
    shown = [f"{field.name} AS {quote(column.name)}" for column, field in zip(columns, fields)]
    shown += [f"p AS {POSITION}", *(field.name for field in ops), *CHANGE_HIDDEN]
    return replace(
        rows,
        text=f"(SELECT {', '.join(shown)} FROM {quote(shared.name)})",
        columns=tuple(replace(column, proctime=False) for column in columns),
        inputs=(shared.name,),
        node=Recent(rows.node, sliding.condition, operators=(shared.name,)),
        hidden=CHANGE_HIDDEN,
        scan=None,
    )


def ways_to_bound(
    table: str, time: str | None, where: ast.Expression | None, growing: Sequence[str] | None
) -> tuple[str, ...]:
    """Ways to bound the state of a SELECT over a table with this time attribute, for messages.

    `growing` are the columns whose number of values would have to be constant. None if that would not be enough.
    """
    ways = []
    if time is not None:
        clause = CLAUSE.format(time)
        ways.append(f"add WHERE {clause}" if where is None else f"add AND {clause} to WHERE")
    if growing:
        options = ", ".join(f"'{DOMAIN}{name}' = 'constant'" for name in growing)
        ways.append(f"declare {options} in WITH of table {table}, where values do not grow in number")
    return tuple(ways)
