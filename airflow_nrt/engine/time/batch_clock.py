"""The time of a row's batch, which functions of the clock read (`sql/expressions/functions/clock.py`)."""

from __future__ import annotations

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.model.internal_columns import ABSORBED


def absorbed(clock: int | str | None, watermark: int | str | None) -> str:
    """SQL of `_nrt_absorbed`: processing time (ms), and the watermark (ms) of the source before the batch.

    Both are numbers, or columns. Without a clock, a function that needs it fails.

    >>> print(absorbed(1718704800000, None))
    struct(1718704800000L AS clock, CAST(NULL AS BIGINT) AS watermark) AS _nrt_absorbed
    """
    return f"struct({bigint(clock)} AS clock, {bigint(watermark)} AS watermark) AS {ABSORBED}"
