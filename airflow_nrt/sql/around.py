"""What the SELECT around a subquery asks of it: with `WHERE n <= 3` around a ranking only three rows a key matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from airflow_nrt.sql import ast
from airflow_nrt.sql.walk import conjuncts

_MIRRORED = {"<": ">", "<=": ">=", "=": "=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Around:
    """`select` is None where the query stands by itself, or beside others."""

    select: ast.Select | None = None

    @classmethod
    def of(cls, select: ast.Select) -> Around:
        """What this SELECT asks of its FROM."""
        relation = select.relation
        keeps_names = isinstance(relation, (ast.TableName, ast.Join)) or (
            isinstance(relation, ast.Derived) and not relation.columns
        )
        return cls(select if keeps_names else None)

    @property
    def where(self) -> ast.Expression | None:
        """What it asks of rows."""
        return None if self.select is None else self.select.where

    def limit(self, column: str) -> int | None:
        """The greatest value of a column that it lets pass, None if any may."""
        if self.select is None or self.select.where is None:
            return None
        limits = [self._limit(part, column) for part in conjuncts(self.select.where)]
        return min((limit for limit in limits if limit is not None), default=None)

    def selects(self, column: str) -> bool:
        """Whether it may show a column, itself or inside an expression."""
        return self.select is None or _mentions(self.select.items, column)

    def reads(self, column: str) -> bool:
        """Whether it may look at a column anywhere."""
        if self.select is None:
            return True
        conditions = tuple(_conditions(self.select.relation))
        return _mentions((replace(self.select, relation=None, ctes=()), *conditions), column)

    def _limit(self, part: ast.Expression, column: str) -> int | None:
        match part:
            case ast.Binary(operator, left, right) if operator in _MIRRORED:
                if self._is(right, column):
                    operator, left, right = _MIRRORED[operator], right, left
                value = _integer(right) if self._is(left, column) else None
                if value is None or operator in (">", ">="):
                    return None
                return value - 1 if operator == "<" else value
            case ast.Between(operand, _, high, negated) if self._is(operand, column) and not negated:
                return _integer(high)
        return None

    def _is(self, node: ast.Expression, column: str) -> bool:
        assert self.select is not None
        relation = self.select.relation
        alias = relation.alias if isinstance(relation, (ast.Derived, ast.TableName)) else None
        if alias is None and isinstance(relation, ast.TableName):
            alias = relation.name
        return isinstance(node, ast.Name) and node.parts in ((column,), (alias, column))


def _conditions(relation: ast.Relation | None) -> Iterator[ast.Expression]:
    """What stands behind ON and USING."""
    if isinstance(relation, ast.Join):
        if relation.condition is not None:
            yield relation.condition
        yield from (ast.Name((name,), relation.at) for name in relation.using)
        if relation.natural:
            yield ast.Star(None, relation.at)
        yield from _conditions(relation.left)
        yield from _conditions(relation.right)


def _mentions(node: Any, column: str) -> bool:
    """Whether a name like this stands anywhere inside, or a star."""
    if isinstance(node, tuple):
        return any(_mentions(part, column) for part in node)
    if isinstance(node, ast.Call):
        # The star of COUNT(*) is no column.
        arguments = tuple(one for one in node.arguments if not isinstance(one, ast.Star))
        return _mentions((*arguments, node.filter, node.over, node.within), column)
    if isinstance(node, (ast.Name, ast.Star)):
        return isinstance(node, ast.Star) or column in node.parts
    return is_dataclass(node) and any(_mentions(getattr(node, part.name), column) for part in fields(node))


def _integer(node: ast.Expression) -> int | None:
    return int(node.text) if isinstance(node, ast.Literal) and node.kind == "number" and node.text.isdigit() else None
