"""The operator of event-time temporal joins: its input is the rows and all versions, its result the rows with theirs.

    time                  1    2    3    4    5    6
    rates (version 0)     A    .    .    .    B    .
    prices (version 1)    .    .    X    .    .    .
    rows                  .    A    .    A,X  .    B,X

The frame of each join is RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW of one key. The last version in it is the
one with the greatest time, of several at one time the one that arrived last.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import POSITION_TYPE, STRING, DataType, Field
from airflow_nrt.model.internal_columns import LEFT, OP, POSITION, RIGHT, ROWTIME, SIDE, SOURCE_HIDDEN, WINDOW_END
from airflow_nrt.model.operators import AggregateCall, Query, RowFrame
from airflow_nrt.model.written import Written
from airflow_nrt.sql.expressions.functions.clock import PROCTIME_SQL
from airflow_nrt.sql.expressions.functions.signature import as_common
from airflow_nrt.sql.expressions.typed import Typed, common_type
from airflow_nrt.sql.from_clause.unions import carried
from airflow_nrt.sql.joins.as_of_sides import Pair
from airflow_nrt.sql.joins.versioned import Versioned
from airflow_nrt.sql.kept_rows.buffered_rows import arrival_position
from airflow_nrt.sql.relations.relation import Relation, union_inputs


@dataclass(frozen=True)
class Match:
    """One join: the columns `found` of the versions that are read, and its condition.

    `key` are the values of both sides that are equal where a row and a version have one key. An `outer` join keeps rows
    without a version.
    """

    table: Versioned
    found: tuple[Pair, ...]
    condition: Typed
    key: tuple[tuple[Typed, Typed], ...]
    outer: bool

    @property
    def type(self) -> DataType:
        """A version, as a value."""
        return DataType("ROW", children=tuple((old.name, one.type.with_nullable(True)) for old, one in self.found))

    @property
    def value(self) -> str:
        """SQL of a version. Its columns are NULL from a row on that ends the version of its key.

        named_struct('currency', `r.currency`, 'rate', `r.rate`)
        """
        names = [quote(one.name) for _, one in self.found]
        if self.table.ends:
            message = string_literal(
                f"{STOP_MARK}table {self.table.name!r}: a row that deletes a key has no rowtime, so nothing says how "
                "long its version is valid. Take the rowtime from METADATA of the record, or skip the record"
            )
            nothing = [f"IF({ROWTIME} IS NULL, raise_error({message}), NULL)", *["NULL"] * (len(names) - 1)]
            names = [f"IF({OP} = '-D', {none}, {name})" for none, name in zip(nothing, names)]
        fields = (part for (old, _), name in zip(self.found, names) for part in (string_literal(old.name), name))
        return f"named_struct({', '.join(fields)})"


@dataclass(frozen=True)
class TemporalRows:
    """The rows of the left side with their columns that are read, and the joins, each after the one before."""

    relation: Relation
    kept: tuple[Pair, ...]
    matches: tuple[Match, ...]

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(Field(f"k{n}", one.type) for n, (_, one) in enumerate(self.kept))

    @property
    def keys(self) -> tuple[Field, ...]:
        own = (field for fields in self._keys for field in fields)
        return (*self.fields, *own, Field(SIDE, STRING), Field("p", POSITION_TYPE))

    @property
    def _keys(self) -> tuple[tuple[Field, ...], ...]:
        """The key of each join."""
        kinds = [[common_type([own.type, other.type]) for own, other in match.key] for match in self.matches]
        return tuple(
            tuple(Field(f"g{n}_{m}", kind) for m, kind in enumerate(some) if kind is not None)
            for n, some in enumerate(kinds)
        )

    @property
    def frames(self) -> tuple[RowFrame, ...]:
        return tuple(RowFrame(tuple(field.name for field in fields), "RANGE", None) for fields in self._keys)

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        return tuple(
            AggregateCall(
                f"a{n}", "VERSION", f"v{n}", one.type, None, False, one.type, f"the version of {one.table.name}"
            )
            for n, one in enumerate(self.matches)
        )

    @property
    def written(self) -> Written:
        names = [(field.name, one.title) for field, (_, one) in zip(self.fields, self.kept)]
        for fields, match in zip(self._keys, self.matches):
            names += zip((field.name for field in fields), match.table.key)
        return Written(tuple(names), None)

    @property
    def query(self) -> Query:
        """The input: versions and rows, each with NULL in the columns of the others.

        SELECT k0, g0_0, v0, _nrt_side, …, struct(…) AS p FROM (
            SELECT NULL AS k0, CAST(`r.currency` AS STRING) AS g0_0, named_struct(…) AS v0, 'R' AS _nrt_side, … FROM …
            UNION ALL SELECT `t.id` AS k0, CAST(`t.currency` AS STRING) AS g0_0, NULL AS v0, 'L' AS _nrt_side, … FROM …
        )
        """
        sides = [
            (self._columns(n), _named(one.table.relation, one.found, *((OP,) if one.table.ends else ())))
            for n, one in enumerate(self.matches)
        ]
        sides.append((self._columns(None), _named(self.relation, self.kept)))
        texts = [
            f"SELECT {', '.join([*columns, *(carried(name, n, len(sides)) for name in SOURCE_HIDDEN)])} FROM {text}"
            for n, (columns, text) in enumerate(sides)
        ]
        keys = [field.name for fields in self._keys for field in fields]
        names = [*(field.name for field in self.fields), *keys, *(f"v{n}" for n in range(len(self.matches))), SIDE]
        shown = ", ".join([*names, *SOURCE_HIDDEN, f"{arrival_position().sql} AS p"])
        inputs = [self.relation.inputs, *(one.table.relation.inputs for one in self.matches)]
        return Query(f"SELECT {shown} FROM ({' UNION ALL '.join(texts)})", union_inputs(inputs), self.fields)

    def _columns(self, n: int | None) -> list[str]:
        """SQL of the columns of a version of the n-th join, or of a row."""
        columns = []
        for field, (_, one) in zip(self.fields, self.kept):
            columns.append(f"{quote(one.name) if n is None else f'CAST(NULL AS {field.type.spark})'} AS {field.name}")
        for m, (fields, match) in enumerate(zip(self._keys, self.matches)):
            for field, (own, other) in zip(fields, match.key):
                value = f"CAST(NULL AS {field.type.spark})"
                if n is None or n == m:
                    value = as_common(own if n is None else other, field.type)
                columns.append(f"{value} AS {field.name}")
        columns += (f"{one.value if m == n else 'NULL'} AS v{m}" for m, one in enumerate(self.matches))
        return [*columns, f"'{LEFT if n is None else RIGHT}' AS {SIDE}"]

    def text(self, operator: str) -> str:
        """The result: the rows of the left side with the columns of their versions, after all joins.

        (SELECT k0 AS `t.id`, a0['rate'] AS `r.rate`, p AS _nrt_pos, _nrt_end FROM `w1` WHERE _nrt_side = 'L')
        """
        names = [quote(one.name) for _, one in self.kept]
        items = [f"{field.name} AS {name}" for field, name in zip(self.fields, names)]
        for n, match in enumerate(self.matches):
            items += (f"a{n}[{string_literal(old.name)}] AS {quote(one.name)}" for old, one in match.found)
            names += (quote(one.name) for _, one in match.found)
        of_rows = f"FROM {quote(operator)} WHERE {SIDE} = '{LEFT}'"
        rows = f"(SELECT {', '.join([*items, f'p AS {POSITION}', WINDOW_END])} {of_rows})"
        for match in self.matches:
            rows = _joined(rows, match, [*names, POSITION, WINDOW_END])
        return rows


def _joined(rows: str, match: Match, names: list[str]) -> str:
    """The rows after one join, as a FROM item: the version of a row is none if the condition is not true."""
    condition = match.condition.sql
    if not match.outer:
        return f"(SELECT {', '.join(names)} FROM {rows} WHERE {condition})"
    own = {quote(one.name) for _, one in match.found}
    shown = (f"IF(_nrt_meets, {name}, NULL) AS {name}" if name in own else name for name in names)
    met = f"SELECT {', '.join(names)}, coalesce({condition}, false) AS _nrt_meets FROM {rows}"
    return f"(SELECT {', '.join(shown)} FROM ({met}))"


def _named(relation: Relation, columns: tuple[Pair, ...], *more: str) -> str:
    """The rows of one side as a FROM item, with their columns under the names that they have above the join."""
    items = (f"{PROCTIME_SQL if old.proctime else quote(old.name)} AS {quote(one.name)}" for old, one in columns)
    return f"(SELECT {', '.join([*items, *SOURCE_HIDDEN, *more])} FROM {relation.text})"
