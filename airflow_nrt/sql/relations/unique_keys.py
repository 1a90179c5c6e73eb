"""The keys of a relation's rows, and whether they fit the PRIMARY KEY of the sink."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from airflow_nrt.basics.types import DataType
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
"""Sets of columns. No two rows are equal in all columns of a set. Empty if no key is known."""


Computed = tuple[tuple[Typed, ...], ...]
"""The same with expressions instead of columns, which may be selected or not."""
_BOUND = DataType("TIMESTAMP", precision=3, nullable=False)


def carried(keys: Iterable[Sequence[Typed]], names: Sequence[str], values: Sequence[Typed]) -> Keys:
    """The keys whose expressions are all among `values`, under their new `names`."""
    shown = {value: name for name, value in reversed(list(zip(names, values)))}
    return tuple(tuple(shown[one] for one in key) for key in keys if all(one in shown for one in key))


def computed(relation: Relation, keys: Keys) -> Computed:
    """Keys of a relation as expressions over it."""
    known = {*relation.names}
    return tuple(tuple(relation.column(name).typed for name in key) for key in keys if known.issuperset(key))


def keys_of_windows(window: Window, keys: Sequence[Typed]) -> Computed:
    """The keys of rows that are grouped by `keys` and both bounds of a window."""
    return tuple((*keys, Typed.of_column(f"window_{role}", _BOUND)) for role in window.identifying_roles)


def keys_of_groups(
    window: Window | None, keys: Sequence[tuple[Typed, str | None]], sessions_of: Iterable[Typed | None] | None = None
) -> Computed:
    """The keys of rows that are grouped by `keys`.

    A column of the `window` has its role: one identifying column of a window stands for its others. `sessions_of` is
    the partition of SESSION, None if that is not known.
    """
    others = [key for key, role in keys if role is None]
    roles = {role: key for key, role in keys if role is not None}
    # Sessions of different partitions may begin, or end, together.
    partitioned = sessions_of is not None and set(sessions_of) <= set(others)
    identifying = () if window is None or (window.bounded_by_rows and not partitioned) else window.identifying_roles
    return tuple((*others, roles[role]) for role in identifying if role in roles) or (tuple(key for key, _ in keys),)


def narrowed(keys: Keys, where: ast.Expression | None, scope: Scope) -> Keys:
    """The keys of the rows that a WHERE lets pass, without the columns that it holds equal to a literal."""
    held: set[str] = set()
    for part in conjuncts(where) if where is not None else ():
        match part:
            case ast.Binary("=", ast.Name() as name, ast.Literal()) | ast.Binary(
                "=", ast.Literal(), ast.Name() as name
            ):
                column, path = scope.located(name)
                held.update(() if path else (column.name,))
    return tuple(tuple(name for name in key if name not in held) for key in keys)


def keys_of_numbers(
    relation: Relation, items: Iterable[ast.SelectItem], scope: Scope, values: Iterable[Typed]
) -> Computed:
    """The keys of rows of windows that a ROW_NUMBER among the items numbers."""
    roles = {column.name: column.role for column in relation.columns}
    numbered: list[tuple[Typed, ...]] = []
    for item, value in zip(items, values):
        match item.expression:
            case ast.Call("ROW_NUMBER", over=ast.Over() as over):
                partition = [Compiler(scope, place=relation.place).compile(key) for key in over.partition]
                keys = keys_of_groups(relation.window, [(key, roles.get(key.column or "")) for key in partition])
                numbered += [(*key, value) for key in keys]
    return tuple(numbered)


def keys_of_uuids(items: Iterable[ast.SelectItem], names: Iterable[str]) -> Keys:
    """The columns of these items that are UUID() of rows with a key."""
    return tuple((name,) for item, name in zip(items, names) if isinstance(item.expression, ast.Uuid))


def check_key(sink: Table, relation: Relation, written: Keys, at: Place) -> None:
    """Raises SqlError if different rows could have one key of the sink. `written` are the rows' keys in its columns.

    If rows are only added and have no known key, the sink's key is the author's promise, as in Flink.
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
    pairs = "leave PRIMARY KEY out, so that a change is emitted as the row before it and the row after it"
    if not written:
        raise SqlError(
            f"{declared} is no key of the query, whose columns do not identify its rows: select all columns that it "
            f"groups by, or {pairs}",
            at,
        )
    fits = " or ".join(f"({', '.join(one)})" for one in written)
    ways = f"declare PRIMARY KEY ({', '.join(written[0])}) NOT ENFORCED" + (f", or {pairs}" if changes else "")
    raise SqlError(f"{declared} does not identify the query's rows, whose key is {fits}: {ways}", at)
