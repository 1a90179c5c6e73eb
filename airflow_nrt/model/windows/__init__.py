"""The arithmetic of windows, one module a kind: slices, ends, what counts, what is complete."""

from airflow_nrt.model.windows.arithmetic import Ms, Sql
from airflow_nrt.model.windows.cumulate import Cumulate, cumulate
from airflow_nrt.model.windows.grid import Every, Grid
from airflow_nrt.model.windows.hop import Hop, MonthlyHop, hop
from airflow_nrt.model.windows.lengths import Length, format_length
from airflow_nrt.model.windows.months import Monthly, Months
from airflow_nrt.model.windows.over import Over, over
from airflow_nrt.model.windows.session import Session, session
from airflow_nrt.model.windows.tumble import Tumble, tumble
from airflow_nrt.model.windows.window import Ends, Window, counts_in, is_complete

WINDOWS: tuple[type[Window], ...] = (Tumble, Hop, MonthlyHop, Cumulate, Session, Over)
"""All kinds."""

__all__ = [
    "WINDOWS",
    "Cumulate",
    "Ends",
    "Every",
    "Grid",
    "Hop",
    "Length",
    "Monthly",
    "MonthlyHop",
    "Months",
    "Ms",
    "Over",
    "Session",
    "Sql",
    "Tumble",
    "Window",
    "counts_in",
    "cumulate",
    "format_length",
    "hop",
    "is_complete",
    "over",
    "session",
    "tumble",
]
