"""Groups whose aggregate is a function of whole rows: between `aggregate` or `flat_aggregate` and the select."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.known_functions import calling
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten
from airflow_nrt.table.checks.arguments import NoSuchName
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import WINDOW_PROPERTIES, Expression
from airflow_nrt.table.tables.over_windowed import aggregates_in
from airflow_nrt.table.tables.row_functions import RESULT, field_names, names_of
from airflow_nrt.table.tables.rows import R, another

if TYPE_CHECKING:
    from airflow_nrt.program.functions import PythonFunction


class AggregatedTable(Generic[R]):
    """Groups with an aggregate whose fields are columns: a select chooses among these and the keys."""

    def __init__(
        self,
        table: R,
        keys: tuple[Expression, ...],
        groups: Callable[..., R],
        call: Expression,
        function: PythonFunction,
        method: str,
    ) -> None:
        """`groups` selects from the groups of a table; `method` is the method that the program has called."""
        self.table = table
        self.keys = keys
        self.groups = groups
        self.call = call
        self.function = function
        self.method = method

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoSuchName(f"{self.method} is no table yet, so it has no {name!r}: write .select(…) after it", here())

    def select(self, *fields: Expression) -> R:
        environment = self.table.environment
        names = names_of(self.call, field_names(self.function), self.function.name)
        below = {key.node: key.names[0] if key.names else _key_name(key.node, n) for n, key in enumerate(self.keys)}
        every = [Expression(ast.Name((name,), here())) for name in (*below.values(), *names)]
        chosen = environment.expressions(fields)
        self._check_aggregates(chosen, (*below.values(), *names))
        items = environment.items(
            one for field in chosen for one in (every if isinstance(field.node, ast.Star) else [field])
        )
        properties: dict[ast.Expression, str] = {}

        def column(part: Any) -> ast.Name | None:
            """The column of the groups below for a property of the window or a key."""
            if isinstance(part, ast.Call) and part.name[:1] == "." and part.name[1:] in WINDOW_PROPERTIES:
                return ast.Name((properties.setdefault(part, f"window${part.name[1:]}"),), part.at)
            return ast.Name((below[part],), part.at) if part in below else None

        above = tuple(ast.SelectItem(rewritten(item.expression, column), item.alias or _own(item)) for item in items)
        known = {**below, **properties}
        # A key by its alias: inside of its own expression that would be the key again.
        aliases = {key.node: ast.Name((key.names[0],), here()) for key in self.keys if key.names}
        rows = self.groups(
            *(Expression(aliases.get(node, node), (name,)) for node, name in known.items()),
            Expression(self.call.node, (RESULT,)),
        )
        at = here()
        if self.function.kind == "udtaf":
            unnested = ast.Lateral(ast.Name((RESULT,), at), False, at, columns=names)
            relation: ast.Relation = ast.Join("CROSS", ast.Derived(rows.query, at), unnested, None, (), at)
        else:
            parts = (
                [(RESULT,)] if self.function.result.name != "ROW" else [(RESULT, n) for n in field_names(self.function)]
            )
            flat = [ast.SelectItem(ast.Name((name,), at), None) for name in known.values()]
            flat += [ast.SelectItem(ast.Name(part, at), name) for part, name in zip(parts, names)]
            relation = ast.Derived(ast.Select(tuple(flat), ast.Derived(rows.query, at), at), at)
        return another(self.table, ast.Select(above, relation, at))

    def _check_aggregates(self, fields: Iterable[Expression], names: tuple[str, ...]) -> None:
        """Raises SqlError for an aggregate: there is one already, and a select only chooses its columns."""
        with calling(self.table.environment.planner().functions):
            found = next((call for one in fields for call in aggregates_in(one.node)), None)
        if found is not None:
            raise SqlError(
                f"select after {self.method} chooses columns, which are {', '.join(names)}: {found.name} belongs in a "
                "select after that one, with a group_by of its own",
                found.at,
            )


def _key_name(key: ast.Expression, position: int) -> str:
    return key.parts[-1] if isinstance(key, ast.Name) else f"group$key{position}"


def _own(item: ast.SelectItem) -> str | None:
    return item.expression.parts[-1] if isinstance(item.expression, ast.Name) else None
