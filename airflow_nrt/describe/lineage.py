"""Column lineage: the columns of sources that each column of a result is computed from.

A plan's queries are plain SQL between operators. OpenLineage's parser reads each query, and this module follows the
operators in between: the result of an aggregate comes from its argument and its filter, the bounds of a window from the
rowtime. A column that comes from no column, such as `COUNT(*)`, has no entry. Nor has a column of a query that the
parser can't read. Without the parser, which comes with Airflow's OpenLineage provider, only tables are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from airflow_nrt.basics.spelling import quote
from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.model.arithmetic_errors import uncounted
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.datasets import DatasetName
from airflow_nrt.model.internal_columns import NUMBERED, ROWTIME
from airflow_nrt.model.lookups import view_of
from airflow_nrt.model.operators import Query, Regroup, WindowAggregate
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.tables import Table
from airflow_nrt.model.updating import Updating

Origins = frozenset[tuple[str, str]]
"""Pairs of a source and a column of it."""
Step = WindowAggregate | Regroup | Updating


@dataclass(frozen=True)
class Dataset:
    """A table of the report: its names in lineage (none where nobody else sees its rows), and its columns with their
    types.

    `symlinks` are further names of it. `origins` of a result are, by column, the pairs of a source and a column that it
    comes from.
    """

    name: str
    names: tuple[DatasetName, ...]
    symlinks: tuple[DatasetName, ...]
    columns: tuple[tuple[str, str], ...]
    origins: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Lineage:
    """The tables that a report reads and writes, and its script `without_secrets`; '' for a program."""

    sources: tuple[Dataset, ...]
    results: tuple[Dataset, ...]
    script: str


def lineage_of(plan: Plan) -> Lineage:
    """The lineage of a plan, without masked values."""
    tracer = _Tracer(plan)
    sources = tuple(_dataset(plan, table, table.name) for table in plan.tables_read)
    results = tuple(_dataset(plan, one.sink, one.name, tracer.of_insert(one)) for one in plan.written)
    return Lineage(sources, results, without_secrets(plan.script))


def as_insert(query: Query) -> str:
    """A query in the SQL of OpenLineage's parser, which does not know Spark's operator `div`.

    A value does not come from the columns that say where it could not be computed.
    """
    return f"INSERT INTO `result` {uncounted(query.sql).replace(' div ', ' / ')}"


def _dataset(plan: Plan, table: Table, name: str, origins: Mapping[str, Origins] | None = None) -> Dataset:
    connector = connector_of(table)

    def shown(names: Iterable[DatasetName]) -> tuple[DatasetName, ...]:
        return tuple(DatasetName(plan.given.shown(one.namespace), plan.given.shown(one.name)) for one in names)

    known = {column: tuple(sorted(found)) for column, found in (origins or {}).items() if found}
    columns = tuple((column.name, column.type.name) for column in table.physical)
    return Dataset(name, shown(connector.datasets(table)), shown(connector.symlinks(table)), columns, known)


@dataclass
class _Tracer:
    plan: Plan
    _known: dict[tuple[str, str], Origins] = field(default_factory=dict)
    _queries: dict[str, dict[str, set[tuple[str, str]]]] = field(default_factory=dict)

    def of_insert(self, insert: Insert) -> dict[str, Origins]:
        return {column.name: self._in_query(insert.query, column.name) for column in insert.sink.physical}

    def _in_query(self, query: Query, column: str) -> Origins:
        """The origins of a column of a query's result."""
        return _union(self._of(*pair) for pair in self._read(query).get(column, ()))

    def _of(self, name: str, column: str) -> Origins:
        """The origins of a column of a source or an operator."""
        if (name, column) not in self._known:
            # So a query that reads itself, by a mistake, ends the recursion.
            self._known[name, column] = frozenset()
            step = self._steps.get(name)
            if step is not None:
                self._known[name, column] = self._in_step(step, column)
            elif name in self._sources:
                self._known[name, column] = self._in_source(self._sources[name], column)
        return self._known[name, column]

    def _in_source(self, source: Source, column: str) -> Origins:
        watermark = source.table.watermark
        if column == ROWTIME:
            return frozenset() if watermark is None else self._in_source(source, watermark.name)
        found = next((one for one in source.table.columns if one.name == column), None)
        if found is None:
            return frozenset()
        if found.is_computed:
            return _union(self._in_source(source, one) for one in found.reads)
        return frozenset([(source.name, column)])

    def _in_step(self, step: Step, column: str) -> Origins:
        queries = [_unnumbered(step, query) for query in step.inputs]
        return _union(self._in_query(query, name) for query in queries for name in step.made_of(column))

    def _read(self, query: Query) -> dict[str, set[tuple[str, str]]]:
        """By column of its result, the columns of its inputs that a query computes it from; empty if not known."""
        if query.sql not in self._queries:
            try:
                from openlineage_sql import parse
            except ImportError:
                return {}
            parsed = parse([as_insert(query)], dialect="databricks")
            self._queries[query.sql] = {
                one.descendant.name: {(origin.origin.name, origin.name) for origin in one.lineage if origin.origin}
                for one in (parsed.column_lineage if parsed is not None and not parsed.errors else ())
            }
        return self._queries[query.sql]

    @cached_property
    def _sources(self) -> dict[str, Source]:
        """Also dimension tables, by the names of their views."""
        looked_up = {view_of(lookup.table): lookup.read for lookup in self.plan.lookups}
        return {**{source.name: source for source in self.plan.sources}, **looked_up}

    @cached_property
    def _steps(self) -> dict[str, Step]:
        return {step.name: step for step in (*self.plan.operators, *self.plan.regroups, *self.plan.updating)}


def _unnumbered(step: Step, query: Query) -> Query:
    """An input of a step over its sources alone. A number in the order of arrival comes from no column."""
    if not isinstance(step, WindowAggregate) or step.numbering is None:
        return query
    return replace(query, sql=query.sql.replace(quote(NUMBERED), step.numbering.rows))


def _union(origins: Iterable[Origins]) -> Origins:
    return frozenset().union(*origins)
