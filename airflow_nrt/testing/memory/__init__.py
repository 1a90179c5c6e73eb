"""A stream in memory: the decisions of a driver, its log and its sinks, without Spark and without files.

It counts rows, and distinct values, by key: enough to try when results are published, what is late, and what a crash
between any two actions leaves. Thousands of histories take seconds.
"""

from airflow_nrt.testing.memory.home import MemoryHome
from airflow_nrt.testing.memory.rows import Row
from airflow_nrt.testing.memory.stream import MemoryStream

__all__ = ["MemoryHome", "MemoryStream", "Row"]
