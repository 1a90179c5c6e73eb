"""Groups before and after a batch, by `_nrt_after`. One plan computes both."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.model.internal_columns import AFTER, ALIVE, KEY


def added(old: DataFrame | None, fresh: DataFrame) -> DataFrame:
    """The rows of the touched groups before and after a batch that only adds rows."""
    now = fresh.selectExpr("*", f"true AS {AFTER}")
    return now if old is None else _twice(old).unionByName(now)


def changed(old: DataFrame | None, fresh: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    """The same where fresh rows are changes: a row replaces the row of its group with the same `_nrt_key`.

    Retracted rows are part of it, without `_nrt_alive`: so an empty group has a newest version, too.
    """
    changes = (f"{AFTER} AS {ALIVE}", f"IF({AFTER}, 2, 1) AS _nrt_news")
    rows = fresh.selectExpr(f"* EXCEPT ({AFTER})", *changes, f"true AS {AFTER}")
    if old is not None:
        rows = _twice(old.where(ALIVE), "0 AS _nrt_news").unionByName(rows)
    by = ", ".join([AFTER, *keys, KEY])
    last = f"row_number() OVER (PARTITION BY {by} ORDER BY _nrt_news DESC) AS _nrt_last"
    return rows.selectExpr("*", last).where("_nrt_last = 1").drop("_nrt_last", "_nrt_news")


def _twice(old: DataFrame, *more: str) -> DataFrame:
    return old.selectExpr("*", *more, f"explode(array(false, true)) AS {AFTER}")
