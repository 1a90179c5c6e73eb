"""A SELECT over the rows of its FROM: what it keeps, then OVER, then its groups, a ranking, or its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from airflow_nrt.sql.aggregates import select_distinct
from airflow_nrt.sql.aggregates.grouped_windows import CLOCK_COLUMN, OWN_NAMES, GroupedWindow, grouped_window
from airflow_nrt.sql.aggregates.grouping import PlanGroup, plan_aggregate
from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.from_clause.windowed_rows import windowed, with_clock
from airflow_nrt.sql.from_clause.windowing_functions import window_of_group
from airflow_nrt.sql.joins.scalar_subqueries import with_values
from airflow_nrt.sql.joins.semi_joins import tested
from airflow_nrt.sql.kept_rows.kept_rows import without_held
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.over.arrival_numbers import numbered_on_arrival
from airflow_nrt.sql.over.first_rows import counted_in_time, note_keys
from airflow_nrt.sql.over.named_windows import written_out
from airflow_nrt.sql.over.row_windows import has_row_windows, numbers_by_time, with_row_windows
from airflow_nrt.sql.over.updating_over import is_over_all_time, with_updating_over
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.ordering import unsorted
from airflow_nrt.sql.selects.over_in_window import is_in_window
from airflow_nrt.sql.selects.projection import expand, plan_projection
from airflow_nrt.sql.updating.sliding import check_sliding
from airflow_nrt.sql.updating.updating import plan_emitting, plan_group, unwindowed
from airflow_nrt.sql.updating.updating_rows import plan_ranking, ranks_all_time


@dataclass(frozen=True)
class SelectPlanner:
    """Plans the SELECTs of one scope.

    `relation_of` plans what a subquery in a SELECT reads. `zone` is the session's. With `emits_again` a window in GROUP
    BY emits what each batch changes of it.
    """

    findings: Findings
    relation_of: Callable[[ast.Relation], Named]
    zone: str | None
    emits_again: bool

    def relation(self, node: ast.Select, relation: Relation, alias: str | None, demand: Demand) -> Relation:
        """The rows that a SELECT gives of this `relation`, which is its FROM. Raises SqlError."""
        self.findings.idle.update({f"hint {text!r}": why for text, why in node.hints})
        node = written_out(node)
        written = unsorted(node)
        check_sliding(node, relation, alias)
        node = without_held(node, relation.node)
        node, relation, alias = with_values(self.findings, node, relation, alias, self.relation_of)
        node, relation = tested(self.findings, node, relation, alias, self.relation_of)
        arrived = numbered_on_arrival(self.findings, node, relation, alias, demand)
        node, relation = arrived or (node, relation)
        counted = counted_in_time(self.findings, node, relation, alias, demand)
        by_time = has_row_windows(node) and not is_in_window(node, relation, alias)
        if counted is not node:
            node, relation = self._over(counted, relation, alias, demand)
            note_keys(self.findings, counted, relation)
        elif by_time or numbers_by_time(node, relation, alias, demand):
            node, relation = self._over(node, relation, alias, demand)
        if node.distinct:
            node = select_distinct.as_grouping(node, relation, alias)
        plan_one: PlanGroup = plan_group
        grouped = grouped_window(node)
        if grouped is not None:
            node, relation = self._windowed(grouped, relation, alias)
            if self.emits_again:
                plan_one = partial(plan_emitting, at=grouped.call.at)
        kept: tuple[str, ...] = ()
        if node.group is not None or contains_aggregate(node):
            relation = plan_aggregate(self.findings, node, relation, alias, plan_one)
            kept = relation.inputs
        elif ranks_all_time(node, relation, alias):
            relation = plan_ranking(self.findings, node, relation, alias, demand)
            kept = relation.inputs
        else:
            relation = plan_projection(self.findings, node, relation, alias, self.relation_of, demand)
        return replace(relation, node=selected(written, relation.node, kept))

    def _over(
        self, node: ast.Select, relation: Relation, alias: str | None, demand: Demand
    ) -> tuple[ast.Select, Relation]:
        """The SELECT with columns in place of OVER, and the rows with these columns."""
        relation = unwindowed(self.findings, relation) if relation.is_changing else relation
        of_rows = relation.pending is None and relation.window is None
        if of_rows and is_over_all_time(node, relation, alias):
            return with_updating_over(self.findings, node, relation, alias)
        return with_row_windows(self.findings, node, relation, alias, self.zone, demand)

    def _windowed(self, grouped: GroupedWindow, relation: Relation, alias: str | None) -> tuple[ast.Select, Relation]:
        """The SELECT with the columns of the window in its GROUP BY, and the rows in this window."""
        node = grouped.select
        if any(isinstance(item.expression, ast.Star) for item in node.items):
            node = replace(node, items=tuple(expand(node.items, relation, alias)))
        if grouped.reads_clock:
            relation = with_clock(relation, CLOCK_COLUMN, grouped.call.at)
        # Each group key has sessions of its own, also a computed key.
        window = window_of_group(grouped.call)
        windowing = (window, None if window.bounded_by_rows else ())
        at = grouped.call.at
        relation = windowed(self.findings, self.zone, relation, alias, grouped.timecol, windowing, at, OWN_NAMES)
        grouped.check_times(by_clock=bool(relation.clock))
        return node, relation
