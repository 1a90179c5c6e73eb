"""The arguments of an aggregate: its operand and its constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import BIGINT, STRING, DataType
from airflow_nrt.program.functions import PythonFunction
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.aggregates import canonical_name, elements, is_distinct
from airflow_nrt.sql.expressions.functions.json_texts import json_text
from airflow_nrt.sql.expressions.known_functions import known_aggregate
from airflow_nrt.sql.expressions.noted import note
from airflow_nrt.sql.expressions.python_functions import accepted
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast

Compile = Callable[[ast.Expression], Typed]


@dataclass(frozen=True)
class Arguments:
    """`operand` is None for COUNT(*). Several values are one ROW, which is NULL if the row does not count.

    `python` is the function that is called, if it is not built in.
    """

    operand: Typed | None
    parameters: tuple[str, ...] = ()
    python: PythonFunction | None = None


def read_arguments(call: ast.Call, compile: Compile) -> Arguments:
    """The arguments of a call. Raises SqlError for arguments that the aggregate does not take."""
    note(call)
    if len(call.arguments) == 1 and isinstance(call.arguments[0], ast.Star):
        if call.name != "COUNT" or call.distinct:
            raise SqlError(f"{call.name} can't take '*'", call.at)
        return Arguments(None)
    python = known_aggregate(call.name)
    if python is not None:
        return _python(python, call, compile)
    return _READERS.get(canonical_name(call.name), _one)(call, compile)


def _python(function: PythonFunction, call: ast.Call, compile: Compile) -> Arguments:
    """A ROW of the arguments. It is NULL if a NULL is among them with which the function is not called."""
    values = accepted(function, [compile(argument) for argument in call.arguments], call.at, call.name)
    if not values:
        raise NotThereYet(f"{call.name} without an argument", call.at, "give it a constant")
    whole = _row(values, _numbered(values))
    not_null = [values[n] for n in function.asks_not(len(values)) if values[n].type.nullable]
    return Arguments(_where_all_are(not_null, whole) if not_null else whole, python=function)


def _one(call: ast.Call, compile: Compile) -> Arguments:
    _check_count(call, 1, 1)
    return Arguments(compile(call.arguments[0]))


def _count(call: ast.Call, compile: Compile) -> Arguments:
    """COUNT of rows in which no argument is NULL."""
    _check_count(call, 1, None)
    values = [compile(argument) for argument in call.arguments]
    if not is_distinct(call) and not any(value.type.nullable for value in values):
        return Arguments(None)
    return Arguments(values[0] if len(values) == 1 else _where_all_are(values, _row(values, _numbered(values))))


def _listagg(call: ast.Call, compile: Compile) -> Arguments:
    _check_count(call, 1, 2)
    operand, *separators = (compile(argument) for argument in call.arguments)
    if separators and (separators[0].constant is None or not separators[0].type.is_string):
        raise SqlError("the separator of LISTAGG must be a string literal", call.arguments[1].at)
    return Arguments(operand, tuple(separator.constant or "" for separator in separators))


def _percentile(call: ast.Call, compile: Compile) -> Arguments:
    """PERCENTILE: the value, a share or an array of shares, and the frequency of the value.

    A frequency is "CASE WHEN `n` > 0 THEN CAST(`n` AS BIGINT) END".
    """
    _check_count(call, 2, 3)
    value, shares, *frequency = call.arguments
    parameters = tuple(_share(share, compile(share)) for share in elements(shares) or (shares,))
    operand = compile(value)
    if not operand.type.is_numeric:
        raise SqlError(f"PERCENTILE wants a number, here is {operand.type.flink}", value.at)
    if not frequency:
        return Arguments(operand, parameters)
    times = compile(frequency[0])
    if not times.type.is_integer:
        raise SqlError(f"the frequency of PERCENTILE is a whole number, here is {times.type.flink}", frequency[0].at)
    counted = times.computed(f"CASE WHEN {times.sql} > 0 THEN CAST({times.sql} AS BIGINT) END", BIGINT)
    pair = [operand, counted]
    return Arguments(_where_all_are(pair, _row(pair, ("v", "n"))), parameters)


def _share(node: ast.Expression, share: Typed) -> str:
    if not share.type.is_numeric or share.constant is None:
        raise SqlError("PERCENTILE wants numbers from 0 to 1 in the report's text, or ARRAY[…] of them", node.at)
    if not 0 <= float(share.constant) <= 1:
        raise SqlError(f"Percentage of PERCENTILE should be between [0.0, 1.0], but was '{share.constant}'", node.at)
    return str(float(share.constant))


def _json_array(call: ast.Call, compile: Compile) -> Arguments:
    value, on_null = call.arguments
    return Arguments(_json(call, compile(value)), (_word(on_null),))


def _json_object(call: ast.Call, compile: Compile) -> Arguments:
    key, value, on_null = call.arguments
    name = compile(key)
    if not name.type.is_string:
        raise SqlError(f"a key of JSON_OBJECTAGG is a string, here is {name.type.flink}: CAST it to STRING", key.at)
    pair = [_json(call, name), _json(call, compile(value))]
    return Arguments(_row(pair, ("k", "v")), (_word(on_null),))


def _json(call: ast.Call, value: Typed) -> Typed:
    return Typed(json_text(value, call.at, call.name), STRING, columns=value.columns)


def _word(node: ast.Expression) -> str:
    assert isinstance(node, ast.Keyword)
    return node.text


_READERS: dict[str, Callable[[ast.Call, Compile], Arguments]] = {
    "COUNT": _count,
    "LISTAGG": _listagg,
    "PERCENTILE": _percentile,
    "JSON_ARRAYAGG": _json_array,
    "JSON_OBJECTAGG": _json_object,
}


def _check_count(call: ast.Call, least: int, most: int | None) -> None:
    count = len(call.arguments)
    if count < least or (most is not None and count > most):
        wanted = "one argument" if most == 1 else f"{least} to {most} arguments" if most else "at least one argument"
        raise SqlError(f"{call.name} takes {wanted}, here are {count}", call.at)


def _row(values: Sequence[Typed], names: Sequence[str]) -> Typed:
    """The values as one ROW: "named_struct('c0', `shop`, 'c1', `n`)"."""
    fields = ", ".join(f"{string_literal(name)}, {value.sql}" for name, value in zip(names, values))
    children = tuple((name, value.type.with_nullable(True)) for name, value in zip(names, values))
    columns = frozenset[str]().union(*(value.columns for value in values))
    return Typed(f"named_struct({fields})", DataType("ROW", children=children), columns=columns)


def _numbered(values: Sequence[Typed]) -> list[str]:
    return [f"c{n}" for n, _ in enumerate(values)]


def _where_all_are(values: Sequence[Typed], whole: Typed) -> Typed:
    """`whole` if none of the values is NULL, else NULL: "CASE WHEN `n` IS NOT NULL THEN named_struct(…) END"."""
    there = " AND ".join(f"{value.sql} IS NOT NULL" for value in values)
    return whole.computed(f"CASE WHEN {there} THEN {whole.sql} END")
