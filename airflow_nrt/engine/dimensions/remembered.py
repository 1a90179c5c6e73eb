"""The versions of dimension tables that a home remembers: `dimensions/DIGEST`, Parquet, each version once.

An entry of the log names the versions that its rows were joined with. A version is durable before its entry, and has a
name only once it is whole.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.dimensions.newest import digest_of, newest_rows
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.files.durable import sync_directory
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import UNNAMED_VERSIONS_MS
from airflow_nrt.model.lookups import ROW_NUMBER, VALID_FROM, VALID_UNTIL
from airflow_nrt.model.plan import Lookup

_ASIDE = "aside-"
"""The prefix of the names of versions that are being written."""
_VERSION = "_nrt_version"
_DIRECTORY = f"element_at(split(_metadata.file_path, '/'), -2) AS {_VERSION}"

Validity = tuple[str, int, int]
"""A version, and the processing times (ms) from which on and up to which it is valid."""

logger = logging.getLogger(__name__)


def remember(spark: SparkSession, home: Home, lookup: Lookup, mark: Hashable) -> str:
    """Writes the table as it was marked into the home, unless the home has that version; gives its name.

    Raises InputError as `digest_of` does.
    """
    home.dimensions.make()
    aside = home.dimensions / f"{_ASIDE}{uuid.uuid4().hex}"
    try:
        rows, counts = newest_rows(spark, lookup, mark)
        with dimension_of(lookup.table).explained(spark, lookup.table):
            rows.write.parquet(str(aside))
        version = digest_of(lookup, version_rows(spark, home, lookup, [aside.name]))
        rejected = counts.get["rejected"] if counts is not None else 0
        if rejected:
            logger.warning("table %s: %s malformed lines and fields are left out", lookup.name, rejected)
        _keep(aside.local, (home.dimensions / version).local)
    finally:
        aside.delete_all()
    return version


def _keep(aside: Path, kept: Path) -> None:
    """Gives a version its name, durably."""
    if kept.is_dir():
        # It is in use again, so it is no leftover.
        os.utime(kept)
        return
    for file in aside.iterdir():
        handle = os.open(file, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    sync_directory(aside)
    try:
        os.rename(aside, kept)
    except OSError:
        # Another process was faster.
        if not kept.is_dir():
            raise
    sync_directory(kept.parent)


def version_rows(spark: SparkSession, home: Home, lookup: Lookup, versions: Iterable[str]) -> DataFrame:
    """The rows of these versions. Raises HomeError if the home has lost one of them."""
    places = [home.dimensions / version for version in versions]
    for place in places:
        if not place.exists():
            raise HomeError(
                f"the home has lost a version of table {lookup.name!r}, {place}: put it back, or set "
                "'lookup.backfill' = 'newest' to use the newest one"
            )
    return spark.read.schema(_schema(lookup)).parquet(*(str(place).translate(GLOB) for place in places))


def valid_versions(spark: SparkSession, home: Home, lookup: Lookup, versions: Sequence[Validity]) -> DataFrame:
    """The rows of these versions, each with the processing times at which it is valid.

    Raises HomeError if the home has lost one of them.
    """
    names = dict.fromkeys(version for version, _, _ in versions)
    rows = version_rows(spark, home, lookup, names).selectExpr("*", _DIRECTORY)
    valid = given_rows(spark, {_VERSION: "STRING", VALID_FROM: "BIGINT", VALID_UNTIL: "BIGINT"}, versions)
    return rows.join(valid.hint("broadcast"), _VERSION).drop(_VERSION)


def _schema(lookup: Lookup) -> str:
    """The columns of a version. Spark would start a job to find them in its files."""
    columns = (f"{quote(name)} {lookup.table.column(name).type.spark}" for name in lookup.columns)
    return ", ".join([*columns, f"{ROW_NUMBER} BIGINT"])


def remove_forgotten(home: Home, named: Iterable[str]) -> None:
    """Removes versions that no entry names and that nobody has used for a day."""
    known = {*named}
    for place in home.dimensions.below():
        if place.name not in known and place.age() * 1000 > UNNAMED_VERSIONS_MS:
            place.delete_all()
