"""A table follows the log: whoever publishes an entry first publishes those before it that the table lacks.

Marks only grow, so a commit with an older mark is one that was made before. A backfill that appended an entry and has
not published it yet finds that a driver did; both have the same staged files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType
from pyspark.sql.window import Window

from airflow_nrt.basics.errors import HomeError, RetainedError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks.lakehouse.columns import with_columns_of
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable, Mark
from airflow_nrt.engine.sinks.lakehouse.ownership import published_until, writer_of
from airflow_nrt.engine.sinks.staged_parquet import read_staged
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.plan import Insert

ATTEMPTS = 8


def follow(table: LakeTable, home: Home, until: Entry) -> None:
    """Publishes all entries up to this one that the table lacks, each in one commit."""
    log, done = home.log(), published_until(table, home)
    if log.floor is not None and done < log.first - 1:
        lost = log.beginning().results.get(table.insert.name, -1)
        if lost > done:
            raise RetainedError(
                f"table {table.name} has its results up to log entry {done}, and lacks those of entry {lost}: "
                f"{log.floor.gone(log.directory, lost)}. Restore a newer version of the table, or let a "
                "backfill publish its windows into a new one"
            )
        # Nothing of what is removed is of this table.
        done = log.first - 1
    for entry in log.entries(done + 1, until.n) if done < until.n else ():
        files = [one for one in entry.published if one.insert == table.insert.name and one.rows]
        gone = _windows(entry.removed, table.insert)
        if files or gone:
            _publish(table, home, entry, files, gone)
            reach("lake-committed")


def _windows(targets: Collection[str], insert: Insert) -> list[int]:
    """The ends of the windows among these targets of all inserts."""
    names = (target.partition("/") for target in targets)
    return [int(place) for name, _, place in names if name == insert.name and place.lstrip("-").isdecimal()]


def _publish(table: LakeTable, home: Home, entry: Entry, files: Sequence[Published], gone: Sequence[int]) -> None:
    for attempt in range(ATTEMPTS):
        try:
            _commit(table, home, entry, files, gone)
            return
        except Exception as failure:
            # Another process may have published the entry meanwhile, and removed the staged files.
            if published_until(table, home) >= entry.n:
                return
            if attempt == ATTEMPTS - 1 or not table.lost_race(failure):
                raise
            time.sleep(0.05 * 2**attempt)


def _commit(table: LakeTable, home: Home, entry: Entry, files: Sequence[Published], gone: Sequence[int]) -> None:
    paths = [home.directory / one.staged for one in files]
    missing = next((path for path in paths if not path.is_file()), None)
    if missing is not None:
        raise HomeError(
            f"log entry {entry.n} publishes {missing} into table {table.name}, and the file is gone: restore it"
        )
    schema, insert = table.schema(), table.insert
    assert schema is not None
    staged = read_staged(table.spark, insert, paths) if paths else None
    mark = Mark(writer_of(home, table), entry.n)
    if not insert.operators:
        assert staged is not None
        _commit_rows(table, schema, staged, mark)
        return
    ends = sorted({*(one.end for one in files if one.end is not None), *gone})
    table.replace(None if staged is None else with_columns_of(schema, staged), among(insert, schema, ends), mark)


def _commit_rows(table: LakeTable, schema: StructType, staged: DataFrame, mark: Mark) -> None:
    key = table.insert.sink.primary_key
    if not key or OP not in staged.columns:
        table.append(with_columns_of(schema, staged), mark)
        return
    # An entry that deletes a key and adds it again leaves it.
    newest = Window.partitionBy(*map(quote, key)).orderBy(F.col(OP) == "-D")
    once = staged.withColumn("_nrt_rank", F.row_number().over(newest)).where("_nrt_rank = 1")
    table.merge(with_columns_of(schema, once, [OP]), mark)


def among(insert: Insert, schema: StructType, ends: Sequence[int]) -> str:
    """SQL of the condition that a row is of one of these windows.

    `e` IN (TIMESTAMP_NTZ '2024-06-18 10:10:00', TIMESTAMP_NTZ '2024-06-18 10:20:00')
    """
    return _compared(insert, schema, lambda name, literals: f"{name} IN ({', '.join(literals)})", ends)


def between(insert: Insert, schema: StructType, first: int, last: int) -> str:
    """SQL of the condition that a row is of a window from the first to the last of these.

    `e` BETWEEN TIMESTAMP_NTZ '2024-06-18 10:10:00' AND TIMESTAMP_NTZ '2024-06-18 10:20:00'
    """
    return _compared(insert, schema, lambda name, literals: f"{name} BETWEEN {' AND '.join(literals)}", (first, last))


def _compared(
    insert: Insert, schema: StructType, condition: Callable[[str, list[str]], str], ends: Sequence[int]
) -> str:
    assert insert.end_column is not None
    kind = schema[insert.end_column].dataType.simpleString().upper()
    return condition(quote(insert.end_column), [f"{kind} '{format_instant(end)}'" for end in ends])
