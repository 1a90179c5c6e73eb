"""By which columns the rows of a relation differ, and whether these are the key of the sink that they go to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import conjuncts
from airflow_nrt.sql.relations.relation import Relation

Keys = tuple[tuple[str, ...], ...]
"""Each is a set of columns that no two rows have in common; none if none is known."""


def carried(keys: Iterable[Sequence[str]], names: Sequence[str], values: Sequence[Typed]) -> Keys:
    """The keys that `values` still hold, under their new `names`; `keys` are given as Spark SQL."""
    shown = {value.sql: name for name, value in reversed(list(zip(names, values)))}
    return tuple(tuple(shown[sql] for sql in key) for key in keys if all(sql in shown for sql in key))


def keys_of_windows(window: Window, keys: Sequence[str]) -> Keys:
    """How rows differ that are grouped by these and both bounds of a window, in Spark SQL."""
    return tuple((*keys, quote(f"window_{role}")) for role in window.identifying_roles)


def keys_of_groups(
    window: Window | None, keys: Sequence[tuple[str, str | None]], sessions_of: Iterable[str] | None = None
) -> Keys:
    """How rows differ by these, in Spark SQL, each with its role if it is a column of the `window`: one such column
    tells of the others. `sessions_of` is what each has sessions of its own, None if that is not known."""
    others = [sql for sql, role in keys if role is None]
    roles = {role: sql for sql, role in keys if role is not None}
    # Sessions of different keys may begin, or end, together.
    apart = sessions_of is not None and set(sessions_of) <= set(others)
    telling = () if window is None or (window.bounded_by_rows and not apart) else window.identifying_roles
    return tuple((*others, roles[role]) for role in telling if role in roles) or (tuple(sql for sql, _ in keys),)


def narrowed(keys: Keys, where: ast.Expression | None, scope: Scope) -> Keys:
    """The keys of the rows that a WHERE lets pass: a column that it holds equal to a literal tells nothing apart."""
    held: set[str] = set()
    for part in conjuncts(where) if where is not None else ():
        match part:
            case ast.Binary("=", ast.Name() as name, ast.Literal()) | ast.Binary(
                "=", ast.Literal(), ast.Name() as name
            ):
                column, path = scope.located(name)
                held.update(() if path else (column.name,))
    return tuple(tuple(name for name in key if name not in held) for key in keys)


def keys_of_numbers(relation: Relation, items: Iterable[ast.SelectItem], scope: Scope, values: Iterable[Typed]) -> Keys:
    """How rows of windows differ that a ROW_NUMBER among the items numbers, in Spark SQL."""
    roles = {quote(column.name): column.role for column in relation.columns}
    found: list[tuple[str, ...]] = []
    for item, value in zip(items, values):
        match item.expression:
            case ast.Call("ROW_NUMBER", over=ast.Over() as over):
                partition = [Compiler(scope).compile(key).sql for key in over.partition]
                keys = keys_of_groups(relation.window, [(sql, roles.get(sql)) for sql in partition])
                found += [(*key, value.sql) for key in keys]
    return tuple(found)


def check_key(sink: Table, relation: Relation, written: Keys, at: Place) -> None:
    """Raises SqlError if rows that differ would stand under one key of the sink. `written` are the rows' keys there.

    Of rows that are only added and have no known key, the sink's is the author's promise, as in Flink.
    """
    key, changes = sink.primary_key, relation.is_changing and not relation.adds_only
    outside = [name for name in sink.partition_keys if name not in key]
    if key and changes and outside:
        raise SqlError(
            f"table {sink.name!r}: a row can't move from one partition to another: add {', '.join(outside)} to its "
            "PRIMARY KEY",
            at,
        )
    if not key or (not written and not changes) or any(set(one) <= set(key) for one in written):
        return
    declared = f"table {sink.name!r}: its PRIMARY KEY ({', '.join(key)})"
    pairs = "leave PRIMARY KEY away, so that a change is told as the row before and the row behind it"
    if not written:
        raise SqlError(
            f"{declared} is no key of the query, which gives no columns that tell its rows apart: select all that it "
            f"groups by, or {pairs}",
            at,
        )
    fits = " or ".join(f"({', '.join(one)})" for one in written)
    ways = f"declare PRIMARY KEY ({', '.join(written[0])}) NOT ENFORCED" + (f", or {pairs}" if changes else "")
    raise SqlError(f"{declared} does not tell the query's rows apart, which differ by {fits}: {ways}", at)
