"""One commit that gives a table the results of a generation of a home, in place of those of the generation before."""

from __future__ import annotations

import time

from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks.lakehouse.columns import with_columns_of
from airflow_nrt.engine.sinks.lakehouse.following import ATTEMPTS, among
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable, Mark
from airflow_nrt.engine.sinks.lakehouse.ownership import OWNER, owned_by, writer_of
from airflow_nrt.engine.sinks.sink import Takeover
from airflow_nrt.engine.sinks.staged_parquet import read_staged
from airflow_nrt.home.home import Home


def is_owned_by(table: LakeTable, owner: str) -> bool:
    """Whether a home, or a generation of one, with this id has taken the table."""
    return table.schema() is not None and table.properties().get(OWNER) == owner


def take_over(table: LakeTable, home: Home, takeover: Takeover) -> None:
    """The commit has the mark of the last entry, up to which the table follows the log from then on.

    A commit that was made before with an older mark, and was not followed by the claim, is made again.
    """
    mark = Mark(writer_of(home, table), home.log().last)
    ends = {one.end for one in takeover.left} | {one.end for _, one in takeover.standing}
    known = sorted(end for end in ends if end is not None)
    for attempt in range(ATTEMPTS if known else 0):
        try:
            _replace(table, home, takeover, known, mark)
            break
        except Exception as failure:
            if attempt == ATTEMPTS - 1 or not table.lost_race(failure):
                raise
            time.sleep(0.05 * 2**attempt)
    reach("takeover-written")
    table.set_properties(owned_by(home, table, mark.entry))
    reach("takeover-claimed")


def _replace(table: LakeTable, home: Home, takeover: Takeover, ends: list[int], mark: Mark) -> None:
    schema, insert = table.schema(), table.insert
    assert schema is not None
    # A window without rows has no file.
    paths = [home.directory / one.staged for _, one in takeover.standing if one.rows]
    rows = with_columns_of(schema, read_staged(table.spark, insert, paths)) if paths else None
    table.replace(rows, among(insert, schema, ends), mark)
