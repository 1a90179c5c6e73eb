"""The batch that a row was absorbed in: what functions of the clock read (`sql/expressions/functions/clock.py`)."""

from __future__ import annotations

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.model.internal_columns import ABSORBED


def absorbed(clock: int | str | None, watermark: int | str | None) -> str:
    """SQL of `_nrt_absorbed`: processing time (ms), and the watermark (ms) of the source before the batch.

    They are numbers, or the columns that have them. Without a clock a function that asks for it fails.
    """
    return f"struct({bigint(clock)} AS clock, {bigint(watermark)} AS watermark) AS {ABSORBED}"
