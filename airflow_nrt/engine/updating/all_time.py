"""Aggregates without a window, as aggregates of one window that never ends."""

from __future__ import annotations

from airflow_nrt.basics.types import TIMESTAMP3, Field
from airflow_nrt.engine.windows.layout import Layout
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.model.operators import AggregateCall, Regroup
from airflow_nrt.model.updating import UpdatingAggregate, UpdatingRows
from airflow_nrt.model.windows import tumble


def layout_of_all_time(
    operator: UpdatingAggregate | UpdatingRows, keys: tuple[Field, ...], calls: tuple[AggregateCall, ...]
) -> Layout:
    """The layout of the partials of these calls, one for each group."""
    return layout_of(Regroup(operator.name, operator.input, tumble(1), keys, calls, TIMESTAMP3))
