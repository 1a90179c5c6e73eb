"""The rows that are kept for a SELECT: those that its WHERE lets pass, with the columns that it reads.

A condition on the row alone is applied before the row is kept. A row that it leaves out is never late.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from airflow_nrt.basics.types import NULL
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.kept_rows.buffered_rows import Reads, finished
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, conjuncts
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation


def finished_for(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, above: Demand | None = None
) -> tuple[ast.Select, Relation]:
    """A SELECT over rows of finished windows, and these rows without columns that neither it nor `above` reads."""
    if relation.pending is None or relation.is_changing:
        return node, finished(findings, relation)
    parts = tuple(conjuncts(node.where)) if node.where is not None else ()
    relation, held = passing(findings, relation, alias, parts)
    node = replace(node, where=all_of(part for part in parts if part not in held))
    reads = reads_of(Demand(node, above), Scope(relation.columns, alias), alias)
    return node, finished(findings, relation, reads, all_of(held))


def reads_of(demand: Demand, scope: Scope, alias: str | None) -> Reads:
    """Which columns of the scope are read. If a name is wrong, all are: the error lists the columns that exist."""
    if demand.misses(scope):
        return lambda column: True

    def reads(column: ScopeColumn) -> bool:
        by_name = column.name != column.title and demand.reads(column.name)
        return by_name or demand.reads(column.title, column.table or alias)

    return reads


def passing(
    findings: Findings, relation: Relation, alias: str | None, parts: Iterable[ast.Expression]
) -> tuple[Relation, tuple[ast.Expression, ...]]:
    """The rows of a windowing function that hold the conditions on rows alone, and these conditions.

    Rows that WHERE leaves out are members of sessions, too, so that only conditions on the partition filter sessions.
    """
    scope = Scope(relation.columns, alias, relation.has_batch)
    texts, held = [], []
    for part in parts:
        try:
            typed = Compiler(scope, place=relation.place).condition(part, "WHERE")
        except SqlError:
            # The query above reports the error, or can compile the condition.
            continue
        of_rows = typed.columns and not any(relation.is_window_column(name) for name in typed.columns)
        if of_rows and (not relation.has_sessions or typed.columns <= set(relation.partition or ())):
            findings.note_columns(relation, [typed])
            texts.append(typed.sql)
            held.append(part)
    if not held:
        return relation, ()
    text = f"(SELECT * FROM {relation.text} WHERE {' AND '.join(texts)})"
    return replace(relation, text=text), tuple(held)


def demanded_items(
    items: Sequence[ast.SelectItem], scope: Scope, kept: Collection[str], demand: Demand
) -> list[ast.SelectItem]:
    """The items that `demand` reads, and all that are computed. `kept` are columns that stay.

    Time attributes and window columns stay, too: they decide what can be planned over the rows.
    """
    named = [
        item if item.alias or isinstance(item.expression, ast.Name) else replace(item, alias=f"EXPR${n}")
        for n, item in enumerate(items)
    ]
    titles = [_title(item) for item in named]
    if demand.misses(Scope([ScopeColumn(title, NULL) for title in titles])):
        return list(items)
    demanded = [
        item
        for item, title in zip(named, titles)
        if demand.reads(title) or not _is_passed(item.expression, scope, kept)
    ]
    return demanded if demanded and len(demanded) < len(items) else list(items)


def _title(item: ast.SelectItem) -> str:
    return item.alias or (item.expression.parts[-1] if isinstance(item.expression, ast.Name) else "")


def _is_passed(node: ast.Expression, scope: Scope, kept: Collection[str]) -> bool:
    """Whether it is nothing but a column, and no time attribute, window column or column that is `kept`."""
    if not isinstance(node, ast.Name) or not scope.has(node):
        return False
    column = scope.find(node)
    is_time = column.rowtime or column.proctime or bool(column.rowtime_path)
    return column.role is None and not column.of_window and not is_time and column.name not in kept


def without_held(select: ast.Select, rows: Node) -> ast.Select:
    """A SELECT over these rows, without the conditions that all of them hold already."""
    if select.where is None or not rows.held:
        return select
    return replace(select, where=all_of(part for part in conjuncts(select.where) if part not in rows.held))
