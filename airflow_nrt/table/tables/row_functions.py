"""What functions of whole rows mean: `map`, `flat_map`, `join_lateral`, `aggregate`, `flat_aggregate`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.known_functions import calling
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten
from airflow_nrt.table.checks.places import here
from airflow_nrt.table.checks.wrong import NoSuchName
from airflow_nrt.table.expressions.expression import WINDOW_PROPERTIES, Expression
from airflow_nrt.table.tables.over_windowed import aggregates_in
from airflow_nrt.table.tables.table import Table

if TYPE_CHECKING:
    from airflow_nrt.program.functions import PythonFunction
    from airflow_nrt.table.tables.grouped import GroupedTable

_RESULT = "function$result"


def mapped(table: Table, func: Any) -> Table:
    """One row of each: the fields of the function's ROW."""
    call, function = _call(table, func, ("udf",), "map")
    fields = _fields(function.result, "_c0")
    names = _names(call, [name for name, _ in fields], "map")
    inner = table.select(call.alias(_RESULT))
    parts = [(_RESULT,)] if function.result.name != "ROW" else [(_RESULT, name) for name, _ in fields]
    items = tuple(ast.SelectItem(ast.Name(part, here()), name) for part, name in zip(parts, names))
    return Table(table.environment, ast.Select(items, ast.Derived(inner.query, here()), here()))


def joined_lateral(table: Table, func: Any, kind: str, condition: Expression | None = None) -> Table:
    """Each row beside those that the function gives for it."""
    call, function = _call(table, func, ("udtf",), "join_lateral")
    right = ast.Lateral(call.node, True, here(), columns=_names(call, _field_names(function), function.name))
    on = table.environment.expressions((True if condition is None else condition,))[0].node
    left = ast.Derived(table.query, here())
    star = (ast.SelectItem(ast.Star(None, here()), None),)
    return Table(table.environment, ast.Select(star, ast.Join(kind, left, right, on, (), here()), here()))


def flat_mapped(table: Table, func: Any) -> Table:
    """The rows that the function gives for each."""
    call, function = _call(table, func, ("udtf",), "flat_map")
    names = _names(call, _field_names(function), function.name)
    arguments = [ast.SelectItem(node, f"function$argument{n}") for n, node in enumerate(_plain(call).arguments)]
    below = Table(
        table.environment, table.select(*(Expression(i.expression, (i.alias or "",)) for i in arguments)).query
    )
    inner = ast.Call(_plain(call).name, tuple(ast.Name((i.alias or "",), here()) for i in arguments), here())
    right = ast.Lateral(inner, True, here(), columns=names)
    items = tuple(ast.SelectItem(ast.Name((name,), here()), None) for name in names)
    joined = ast.Join("CROSS", ast.Derived(below.query, here()), right, None, (), here())
    return Table(table.environment, ast.Select(items, joined, here()))


class AggregatedTable:
    """Groups with an aggregate whose fields are columns: a select says which of them, and which keys."""

    def __init__(self, grouped: GroupedTable, func: Any, kind: str, method: str) -> None:
        self.grouped = grouped
        self.call, self.function = _call(grouped.table, func, (kind,), method)
        self.method = method

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoSuchName(f"{self.method} is no table yet, so it has no {name!r}: write .select(…) behind it", here())

    def select(self, *fields: Expression) -> Table:
        environment = self.grouped.table.environment
        names = _names(self.call, _field_names(self.function), self.function.name)
        below = {
            key.node: key.names[0] if key.names else _key_name(key.node, n) for n, key in enumerate(self.grouped.keys)
        }
        every = [Expression(ast.Name((name,), here())) for name in (*below.values(), *names)]
        chosen = environment.expressions(fields)
        self._check_aggregates(chosen, (*below.values(), *names))
        items = environment.items(
            one for field in chosen for one in (every if isinstance(field.node, ast.Star) else [field])
        )
        properties: dict[ast.Expression, str] = {}

        def column(part: Any) -> ast.Name | None:
            """The column of the groups below that a property of the window or a key is."""
            if isinstance(part, ast.Call) and part.name[:1] == "." and part.name[1:] in WINDOW_PROPERTIES:
                return ast.Name((properties.setdefault(part, f"window${part.name[1:]}"),), part.at)
            return ast.Name((below[part],), part.at) if part in below else None

        above = tuple(ast.SelectItem(rewritten(item.expression, column), item.alias or _own(item)) for item in items)
        known = {**below, **properties}
        # A key by its alias: in its own expression that would be the key once more.
        aliases = {key.node: ast.Name((key.names[0],), here()) for key in self.grouped.keys if key.names}
        rows = self.grouped.select(
            *(Expression(aliases.get(node, node), (name,)) for node, name in known.items()),
            Expression(self.call.node, (_RESULT,)),
        )
        at = here()
        if self.function.kind == "udtaf":
            unnested = ast.Lateral(ast.Name((_RESULT,), at), False, at, columns=names)
            relation: ast.Relation = ast.Join("CROSS", ast.Derived(rows.query, at), unnested, None, (), at)
        else:
            parts = (
                [(_RESULT,)]
                if self.function.result.name != "ROW"
                else [(_RESULT, n) for n in _field_names(self.function)]
            )
            flat = [ast.SelectItem(ast.Name((name,), at), None) for name in known.values()]
            flat += [ast.SelectItem(ast.Name(part, at), name) for part, name in zip(parts, names)]
            relation = ast.Derived(ast.Select(tuple(flat), ast.Derived(rows.query, at), at), at)
        return Table(environment, ast.Select(above, relation, at))

    def _check_aggregates(self, fields: Iterable[Expression], names: tuple[str, ...]) -> None:
        """Raises SqlError for an aggregate: there is one already, which a select only chooses columns of."""
        with calling(self.grouped.table.environment.planner().functions):
            found = next((call for one in fields for call in aggregates_in(one.node)), None)
        if found is not None:
            raise SqlError(
                f"select behind {self.method} chooses columns, which are {', '.join(names)}: {found.name} stands in a "
                "select behind that one, with a group_by of its own",
                found.at,
            )


def _call(table: Table, func: Any, kinds: tuple[str, ...], method: str) -> tuple[Expression, PythonFunction]:
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


def _whole_row(table: Table) -> Expression:
    """All columns as one ROW; instants as the session's clock shows them, for functions take no others."""
    values: list[ast.Expression] = []
    for column in table.columns:
        value: ast.Expression = ast.Name((column.name,), here())
        if column.type.name == "TIMESTAMP_LTZ":
            value = ast.Cast(value, DataType("TIMESTAMP", precision=column.type.precision), True, here())
        values += [ast.Keyword(column.name, here()), value]
    return Expression(ast.Call("ROW[ ]", tuple(values), here()))


def _fields(kind: DataType, single: str) -> list[tuple[str, DataType]]:
    return list(kind.children) if kind.name == "ROW" else [(single, kind)]


def _field_names(function: PythonFunction) -> list[str]:
    return [name for name, _ in _fields(function.result, "f0")]


def _names(call: Expression, names: list[str], what: str) -> tuple[str, ...]:
    """The names of the columns: those of the alias, if there is one."""
    if call.names and len(call.names) != len(names):
        raise SqlError(f"{what} gives {len(names)} columns, its alias has {len(call.names)} names", here())
    return call.names or tuple(names)


def _key_name(key: ast.Expression, position: int) -> str:
    return key.parts[-1] if isinstance(key, ast.Name) else f"group$key{position}"


def _own(item: ast.SelectItem) -> str | None:
    return item.expression.parts[-1] if isinstance(item.expression, ast.Name) else None
