"""Maintenance of a table while a driver publishes into it: who loses a race against the other begins again."""

from __future__ import annotations

import time

from airflow_nrt.engine.sinks.lakehouse.following import ATTEMPTS
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable
from airflow_nrt.engine.sinks.sink import Maintained


def maintained(table: LakeTable, before: int) -> Maintained:
    """Compacts the table, and removes what only its versions from before this time (ms) need."""
    files = table.files()
    _compact(table)
    table.forget(before)
    return Maintained(files, table.files())


def _compact(table: LakeTable) -> None:
    for attempt in range(ATTEMPTS):
        try:
            table.compact()
            return
        except Exception as failure:
            if attempt == ATTEMPTS - 1 or not table.lost_race(failure):
                raise
            time.sleep(0.2 * 2**attempt)
