"""A stream in memory: the decisions of a driver, its log and its sinks, without Spark and without files.

It is a reference: operators compute from all rows that they have accepted, as simply as that can be said. A row has a
key, a value and a time. Aggregates are the number of rows, and that of distinct values. SQL is not computed: what is
between the operators is given as functions (`meaning.py`), and what is not here is refused by name. That is enough to
try when results are published, what is late, and what a crash between any two actions leaves. Thousands of histories
take seconds.
"""

from airflow_nrt.testing.memory.home import MemoryHome
from airflow_nrt.testing.memory.meaning import Meaning
from airflow_nrt.testing.memory.rows import Row
from airflow_nrt.testing.memory.stream import MemoryStream

__all__ = ["Meaning", "MemoryHome", "MemoryStream", "Row"]
