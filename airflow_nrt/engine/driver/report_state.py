"""The state of a report as one driver keeps it: partials, and what its kinds of inserts keep beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.engine.publish.staging import Staging
from airflow_nrt.engine.publish.update_tables import UpdateTables
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.versions.early_and_late_results import VersionedInserts
from airflow_nrt.engine.versions.throttled_changes import ThrottledInserts
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.model.plan import Plan


@dataclass(frozen=True)
class ReportState:
    """All of it lies in one store. What is staged has names that begin with the store's epoch, too."""

    plan: Plan
    store: SliceStore

    @cached_property
    def layouts(self) -> Mapping[str, Layout]:
        """By the name of its operator."""
        return {operator.name: layout_of(operator) for operator in self.plan.operators}

    @cached_property
    def versions(self) -> VersionedInserts:
        return VersionedInserts(self.store, self.plan, self.layouts)

    @cached_property
    def throttled(self) -> ThrottledInserts:
        return ThrottledInserts(self.store, self.plan)

    @cached_property
    def tables(self) -> UpdateTables:
        return UpdateTables(self.store)

    @cached_property
    def staging(self) -> Staging:
        return Staging(self.store.home, self.store.epoch, self.tables, self.fitting)

    @cached_property
    def fitting(self) -> Fitting:
        return Fitting(self.store.spark, self.store.home)
