"""Who made windows wrong: the commit of others after the last version of their table in which they were right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from airflow_nrt.describe.table_history import TableCommit, WindowHistory, changed, published_so, untold
from airflow_nrt.engine.sinks.table_versions import VersionCommit

LOOKED_AT, WALKED = 20, 1000
"""Versions in which windows are compared, and commits of which the log is read, for one insert."""
Ends = Set[int | None]
Wrong = Callable[[int, Ends], Ends]
"""Those of these windows that are wrong in a version."""


def histories(
    commits: Iterator[VersionCommit] | None, published: Mapping[int | None, int], wrong: Wrong
) -> dict[int | None, WindowHistory]:
    """The history of each window that is wrong; `published` are the log entries of their last versions, by their ends.

    `commits` are those of the table, from the newest one that is verified backwards; without any there is no history. A
    commit of the home changes no window of another entry, so windows are compared only in versions before commits of
    others.
    """
    if commits is None:
        return {}
    found: dict[int | None, WindowHistory] = {}
    open_ends = dict(published)
    looks, last = 0, None
    for n, commit in enumerate(commits):
        if not open_ends or n == WALKED or looks == LOOKED_AT:
            break
        last = commit.made
        if commit.entry is not None:
            here = [end for end, entry in open_ends.items() if entry >= commit.entry]
            found |= {end: published_so(commit.made, commit.entry) for end in here}
        elif commit.changes_rows and commit.before is not None:
            looks += 1
            try:
                still = wrong(commit.before, open_ends.keys())
            except (PySparkException, Py4JJavaError):
                found |= dict.fromkeys(open_ends, untold(f"files of version {commit.before} are gone"))
                return found
            found |= {end: changed(commit.made, commit.before) for end in open_ends.keys() - still}
        open_ends = {end: entry for end, entry in open_ends.items() if end not in found}
    return {**found, **dict.fromkeys(open_ends, untold(_not_before(last)))}


def _not_before(last: TableCommit | None) -> str:
    return "the table has no history" if last is None else f"it is so since {last} at least, and no older one was read"
