"""Updating operators, one module a kind."""

from airflow_nrt.model.updating.aggregate import UpdatingAggregate
from airflow_nrt.model.updating.at_end import END, RowsAtEnd
from airflow_nrt.model.updating.join import FILTERS, JoinSide, UpdatingJoin
from airflow_nrt.model.updating.operator import UpdatingOperator
from airflow_nrt.model.updating.recent import RecentRows
from airflow_nrt.model.updating.rows import FramedCall, UpdatingRows
from airflow_nrt.model.updating.sessions import UpdatingSessions

Updating = UpdatingAggregate | UpdatingRows | UpdatingSessions | UpdatingJoin | RecentRows | RowsAtEnd

__all__ = [
    "END",
    "FILTERS",
    "FramedCall",
    "JoinSide",
    "RecentRows",
    "RowsAtEnd",
    "Updating",
    "UpdatingAggregate",
    "UpdatingJoin",
    "UpdatingOperator",
    "UpdatingRows",
    "UpdatingSessions",
]
