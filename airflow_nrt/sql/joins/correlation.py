"""What a query compares with the row outside: equations in its WHERE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from airflow_nrt.sql.errors import NotThereYet
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, children, conjuncts

CORRELATED = "a query as a value that compares with the row outside like this"
Pair = tuple[ast.Expression, ast.Expression]
"""The operands of an equation: of the query's own rows, and of the outer row."""
Outside = frozenset[str | None]
"""The names of the tables of the outer query."""


@dataclass(frozen=True)
class Correlation:
    """The `pairs` that a query compares with the outer row, and the `rest` of its WHERE."""

    pairs: tuple[Pair, ...]
    rest: ast.Expression | None

    @classmethod
    def of(cls, query: ast.Select, outside: Outside) -> Correlation:
        """Raises NotThereYet at a comparison that is no equation."""
        theirs = outside - set(tables_of(query.relation))
        parts = list(conjuncts(query.where)) if query.where is not None else []
        related = [part for part in parts if reads_outer(part, theirs)]
        pairs = tuple(_pair(part, theirs) for part in related)
        return cls(pairs, all_of(part for part in parts if part not in related))


def _pair(part: ast.Expression, outside: Outside) -> Pair:
    if isinstance(part, ast.Binary) and part.operator == "=":
        for own, theirs in ((part.left, part.right), (part.right, part.left)):
            if not reads_outer(own, outside) and all(reads_outer(name, outside) for name in _names(theirs)):
                return own, theirs
    raise NotThereYet(CORRELATED, part.at, "compare a column of the query and one outside with =")


def reads_outer(node: ast.Expression, outside: Outside) -> bool:
    """Whether it names a table of the outer query."""
    return any(len(name.parts) > 1 and name.parts[0] in outside for name in _names(node))


def _names(node: ast.Expression) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name):
        yield node
    for child in children(node):
        yield from _names(child)


def tables_of(relation: ast.Relation | None) -> Iterator[str | None]:
    """The table names that qualify a query's own columns."""
    if isinstance(relation, ast.Join):
        yield from tables_of(relation.left)
        yield from tables_of(relation.right)
    elif isinstance(relation, (ast.TableName, ast.TableVersion)):
        yield relation.alias or relation.name
    elif relation is not None:
        yield getattr(relation, "alias", None)
