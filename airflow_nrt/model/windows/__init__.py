"""The arithmetic of windows, one module a kind: slices, ends, what counts, what is complete."""

from airflow_nrt.model.windows.arithmetic import Ms, Sql
from airflow_nrt.model.windows.cumulate import Cumulate, cumulate
from airflow_nrt.model.windows.hop import Hop, hop
from airflow_nrt.model.windows.over import Over, over
from airflow_nrt.model.windows.session import Session, session
from airflow_nrt.model.windows.tumble import Tumble, tumble
from airflow_nrt.model.windows.window import Ends, Window, counts_in, is_complete

WINDOWS: tuple[type[Window], ...] = (Tumble, Hop, Cumulate, Session, Over)
"""All kinds."""

__all__ = [
    "WINDOWS",
    "Cumulate",
    "Ends",
    "Hop",
    "Ms",
    "Over",
    "Session",
    "Sql",
    "Tumble",
    "Window",
    "counts_in",
    "cumulate",
    "hop",
    "is_complete",
    "over",
    "session",
    "tumble",
]
