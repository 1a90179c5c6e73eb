"""`a JOIN b USING (k)`: a join `ON a.k = b.k` whose result has one `k`. NATURAL is USING all columns of equal names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from airflow_nrt.basics.spelling import quote
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.relation import Relation

Pair = tuple[ScopeColumn, ScopeColumn]
"""Two columns of one name: of the left side, and of the right."""


@dataclass(frozen=True)
class CommonColumns:
    """The pairs of columns that USING names, or that NATURAL finds."""

    join: ast.Join
    pairs: tuple[Pair, ...]

    @classmethod
    def of(cls, join: ast.Join, left: Sequence[ScopeColumn], right: Sequence[ScopeColumn]) -> CommonColumns:
        """The common columns of a join. Raises SqlError for a name that a side lacks, or has twice."""
        sides = Scope(left), Scope(right)
        if not join.natural:
            names = [ast.Name((name,), join.at) for name in join.using]
        else:
            names = [ast.Name((column.title,), join.at) for column in left if not column.merged]
            names = [name for name in names if sides[1].has(name)]
        return cls(join, tuple((sides[0].find(name), sides[1].find(name)) for name in names))

    @property
    def on(self) -> ast.Join:
        """The join with ON instead of USING or NATURAL."""
        join = self.join
        if not join.using and not join.natural:
            return join
        equal: list[ast.Expression] = [
            ast.Binary("=", self._name(left), self._name(right), join.at) for left, right in self.pairs
        ]
        whole = reduce(lambda one, other: ast.Binary("AND", one, other, join.at), equal) if equal else None
        return replace(join, condition=whole or ast.Literal("boolean", "TRUE", join.at))

    def shown(self, joined: Relation) -> Relation:
        """The joined rows with the common columns first: "(SELECT *, `orders.shop` AS `orders+shops.shop` FROM (…))".

        The columns of both sides keep only their qualified names.
        """
        if not self.pairs:
            return joined
        compiler = Compiler(Scope(joined.columns), place=joined.place)
        values = [compiler.compile(self._value(pair)) for pair in self.pairs]
        merged = {column.name for pair in self.pairs for column in pair}
        columns = [self._column(joined, pair, value) for pair, value in zip(self.pairs, values)]
        items = [f"{value.sql} AS {quote(column.name)}" for value, column in zip(values, columns)]
        others = (replace(column, merged=column.merged or column.name in merged) for column in joined.columns)
        same = dict(self._same(columns, values))
        unique = (tuple(dict.fromkeys(same.get(name, name) for name in key)) for key in joined.unique)
        return replace(
            joined,
            text=f"(SELECT *, {', '.join(items)} FROM {joined.text})",
            columns=(*columns, *others),
            unique=(*unique, *joined.unique),
        )

    def _value(self, pair: Pair) -> ast.Expression:
        left, right = map(self._name, pair)
        if self.join.kind != "FULL" and pair[0].type.with_nullable(True) == pair[1].type.with_nullable(True):
            return right if self.join.kind == "RIGHT" else left
        return ast.Call("COALESCE", (left, right), self.join.at)

    def _column(self, joined: Relation, pair: Pair, value: Typed) -> ScopeColumn:
        """The common column. If it is a column of one side, it keeps its properties: a window role, for example."""
        plain = None if value.column is None else joined.column(value.column)
        title, table = pair[0].title, "+".join(column.table or "" for column in pair)
        return replace(
            plain or ScopeColumn(title, value.type), name=f"{table}.{title}", table=table, shown=title, merged=False
        )

    def _same(self, columns: Sequence[ScopeColumn], values: Sequence[Typed]) -> Iterator[tuple[str, str]]:
        """The columns that always equal a common one, each with its name."""
        for pair, common, value in zip(self.pairs, columns, values):
            if value.column in {column.name for column in pair}:
                same = [column for column in pair if self.join.kind == "INNER" or column.name == value.column]
                yield from ((column.name, common.name) for column in same)

    def _name(self, column: ScopeColumn) -> ast.Name:
        parts = (column.name,) if column.table is None else (column.table, column.title)
        return ast.Name(parts, self.join.at)
