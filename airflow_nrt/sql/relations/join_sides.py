"""The two sides of a join: their columns under distinct names, and the window that both are in."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.window_columns import bounds
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import conjuncts
from airflow_nrt.sql.relations.relation import BOUNDS, Relation

Named = tuple[Relation, "str | None"]
"""A relation, and the table name that qualifies its columns."""


def side_of(relation: Relation, alias: str | None, prefix: str) -> Relation:
    """One side with its columns qualified by its alias. The bounds of its window have a prefix."""
    columns = side_columns(relation, alias)
    items = [f"{quote(old.name)} AS {quote(new.name)}" for old, new in zip(relation.columns, columns)]
    items += [f"{name} AS {prefix}{name}" for name in bounds_of(relation)]
    text = f"(SELECT {', '.join(items)} FROM {relation.text})"
    return replace(relation, text=text, columns=columns, scan=None)


def side_columns(relation: Relation, alias: str | None) -> tuple[ScopeColumn, ...]:
    """Its columns under their names above the join."""
    columns = []
    for column in relation.columns:
        table = column.table or alias
        columns.append(replace(column, name=f"{table or ''}.{column.title}", table=table, shown=column.title))
    return tuple(columns)


def bounds_of(relation: Relation) -> tuple[str, ...]:
    """The hidden columns with the bounds of the window that a row is in."""
    assert relation.window is not None
    return bounds(relation.window)


def missing_equations(condition: ast.Expression | None, scope: Scope, left: set[str]) -> list[str]:
    """The window bounds that a condition does not hold equal. Flink's window join needs both of them equal."""
    equal: set[str | None] = set()
    for part in conjuncts(condition) if condition is not None else ():
        if isinstance(part, ast.Binary) and part.operator == "=":
            sides = [scope.find(name) for name in (part.left, part.right) if isinstance(name, ast.Name)]
            if len(sides) == 2 and (sides[0].name in left) != (sides[1].name in left):
                equal.update({sides[0].role} if sides[0].role == sides[1].role else ())
    return [name for name, role in BOUNDS if role not in equal]
