"""VALUES, and SELECT without FROM: constant rows. A join with them needs no state.

It is Spark's own join, because each row meets all constant rows when it arrives or changes. Beside the rows of tables,
in UNION ALL, they are a source of their own, whose rows arrive once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from uuid import uuid5

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import STRING
from airflow_nrt.model.arithmetic_errors import NULL_FUNCTION
from airflow_nrt.model.connectors.constants import INDEX, table_of
from airflow_nrt.model.internal_columns import NUMBER
from airflow_nrt.model.tables import Column
from airflow_nrt.model.value_places import in_values
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.failing import Computed, counted_for
from airflow_nrt.sql.expressions.functions.uuids import NAMESPACE
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed, common_type
from airflow_nrt.sql.from_clause.laterals import as_several, hidden_of_several
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.logical.values import OneRow, Values
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.meaning import meaning_of
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation

ONE_ROW = Relation(f"(SELECT 1 AS {NUMBER})", (), (), OneRow(), hidden=(NUMBER,))
"""The FROM of a SELECT that has none."""


def rows_of(node: ast.Values) -> Relation:
    """The rows of VALUES, numbered. Raises SqlError if they differ in their number of columns, or in types."""
    rows = [_compiled(row, in_values(n)) for n, row in enumerate(node.rows)]
    columns = []
    for n, values in enumerate(zip(*rows)):
        kind = common_type([value.type for value in values])
        if kind is None:
            listed = ", ".join(dict.fromkeys(value.type.flink for value in values))
            raise SqlError(f"the values of a column of VALUES have different types: {listed}", node.rows[0][n].at)
        columns.append(ScopeColumn(f"EXPR${n}", kind))
    if any(len(row) != len(columns) for row in rows):
        raise SqlError("the rows of VALUES have different numbers of columns", node.at)
    names = ", ".join([*(quote(column.name) for column in columns), NUMBER])
    texts = [", ".join([*_typed(row, columns, n), str(n)]) for n, row in enumerate(rows)]
    listed = f"VALUES {', '.join(f'({text})' for text in texts)}"
    if any(NULL_FUNCTION in text for text in texts):
        # Spark takes no function of a session in VALUES.
        listed = f"({' UNION ALL '.join(f'SELECT {text}' for text in texts)})"
    text = f"(SELECT * FROM {listed} AS ({names}))"
    return Relation(text, tuple(columns), (), Values(), hidden=(NUMBER,))


def _compiled(row: Sequence[ast.Expression], place: str) -> list[Typed]:
    compiler = Compiler(Scope(()), _uuid, lambda: place)
    return [compiler.compile(value) for value in row]


def _uuid(node: ast.Expression) -> Typed | None:
    """A call of UUID() in VALUES, of which each row has its own."""
    if not isinstance(node, ast.Uuid):
        return None
    return Typed(string_literal(str(uuid5(NAMESPACE, node.name))), STRING.with_nullable(False))


def _typed(row: Sequence[Typed], columns: Sequence[ScopeColumn], number: int) -> list[str]:
    values = []
    for value, column in zip(row, columns):
        with counted_for(partial(Computed, f"column {column.name} of VALUES", in_values(number))):
            values.append(cast_to(value, column.type))
    return values


def is_constant(relation: Relation) -> bool:
    return not relation.inputs


def arriving(findings: Findings, relation: Relation, query: ast.Query) -> Relation:
    """The constant rows of a query as a source, whose rows are "(SELECT `id`, …, _nrt_n AS _nrt_index FROM (…))".

    It is named by what the report writes, so that a home knows it again.
    """
    names = (quote(column.name) for column in relation.columns)
    rows = f"(SELECT {', '.join([*names, f'{NUMBER} AS {INDEX}'])} FROM {relation.text})"
    columns = tuple(Column(column.name, column.type) for column in relation.columns)
    name = f"values_{hashlib.sha256(repr(meaning_of(query, {})).encode()).hexdigest()[:8]}"
    tables = (table_of(name if not n else f"{name}_{n}", columns, rows) for n in count())
    # Views of one name may have other rows, one after the other.
    table = next(one for one in tables if findings.note_source(one))
    findings.note_partitions(table, None)
    hidden = findings.hidden_of_sources
    source = Relation(quote(table.name), relation.columns, (table.name,), relation.node, hidden, scan=table.name)
    findings.note_all_columns(source)
    return source


def joins_constants(node: ast.Join, left: Relation, right: Relation) -> bool:
    """Whether one side is constant, and the join does not keep those of its rows that meet none."""
    kinds = {(False, True): ("INNER", "LEFT"), (True, False): ("INNER", "RIGHT")}
    return node.kind in kinds.get((is_constant(left), is_constant(right)), ())


def join_constants(findings: Findings, node: ast.Join, left: Named, right: Named) -> Relation:
    """The join of rows with constant rows. The rows keep their window, their time and their node."""
    assert node.condition is not None
    rows, alias = right if is_constant(left[0]) else left
    scope = Scope((*side_columns(*left), *side_columns(*right)))
    condition = Compiler(scope, place=replace(rows, keys=()).place).condition(node.condition, "ON")
    kept = side_columns(rows, alias)
    if rows.has_sessions or any(
        rows.is_window_column(old.name) for old, new in zip(rows.columns, kept) if new.name in condition.columns
    ):
        rows = finished(findings, rows)
    findings.note_all_columns(rows)
    present = [(old, new) for old, new in zip(rows.columns, kept) if rows.pending is None or old.role is None]
    constant, constant_alias = left if is_constant(left[0]) else right
    others = side_columns(constant, constant_alias)
    own = [f"{quote(old.name)} AS {quote(new.name)}" for old, new in present]
    theirs = [f"{quote(old.name)} AS {quote(new.name)}" for old, new in zip(constant.columns, others)]
    kind = "INNER" if node.kind == "INNER" else "LEFT"
    items = [quote(column.name) for column in (*(new for _, new in present), *others)]
    text = (
        f"(SELECT {', '.join([*items, *(hidden_of_several(name, rows) for name in rows.hidden)])} "
        f"FROM (SELECT {', '.join([*own, *rows.hidden])} FROM {rows.text}) "
        f"{kind} JOIN (SELECT {', '.join([*theirs, NUMBER])} FROM {constant.text}) ON {condition.sql})"
    )
    if kind == "LEFT":
        others = tuple(replace(column, type=column.type.with_nullable(True)) for column in others)
    columns = (*others, *kept) if is_constant(left[0]) else (*kept, *others)
    return as_several(rows, text, columns, kept, node.at)
