"""The versions of dimension tables that a home remembers, Parquet, each once.

    dimensions/DIGEST.json     the files of a version, by the digest of its rows
    dimensions/ID/             these files

An entry of the log names the versions that its rows were joined with. A version is durable before its entry, and has a
name only once it is whole. In homes of earlier versions `dimensions/DIGEST/` has the files, and names none.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.dimensions.newest import digest_of, newest_rows
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import UNNAMED_VERSIONS_MS
from airflow_nrt.home.log.named_files import NamedFile
from airflow_nrt.home.store.records import read_record, record_bytes, record_of
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.durable_files import check_written, make_durable, written_in
from airflow_nrt.model.lookups import ROW_NUMBER, VALID_FROM, VALID_UNTIL
from airflow_nrt.model.plan import Lookup

_VERSION = "_nrt_version"
_DIRECTORY = f"element_at(split(_metadata.file_path, '/'), -2) AS {_VERSION}"
_FORMAT = Format("the files of a version")

Validity = tuple[str, int, int]
"""A version, and the processing times (ms) from which on and up to which it is valid."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class VersionFiles:
    """The files of a version, in this directory below `dimensions/`. None are named where an earlier version has
    written them."""

    directory: str
    files: tuple[NamedFile, ...] = ()


def remember(spark: SparkSession, home: Home, lookup: Lookup, mark: Hashable) -> str:
    """Writes the table as it was marked into the home, unless the home has that version; gives its name.

    Raises InputError as `digest_of` does.
    """
    home.dimensions.make()
    directory = home.dimensions / uuid.uuid4().hex
    is_new = False
    try:
        rows, counts = newest_rows(spark, lookup, mark)
        with dimension_of(lookup.table).explained(spark, lookup.table):
            rows.write.parquet(str(directory))
        written = VersionFiles(directory.name, written_in(directory))
        version = digest_of(lookup, _rows(spark, home, lookup, [written]))
        rejected = counts.get["rejected"] if counts is not None else 0
        if rejected:
            logger.warning("table %s: %s malformed lines and fields are left out", lookup.name, rejected)
        is_new = _keep(home, version, written)
    finally:
        if not is_new:
            directory.delete_all()
    return version


def _keep(home: Home, version: str, written: VersionFiles) -> bool:
    """Gives a version its name, durably. False if the home has it; then it is in use again, and no leftover."""
    make_durable(home, (), {f"{home.dimensions.key}/{written.directory}": written.files})
    name, ours = _named(home, version), record_bytes(_FORMAT, written)
    while not name.put_if_absent(ours):
        try:
            standing = name.read()
        except FileNotFoundError:
            # It was forgotten in between.
            continue
        is_whole = _is_whole(home, record_of(standing, _FORMAT, VersionFiles, name))
        if name.replace_if_unchanged(standing if is_whole else ours, standing):
            return not is_whole
    return True


def _is_whole(home: Home, version: VersionFiles) -> bool:
    try:
        check_written(home.dimensions / version.directory, version.files)
    except HomeError:
        return False
    return True


def version_rows(spark: SparkSession, home: Home, lookup: Lookup, versions: Iterable[str]) -> DataFrame:
    """The rows of these versions. Raises HomeError if the home has lost one of them."""
    return _rows(spark, home, lookup, [_files_of(home, lookup, version) for version in versions])


def valid_versions(spark: SparkSession, home: Home, lookup: Lookup, versions: Sequence[Validity]) -> DataFrame:
    """The rows of these versions, each with the processing times at which it is valid.

    Raises HomeError if the home has lost one of them.
    """
    files = {version: _files_of(home, lookup, version) for version in dict.fromkeys(name for name, _, _ in versions)}
    rows = _rows(spark, home, lookup, files.values()).selectExpr("*", _DIRECTORY)
    places = [(files[version].directory, since, until) for version, since, until in versions]
    valid = given_rows(spark, {_VERSION: "STRING", VALID_FROM: "BIGINT", VALID_UNTIL: "BIGINT"}, places)
    return rows.join(valid.hint("broadcast"), _VERSION).drop(_VERSION)


def _rows(spark: SparkSession, home: Home, lookup: Lookup, versions: Iterable[VersionFiles]) -> DataFrame:
    paths = [path for one in versions for path in _paths(home, one)]
    return spark.read.schema(_schema(lookup)).parquet(*(str(path).translate(GLOB) for path in paths))


def _paths(home: Home, version: VersionFiles) -> list[StorePath]:
    directory = home.dimensions / version.directory
    return [directory / file.name for file in version.files] or [directory]


def _files_of(home: Home, lookup: Lookup, version: str) -> VersionFiles:
    try:
        found = read_record(_named(home, version), _FORMAT, VersionFiles)
    except FileNotFoundError:
        found = VersionFiles(version)
    directory = home.dimensions / found.directory
    if not directory.exists():
        raise HomeError(
            f"the home has lost a version of table {lookup.name!r}, {directory}: put it back, or set "
            "'lookup.backfill' = 'newest' to use the newest one"
        )
    check_written(directory, found.files)
    return found


def _named(home: Home, version: str) -> StorePath:
    return home.dimensions / f"{version}.json"


def _schema(lookup: Lookup) -> str:
    """The columns of a version. Spark would start a job to find them in its files."""
    columns = (f"{quote(name)} {lookup.table.column(name).type.spark}" for name in lookup.columns)
    return ", ".join([*columns, f"{ROW_NUMBER} BIGINT"])


def remove_forgotten(home: Home, named: Iterable[str]) -> None:
    """Removes versions that no entry names and that nobody has used for a day."""
    # Homes of earlier versions have directories of the names of versions.
    kept = {*named}
    for name in home.dimensions.below(".json"):
        if name.stem in kept or not _is_old(name):
            kept |= {name.name, read_record(name, _FORMAT, VersionFiles).directory}
        else:
            # Before its files: a name promises them.
            name.delete()
    for place in home.dimensions.below():
        if place.name not in kept and _is_old(place):
            place.delete_all()


def _is_old(place: StorePath) -> bool:
    return place.age() * 1000 > UNNAMED_VERSIONS_MS
