"""A query of at most one row for each outer row, which is joined to read its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.from_clause.constant_rows import is_constant
from airflow_nrt.sql.joins.correlation import Pair
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of
from airflow_nrt.sql.relations.relation import Relation


@dataclass(frozen=True)
class JoinedQuery:
    """A `query` that is joined under the table `name`. Of its `keys`, which the `condition` compares, there is one row
    each."""

    name: str
    query: ast.Query
    condition: ast.Expression
    keys: frozenset[str]
    at: Place

    def check(self, relation: Relation) -> None:
        """Raises NotThereYet if it can have several rows for one outer row."""
        if not is_constant(relation) and not any(self.keys >= set(key) for key in relation.unique):
            raise NotThereYet(
                "a query of several rows as a value",
                self.at,
                "write an aggregate without GROUP BY, which gives one row",
            )


def equal_to(name: str, keys: Iterable[str], pairs: Iterable[Pair], at: Place) -> ast.Expression:
    """The condition that the keys of a joined query are equal to what the outer row has: `o.shop = v.key0`."""
    equations = (
        ast.Binary("=", theirs, ast.Name((name, key), at), at) for key, (_, theirs) in zip(keys, pairs, strict=True)
    )
    return all_of(equations) or ast.Literal("boolean", "TRUE", at)
