"""Files that have become links since they were found: they are not read."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import SurroundingsError
from airflow_nrt.engine.java.local_files import close_directory, open_directory
from airflow_nrt.engine.sources.links import Links
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.tables import Table


class LinkedFileError(SurroundingsError):
    """A file that was found has become a link. The next listing leaves it out."""


def guard_directory(spark: SparkSession, table: Table) -> None:
    """Has the session refuse a file that has become a link out of the table's directory by the time when it is opened
    (`LocalFiles.java`), unless such links are followed."""
    links = Links.of(table)
    keep = open_directory if links.may_lead_out else close_directory
    keep(spark, links.root)


def check_links(spark: SparkSession, table: Table, files: Iterable[SourceFile]) -> None:
    """Raises LinkedFileError for a file that now is a link which is not followed, or lies behind one. One that becomes
    a link even later is found by the guard."""
    guard_directory(spark, table)
    for path, reason in Links.of(table).refusals(file.path for file in files).items():
        raise LinkedFileError(f"{path} is not read, as a link has come into its path since it was found: {reason}")
