"""Columns of a sink that must not be NULL: a row with a NULL there ends the job, or is left out, as in Flink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, with_times
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import NOT_NULL

_SHOWN = 500
"""The characters of a row that a message shows."""


@dataclass(frozen=True)
class RequiredColumns:
    """The columns for which a query may give NULL, and a sink takes none.

    `declared` are NOT NULL in the report; `keys` only because they are of the PRIMARY KEY. `hidden` are columns that
    the `query` has beside those of the sink. If it `drops`, rows with a NULL are left out.
    """

    table: str
    query: Query
    hidden: tuple[str, ...]
    declared: tuple[str, ...]
    keys: tuple[str, ...]
    drops: bool

    @property
    def enforced(self) -> Query:
        """The query as the report says."""
        return self.dropping if self.drops else replace(self.query, sql=self._raising())

    @property
    def dropping(self) -> Query:
        """The query without rows that have a NULL, whatever the report says: "SELECT * FROM (…) WHERE `k` IS NOT NULL".

        No window that was ever decided has such a row, so that a verification finds in it what was published.
        """
        checked = (*self.declared, *self.keys)
        if not checked:
            return self.query
        return replace(self.query, sql=f"SELECT * FROM ({self.query.sql}) WHERE {_are_not_null(checked)}")

    @property
    def with_null_keys(self) -> RequiredColumns:
        """The columns for a home that may have NULL in keys."""
        return replace(self, keys=())

    def _raising(self) -> str:
        """SQL of the query, which fails at a NULL.

        SELECT coalesce(`k`, raise_error(concat('…', to_json(struct(`k`, `n`), …)))) AS `k`, `n`, _nrt_end FROM (…)
        """
        checked = {*self.declared, *self.keys}
        if not checked:
            return self.query.sql
        names = [quote(field.name) for field in self.query.fields]
        shown = ", ".join(
            f"{with_times(name, one.type, as_field)} AS {name}" for one, name in zip(self.query.fields, names)
        )
        row = f"left(to_json(struct({shown}), map('ignoreNullFields', 'false')), {_SHOWN})"
        items = []
        for field, name in zip(self.query.fields, names):
            if field.name in checked:
                failed = f"raise_error(concat({string_literal(self._message(field.name))}, {row}))"
                items.append(f"coalesce({name}, {failed}) AS {name}")
            else:
                items.append(name)
        return f"SELECT {', '.join([*items, *self.hidden])} FROM ({self.query.sql})"

    def _message(self, column: str) -> str:
        because = "NOT NULL" if column in self.declared else "NOT NULL, as it is in the PRIMARY KEY"
        return (
            f"column {column!r} of table {self.table!r} is {because}, and the query has a NULL for it: leave such rows "
            f"out with WHERE, or SET '{NOT_NULL}' = 'drop'. The row: "
        )


def _are_not_null(columns: Sequence[str]) -> str:
    """SQL predicate.

    >>> print(_are_not_null(["shop", "day"]))
    `shop` IS NOT NULL AND `day` IS NOT NULL
    """
    return " AND ".join(f"{quote(name)} IS NOT NULL" for name in columns)
