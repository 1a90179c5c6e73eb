"""What a SELECT needs of the rows that are kept for it: those that its WHERE lets through, the columns that it reads.

A condition that looks at nothing but a row is decided before the row is kept. What it leaves out is never late.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from airflow_nrt.basics.types import NULL
from airflow_nrt.model.internal_columns import ABSORBED
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, conjuncts
from airflow_nrt.sql.relations.buffered_rows import Reads, finished
from airflow_nrt.sql.relations.column_demand import Around
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation


def finished_for(
    found: Findings, node: ast.Select, relation: Relation, alias: str | None, above: Around | None = None
) -> tuple[ast.Select, Relation]:
    """A SELECT over rows of finished windows, and these, without what neither it nor what is `above` looks at."""
    if relation.pending is None or relation.is_changing:
        return node, finished(found, relation)
    parts = tuple(conjuncts(node.where)) if node.where is not None else ()
    relation, held = passing(found, relation, alias, parts)
    node = replace(node, where=all_of(part for part in parts if part not in held))
    reads = reads_of(Around(node, above), Scope(relation.columns, alias), alias)
    return node, finished(found, relation, reads, all_of(held))


def reads_of(around: Around, scope: Scope, alias: str | None) -> Reads:
    """Which columns of a relation are read, of those in the scope. All, where a name is wrong: the error tells which
    there are.
    """
    if around.misses(scope):
        return lambda column: True

    def reads(column: ScopeColumn) -> bool:
        by_name = column.name != column.title and around.reads(column.name)
        return by_name or around.reads(column.title, column.table or alias)

    return reads


def passing(
    found: Findings, relation: Relation, alias: str | None, parts: Iterable[ast.Expression]
) -> tuple[Relation, tuple[ast.Expression, ...]]:
    """The rows of a windowing function that pass those of these conditions that rows alone decide; and which these are.

    Rows that nobody asks for are members of sessions, too, so that of these only whole partitions are left out.
    """
    scope = Scope(relation.columns, alias, ABSORBED in relation.hidden)
    texts, held = [], []
    for part in parts:
        try:
            typed = Compiler(scope).condition(part, "WHERE")
        except SqlError:
            # Whoever it is left to tells what is wrong with it, or can decide it.
            continue
        of_rows = typed.columns and not any(relation.is_window_column(name) for name in typed.columns)
        if of_rows and (not relation.has_sessions or typed.columns <= set(relation.partition or ())):
            found.note_columns(relation, [typed])
            texts.append(typed.sql)
            held.append(part)
    if not held:
        return relation, ()
    text = f"(SELECT * FROM {relation.text} WHERE {' AND '.join(texts)})"
    return replace(relation, text=text), tuple(held)


def asked_items(
    items: Sequence[ast.SelectItem], scope: Scope, kept: Collection[str], around: Around
) -> list[ast.SelectItem]:
    """The items that what is `around` their SELECT reads, and all that are computed; `kept` are columns that stay.

    Time attributes and the columns of windows stay, too: they say what can be done with the rows.
    """
    named = [
        item if item.alias or isinstance(item.expression, ast.Name) else replace(item, alias=f"EXPR${n}")
        for n, item in enumerate(items)
    ]
    titles = [_title(item) for item in named]
    if around.misses(Scope([ScopeColumn(title, NULL) for title in titles])):
        return list(items)
    asked = [
        item
        for item, title in zip(named, titles)
        if around.reads(title) or not _is_passed(item.expression, scope, kept)
    ]
    return asked if asked and len(asked) < len(items) else list(items)


def _title(item: ast.SelectItem) -> str:
    return item.alias or (item.expression.parts[-1] if isinstance(item.expression, ast.Name) else "")


def _is_passed(node: ast.Expression, scope: Scope, kept: Collection[str]) -> bool:
    """Whether it is nothing but a column, and one of which nothing else depends."""
    if not isinstance(node, ast.Name) or not scope.has(node):
        return False
    column = scope.find(node)
    is_time = column.rowtime or column.proctime or bool(column.rowtime_path)
    return column.role is None and not column.of_window and not is_time and column.name not in kept


def without_held(select: ast.Select, rows: Node) -> ast.Select:
    """A SELECT over these rows without those of its conditions that all of them hold."""
    if select.where is None or not rows.held:
        return select
    return replace(select, where=all_of(part for part in conjuncts(select.where) if part not in rows.held))
