"""The history of a log, from its first entry that stands, and what is left of those before."""

from __future__ import annotations

from airflow_nrt.home.log.fold.checkpoints import read_below
from airflow_nrt.home.log.history.history import History, read_history
from airflow_nrt.home.log.log import Log
from airflow_nrt.model.plan import Plan


def history_of(log: Log, plan: Plan) -> History:
    """Raises HomeError."""
    below = read_below(log)
    splits = {source: tuple(read) for source, read in below.items()}
    closed = {source: read.closed for source, read in below.items()}
    return read_history(log.audit(), plan, log.beginning(), splits, closed)
