"""What the SELECT around a subquery asks of it: with `WHERE n <= 3` around a ranking only three rows a key matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from airflow_nrt.basics.types import NULL
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.logical.top_n import limit_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import conjuncts


@dataclass(frozen=True)
class Around:
    """`select` is None where the query stands by itself, or beside others.

    What stands `above` says which columns of a star matter. The conditions `gone` from ON hold already.
    """

    select: ast.Select | None = None
    above: Around | None = None
    gone: tuple[ast.Expression, ...] = ()

    @classmethod
    def of(cls, select: ast.Select, above: Around | None = None) -> Around:
        """What this SELECT asks of its FROM."""
        relation = select.relation
        keeps_names = isinstance(relation, (ast.TableName, ast.Join)) or (
            isinstance(relation, ast.Derived) and not relation.columns
        )
        return cls(select if keeps_names else None, above)

    @property
    def where(self) -> ast.Expression | None:
        """What it asks of rows."""
        return None if self.select is None else self.select.where

    def limit(self, column: str) -> int | None:
        """The greatest value of a column that it lets pass, None if any may."""
        if self.select is None or self.select.where is None:
            return None
        relation = self.select.relation
        table = relation.alias if isinstance(relation, (ast.Derived, ast.TableName)) else None
        if table is None and isinstance(relation, ast.TableName):
            table = relation.name
        return limit_of(self.select.where, column, table)

    def selects(self, column: str) -> bool:
        """Whether it may show a column, itself or inside an expression."""
        if self.select is None:
            return True
        return any(isinstance(name, ast.Star) or column in name.parts for name in _names(self.select.items))

    def reads(self, column: str, table: str | None = None) -> bool:
        """Whether it, or what stands above, may look at a column anywhere, or at that of this table."""
        if self.select is None or self._named is None:
            return True
        tables = self._named.get(column, set())
        if tables if table is None else tables & {None, table}:
            return True
        return self._passes_all and (self.above is None or self.select.distinct or self.above.reads(column))

    def misses(self, scope: Scope) -> bool:
        """Whether it names a column that is not in its FROM: the error tells the nearest of all that are there."""
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
        """All that looks at columns, but the stars that pass them on."""
        assert self.select is not None
        select = self.select
        items = tuple(item for item in select.items if not isinstance(item.expression, ast.Star))
        joins = [part for condition in _conditions(select.relation) for part in conjuncts(condition)]
        for part in self.gone:
            # Another join may have the same condition.
            if part in joins:
                joins.remove(part)
        return (items, select.where, select.group, select.having, select.windows, select.order, tuple(joins))

    @cached_property
    def _named(self) -> Mapping[str, set[str | None]] | None:
        """The columns that it names, None for all of them, and the tables in front of them, None where there is none.

        Of a star's columns with one name the second is that with a 0.
        """
        named: dict[str, set[str | None]] = {}
        for name in _names(self._clauses):
            if isinstance(name, ast.Star):
                return None
            for table, part in zip((None, *name.parts), name.parts[:2]):
                for column in (part, part.rstrip("0123456789")):
                    named.setdefault(column, set()).add(table)
        return named


def _conditions(relation: ast.Relation | None) -> Iterator[ast.Expression]:
    """What stands behind ON, USING, LATERAL and UNNEST."""
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
    """The names in a node, and its stars; of queries `inside` it the names, for their stars mean other columns."""
    if isinstance(node, (ast.Name, ast.Star)):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _names(part, inside)
    elif isinstance(node, ast.Call):
        # The star of COUNT(*) is no column.
        arguments = tuple(one for one in node.arguments if not isinstance(one, ast.Star))
        yield from _names((*arguments, node.filter, node.over, node.within), inside)
    elif isinstance(node, (ast.Select, ast.SetOperation, ast.Values)):
        if inside:
            named = _names(tuple(getattr(node, part.name) for part in fields(node)))
            yield from (name for name in named if isinstance(name, ast.Name))
    elif is_dataclass(node) and not isinstance(node, ast.FunctionTable):
        yield from _names(tuple(getattr(node, part.name) for part in fields(node)), inside)
