"""What a SELECT needs of the query in its FROM: its columns, and of a ranking with `WHERE n <= 3` three rows a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from airflow_nrt.basics.types import NULL
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.window_functions import WINDOW_FUNCTIONS
from airflow_nrt.sql.logical.top_n import limit_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import conjuncts


@dataclass(frozen=True)
class Demand:
    """What a SELECT reads of a query. `select` is None if the query has no reader, or is one of several: all is needed.

    The demand `above` says which columns of a star are needed. `held` are conditions of ON that rows hold already, so
    that nothing reads columns for them. `in_windows`: a window above reads the time of the rows, which is the column
    `timed_by`, if that is known.
    """

    select: ast.Select | None = None
    above: Demand | None = None
    held: tuple[ast.Expression, ...] = ()
    in_windows: bool = False
    timed_by: str | None = None

    @classmethod
    def of(cls, select: ast.Select, above: Demand | None = None) -> Demand:
        """The demand of this SELECT on its FROM."""
        relation = select.relation
        keeps_names = isinstance(relation, (ast.TableName, ast.Join)) or (
            isinstance(relation, ast.Derived) and not relation.columns
        )
        own = _windows_of(select)
        passed = above if above is not None and above.in_windows and select.group is None else None
        timed_by = passed_as(select, passed.timed_by) if passed is not None else None
        if own and own[0].arguments and isinstance(own[0].arguments[0], ast.Name):
            timed_by = own[0].arguments[0].parts[-1]
        return cls(
            select if keeps_names else None, above, in_windows=bool(own) or passed is not None, timed_by=timed_by
        )

    @property
    def where(self) -> ast.Expression | None:
        """The condition that rows must hold."""
        return None if self.select is None else self.select.where

    def limit(self, column: str) -> int | None:
        """The greatest value of a column that its WHERE lets pass, None if any may."""
        if self.select is None or self.select.where is None:
            return None
        relation = self.select.relation
        table = relation.alias if isinstance(relation, (ast.Derived, ast.TableName)) else None
        if table is None and isinstance(relation, ast.TableName):
            table = relation.name
        return limit_of(self.select.where, column, table)

    def selects(self, column: str) -> bool:
        """Whether its result may contain a column, itself or inside an expression."""
        if self.select is None:
            return True
        return any(isinstance(name, ast.Star) or column in name.parts for name in _names(self.select.items))

    def reads(self, column: str, table: str | None = None) -> bool:
        """Whether it, or the demand above, may read a column: of any table, or of this one."""
        if self.select is None or self._named is None:
            return True
        tables = self._named.get(column, set())
        if tables if table is None else tables & {None, table}:
            return True
        return self._passes_all and (self.above is None or self.select.distinct or self.above.reads(column))

    def misses(self, scope: Scope) -> bool:
        """Whether it names a column that its FROM lacks. The error names the nearest column, so all must be known."""
        if self.select is None:
            return False
        names = (name for name in _names(self._clauses, inside=False) if isinstance(name, ast.Name))
        if any(scope.is_here(name) and not scope.has(name) for name in names):
            return True
        own = (ScopeColumn(item.alias, NULL) for item in self.select.items if item.alias is not None)
        return self._passes_all and self.above is not None and self.above.misses(Scope((*scope.columns, *own)))

    @property
    def _passes_all(self) -> bool:
        return self.select is not None and any(isinstance(item.expression, ast.Star) for item in self.select.items)

    @property
    def _clauses(self) -> tuple[Any, ...]:
        """The clauses that read columns. A star only passes them on."""
        assert self.select is not None
        select = self.select
        items = tuple(item for item in select.items if not isinstance(item.expression, ast.Star))
        joins = [part for condition in _conditions(select.relation) for part in conjuncts(condition)]
        for part in self.held:
            # Another join may have the same condition.
            if part in joins:
                joins.remove(part)
        return (items, select.where, select.group, select.having, select.windows, select.order, tuple(joins))

    @cached_property
    def _named(self) -> Mapping[str, set[str | None]] | None:
        """The tables by which it names each column, None for a column without a table. None if it reads all columns.

        If a star has two columns of one name, the second is called by that name with a 0.
        """
        named: dict[str, set[str | None]] = {}
        for name in _names(self._clauses):
            if isinstance(name, ast.Star):
                return None
            for table, part in zip((None, *name.parts), name.parts[:2]):
                for column in (part, part.rstrip("0123456789")):
                    named.setdefault(column, set()).add(table)
        return named


def passed_as(select: ast.Select, column: str | None) -> str | None:
    """The column of its FROM that a SELECT passes on under this name; None if it passes on none."""
    for item in select.items:
        if isinstance(item.expression, ast.Name) and column == (item.alias or item.expression.parts[-1]):
            return item.expression.parts[-1]
    return column if any(isinstance(item.expression, ast.Star) for item in select.items) else None


def _windows_of(select: ast.Select) -> list[ast.Call]:
    keys = (key for group in select.group or () for keys in group.sets for key in keys)
    return [key for key in keys if isinstance(key, ast.Call) and key.name in WINDOW_FUNCTIONS]


def _conditions(relation: ast.Relation | None) -> Iterator[ast.Expression]:
    """The expressions of ON, USING, LATERAL and UNNEST."""
    if isinstance(relation, ast.Join):
        if relation.condition is not None:
            yield relation.condition
        yield from (ast.Name((name,), relation.at) for name in relation.using)
        if relation.natural:
            yield ast.Star(None, relation.at)
        if isinstance(relation.right, ast.Lateral):
            yield relation.right.expression
        yield from _conditions(relation.left)
        yield from _conditions(relation.right)


def _names(node: Any, inside: bool = True) -> Iterator[ast.Name | ast.Star]:
    """The names and stars in a node. With `inside` also the names of queries in it, but not their stars.

    A star of a query inside means the columns of that query's own FROM.
    """
    if isinstance(node, (ast.Name, ast.Star)):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _names(part, inside)
    elif isinstance(node, ast.Call):
        # The star of COUNT(*) reads no column.
        arguments = tuple(one for one in node.arguments if not isinstance(one, ast.Star))
        yield from _names((*arguments, node.filter, node.over, node.within), inside)
    elif isinstance(node, (ast.Select, ast.SetOperation, ast.Values)):
        if inside:
            named = _names(tuple(getattr(node, part.name) for part in fields(node)))
            yield from (name for name in named if isinstance(name, ast.Name))
    elif is_dataclass(node) and not isinstance(node, ast.FunctionTable):
        yield from _names(tuple(getattr(node, part.name) for part in fields(node)), inside)
