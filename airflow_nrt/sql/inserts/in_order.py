"""ORDER BY of a report's results: sorted in each window, in the order of rowtime, or all rows at the end.

If the window time is first in ORDER BY, rows are sorted inside each window. Rows of tables that end wait for the end.
Rows of other tables wait for the watermark, if their rowtime is first in ORDER BY.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import Field
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import CHANGE_HIDDEN
from airflow_nrt.model.operators import Query
from airflow_nrt.model.result_timing import OutputOptions
from airflow_nrt.model.tables import Table
from airflow_nrt.model.updating import RowsAtEnd
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.logical.sort import Sort
from airflow_nrt.sql.over.row_windows import in_rowtime_order
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.ordering import Named

_WHAT = "ORDER BY without LIMIT"


def in_order(
    findings: Findings, relation: Relation, order: Sequence[Named], sink: Table, zone: str | None, at: Place
) -> Relation:
    """The rows of a relation so that they can be published in this order. Raises SqlError if they can't."""
    (name, first), *_ = order
    column = relation.column(name)
    live = [one.name for one in findings.tables_below(relation.inputs) if connector_of(one).is_live(one)]
    by_time = not first.descending and _is_time(column, relation)
    if by_time and relation.window is not None and (live or relation.window.ends_on_grid):
        if not OutputOptions.read(sink.options).publishes_once:
            raise NotThereYet("ORDER BY of windows with early results and late updates", at)
        return sorted_as(relation, relation, order)
    if not live:
        return sorted_as(rows_at_end(findings, relation, at), relation, order)
    if by_time and not relation.is_changing:
        return sorted_as(in_rowtime_order(findings, relation, column, zone, at), relation, order)
    raise SqlError(
        f"{_WHAT} sorts all rows, and table {live[0]!r} never ends: add LIMIT, or {_by_time(relation)}leave "
        "'source.monitor-interval' out",
        at,
    )


def sorted_as(rows: Relation, below: Relation, order: Sequence[Named]) -> Relation:
    """The `rows` with the node of ORDER BY over the rows `below`, which they were made of."""
    operators = () if rows is below else rows.inputs
    return replace(rows, node=Sort(below.node, tuple(item for _, item in order), operators=operators))


def rows_at_end(findings: Findings, relation: Relation, at: Place) -> Relation:
    """The rows of a relation, all at the end of their sources."""
    fields = tuple(Field(column.name, column.type) for column in relation.columns)
    changing = relation.is_changing
    items = [*map(quote, relation.names), *(CHANGE_HIDDEN if changing else ())]
    query = Query(f"SELECT {', '.join(items)} FROM {relation.text}", relation.inputs, fields)
    operator = findings.share_updating(RowsAtEnd("", query, fields, changing), Boundless(_WHAT, "add LIMIT", at))
    columns = tuple(ScopeColumn(field.name, field.type) for field in fields)
    return Relation(quote(operator.name), columns, (operator.name,), relation.node, hidden=(), unique=relation.unique)


def _is_time(column: ScopeColumn, relation: Relation) -> bool:
    """Whether rows are published in the order of this column. Rows of one window are published together."""
    if relation.window is None or not relation.window.ends_on_grid:
        return column.rowtime or column.role in ("end", "time")
    return column.role in relation.window.identifying_roles


def _by_time(relation: Relation) -> str:
    """For messages: an order by the time of the rows. Empty if they have none."""
    if relation.is_changing:
        return ""
    names = [column.title for column in relation.columns if _is_time(column, relation)]
    return f"begin with {names[0]} (ORDER BY {names[0]}, …), or " if names else ""
