"""GROUP BY without both window bounds: an `UpdatingAggregate`, whose groups change as rows arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.internal_columns import CHANGE_HIDDEN, key_of
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating import UpdatingAggregate
from airflow_nrt.model.value_places import in_group
from airflow_nrt.sql.aggregates.each_window import in_each_window
from airflow_nrt.sql.aggregates.grouping import Aggregation, key_column
from airflow_nrt.sql.ddl.emit import FIRES
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.kept_rows.updating_sessions import in_sessions_of_groups
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import BOUNDS, Relation, as_rows, raw_windows
from airflow_nrt.sql.relations.unique_keys import carried, keys_of_groups
from airflow_nrt.sql.updating.sliding import ways_to_bound


def plan_group(findings: Findings, node: ast.Select, relation: Relation) -> Relation:
    """A SELECT with plain group keys: inside windows if both bounds are keys, else over all rows so far."""
    missing = missing_bounds(relation, [grouping.sets[0][0] for grouping in node.group or ()])
    if not missing and not relation.is_changing:
        return Aggregation(findings, *in_each_window(findings, node, relation)).plan()
    if not missing:
        clause = "group rows that are only added"
        return _UpdatingAggregation(
            findings, node, relation, Boundless("a window over rows that change", clause, node.at)
        ).plan()
    cause = boundless("an aggregation", relation, missing, "GROUP BY", node.at)
    return _UpdatingAggregation(findings, node, relation, cause).plan()


def plan_emitting(findings: Findings, node: ast.Select, relation: Relation, at: Place) -> Relation:
    """A SELECT over GROUP BY windows with early or late results: it emits what each batch changes."""
    cause = Boundless(
        "a window with early-fire or late-fire", f"leave {' and '.join(map(repr, FIRES))} out: it fires once", at
    )
    return _UpdatingAggregation(findings, node, relation, cause).plan()


def missing_bounds(relation: Relation, keys: Sequence[ast.Expression]) -> list[str]:
    """The window bounds that are not among these keys."""
    scope = Scope(relation.columns)
    names = [key for key in keys if isinstance(key, ast.Name) and scope.has(key)]
    roles = {scope.find(key).role for key in names} if relation.pending or relation.window else set()
    return [name for name, role in BOUNDS if role not in roles]


def unwindowed(findings: Findings, relation: Relation) -> Relation:
    """The relation as rows without windows."""
    if relation.has_sessions:
        relation = finished(findings, relation)
    if relation.pending is not None:
        findings.note_all_columns(relation)
        return raw_windows(relation)
    if relation.window is None:
        return relation
    rows = as_rows(relation)
    return replace(rows, columns=tuple(replace(column, role=None, of_window=False) for column in rows.columns))


def boundless(what: str, relation: Relation, missing: list[str], where: str, at: Place) -> Boundless:
    """Why a query without the `missing` window bounds keeps state for ever.

    `what` is what the query does. `where` is the clause that the bounds belong in: GROUP BY or PARTITION BY.
    """
    if relation.pending is not None or relation.window is not None:
        return Boundless(f"{what} without {' and '.join(missing)}", f"add {', '.join(missing)} to {where}", at)
    window = f"write FROM TABLE(CUMULATE(TABLE …, DESCRIPTOR(…), step, size)) and {where} window_start, window_end"
    return Boundless(f"{what} without a window", window, at)


class _UpdatingAggregation(Aggregation):
    def __init__(self, findings: Findings, node: ast.Select, relation: Relation, cause: Boundless) -> None:
        self.boundless = cause
        self.window = relation.pending or relation.window
        self.partition = None if relation.pending is None else relation.partition or ()
        self.roles = {column.name: column.role for column in relation.columns}
        self.time = next((column.name for column in relation.columns if column.rowtime), None)
        if relation.has_sessions and relation.partition is None:
            super().__init__(findings, *in_sessions_of_groups(findings, node, relation, cause))
        else:
            super().__init__(findings, node, unwindowed(findings, relation))

    def _place(self) -> str:
        return in_group([field.name for _, field in self.keys])

    def _identity(self) -> str:
        return key_of([field.name for _, field in self.keys])

    def _is_constant(self) -> bool:
        """Whether neither the number of groups grows, nor the state of each."""
        constant = {column.name for column in self.relation.columns if column.constant}
        return not self._holds_values and all(self.below.compile(key).columns <= constant for key, _ in self.keys)

    @property
    def _groups(self) -> list[tuple[Typed, str | None]]:
        """The keys, each with its role if it is a column of the window."""
        plain = ((self.below.compile(key).column, field) for key, field in self.keys)
        return [(key_column(field), self.roles.get(name or "")) for name, field in plain]

    @property
    def _sessions_of(self) -> list[Typed | None] | None:
        """The keys that partition a pending SESSION, None for one that is not grouped by. None if there is none."""
        plain = ((self.below.compile(key).column, field) for key, field in self.keys)
        named = {name: key_column(field) for name, field in plain}
        return None if self.partition is None else [named.get(name) for name in self.partition]

    @property
    def _holds_values(self) -> bool:
        return any(call.holds_values for call in self.calls.values())

    def _ways(self) -> tuple[str, ...]:
        """Ways to bound its state without windows, for messages."""
        table = self.relation.scan
        if table is None or self.relation.pending is not None:
            return ()
        columns = frozenset().union(*(self.below.compile(key).columns for key, _ in self.keys))
        growing = [name for name in self.relation.names if name in columns and not self.relation.column(name).constant]
        return ways_to_bound(table, self.time, self.node.where, None if self._holds_values else growing)

    def _relation(self, before: list[Typed], names: list[str], values: list[Typed], after: list[Typed]) -> Relation:
        """The rows are "(SELECT `k0` AS `shop`, `a0` AS `s`, _nrt_after, _nrt_key FROM `u1` WHERE (`a1` > 1))"."""
        relation = self.relation
        items = [f"{typed.sql} AS {quote(name)}" for name, typed in self.inputs.items()]
        condition = " AND ".join(typed.sql for typed in before)
        where = f" WHERE {condition}" if condition else ""
        fields = tuple(field for _, field in self.keys)
        keys = {field.name for field in fields}
        operator = self.findings.share_updating(
            UpdatingAggregate(
                name="",
                input=Query(
                    f"SELECT {', '.join([*items, *relation.hidden])} FROM {relation.text}{where}",
                    relation.inputs,
                    fields,
                ),
                keys=fields,
                aggregates=tuple(self.calls.values()),
                arguments=tuple(name for name in self.inputs if name not in keys),
                changing=relation.is_changing,
                constant=self._is_constant(),
                written=self.written,
            ),
            replace(self.boundless, bounds=self._ways()),
        )
        condition = " AND ".join(value.sql for value in after)
        selected = [f"{value.sql} AS {quote(name)}" for name, value in zip(names, values)]
        text = f"(SELECT {', '.join([*selected, *CHANGE_HIDDEN])} FROM {quote(operator.name)}"
        return Relation(
            f"{text}{f' WHERE {condition}' if condition else ''})",
            tuple(ScopeColumn(name, value.type) for name, value in zip(names, values)),
            (operator.name,),
            relation.node,
            hidden=CHANGE_HIDDEN,
            unique=carried(keys_of_groups(self.window, self._groups, self._sessions_of), names, values),
        )
