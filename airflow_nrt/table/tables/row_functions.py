"""Functions of whole rows: `map`, `flat_map`, `join_lateral`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.texts import counted
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.tables.rows import R, another

if TYPE_CHECKING:
    from airflow_nrt.program.functions import PythonFunction

RESULT = "function$result"


def mapped(table: R, func: Any) -> R:
    """One row for each row: the fields of the function's ROW."""
    call, function = called(table, func, ("udf",), "map")
    fields = _fields(function.result, "_c0")
    names = names_of(call, [name for name, _ in fields], "map")
    inner = table.select(call.alias(RESULT))
    parts = [(RESULT,)] if function.result.name != "ROW" else [(RESULT, name) for name, _ in fields]
    items = tuple(ast.SelectItem(ast.Name(part, here()), name) for part, name in zip(parts, names))
    return another(table, ast.Select(items, ast.Derived(inner.query, here()), here()))


def joined_lateral(table: R, func: Any, kind: str, condition: Expression | None = None) -> R:
    """Each row joined with those that the function gives for it."""
    call, function = called(table, func, ("udtf",), "join_lateral")
    right = ast.Lateral(call.node, True, here(), columns=names_of(call, field_names(function), function.name))
    on = table.environment.expressions((True if condition is None else condition,))[0].node
    left = ast.Derived(table.query, here())
    star = (ast.SelectItem(ast.Star(None, here()), None),)
    return another(table, ast.Select(star, ast.Join(kind, left, right, on, (), here()), here()))


def flat_mapped(table: R, func: Any) -> R:
    """The rows that the function gives for each row."""
    call, function = called(table, func, ("udtf",), "flat_map")
    names = names_of(call, field_names(function), function.name)
    arguments = [ast.SelectItem(node, f"function$argument{n}") for n, node in enumerate(_plain(call).arguments)]
    below = table.select(*(Expression(i.expression, (i.alias or "",)) for i in arguments))
    inner = ast.Call(_plain(call).name, tuple(ast.Name((i.alias or "",), here()) for i in arguments), here())
    right = ast.Lateral(inner, True, here(), columns=names)
    items = tuple(ast.SelectItem(ast.Name((name,), here()), None) for name in names)
    joined = ast.Join("CROSS", ast.Derived(below.query, here()), right, None, (), here())
    return another(table, ast.Select(items, joined, here()))


def called(table: R, func: Any, kinds: tuple[str, ...], method: str) -> tuple[Expression, PythonFunction]:
    """The call and its function; a function that is not called takes the whole row."""
    from airflow_nrt.functions import Declared

    if isinstance(func, Declared):
        func = func(*([_whole_row(table)] if method in ("map", "flat_map") else []))  # type: ignore[operator]
    (call,) = table.environment.expressions((func,))
    function = table.environment.function(call.node)
    if function is None or function.kind not in kinds:
        wanted = {"udf": "a scalar", "udtf": "a table", "udaf": "an aggregate", "udtaf": "a table aggregate"}[kinds[0]]
        raise SqlError(f"{method} takes {wanted} function, @{kinds[0]}, here is {call!r}", here())
    return call, function


def _plain(call: Expression) -> ast.Call:
    assert isinstance(call.node, ast.Call)
    return call.node


def _whole_row(table: R) -> Expression:
    """All columns as one ROW; instants on the session's clock, because functions take no others."""
    values: list[ast.Expression] = []
    for column in table.columns:
        value: ast.Expression = ast.Name((column.name,), here())
        if column.type.name == "TIMESTAMP_LTZ":
            value = ast.Cast(value, DataType("TIMESTAMP", precision=column.type.precision), True, here())
        values += [ast.Keyword(column.name, here()), value]
    return Expression(ast.Call("ROW[ ]", tuple(values), here()))


def _fields(kind: DataType, single: str) -> list[tuple[str, DataType]]:
    return list(kind.children) if kind.name == "ROW" else [(single, kind)]


def field_names(function: PythonFunction) -> list[str]:
    return [name for name, _ in _fields(function.result, "f0")]


def names_of(call: Expression, names: list[str], what: str) -> tuple[str, ...]:
    """The names of the columns: those of the alias, if there is one."""
    if call.names and len(call.names) != len(names):
        raise SqlError(
            f"{what} gives {counted(len(names), 'column')}, its alias has {counted(len(call.names), 'name')}", here()
        )
    return call.names or tuple(names)
