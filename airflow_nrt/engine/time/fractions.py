"""Cuts times of rows that are read to the fraction digits of their types, once, before anything reads them."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.basics.fractions import cut, holds_coarse
from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.plan import Source
from airflow_nrt.model.row_semantics import FULL_FRACTIONS, ROW_SEMANTICS


def with_fractions(rows: DataFrame, source: Source, number: str = str(ROW_SEMANTICS)) -> DataFrame:
    """The rows with as many fraction digits as the types of the source's columns have.

    `number` is SQL of the semantics by which a row is read: by `FULL_FRACTIONS` it keeps all digits.
    """
    kinds = {name: source.table.column(name).type for name in source.physical if name in rows.columns}
    coarse = {name for name, kind in kinds.items() if holds_coarse(kind)}
    if not coarse or number == str(FULL_FRACTIONS):
        return rows

    def value(name: str) -> str:
        shortened = cut(quote(name), kinds[name])
        return shortened if number.isdigit() else f"IF({number} = {FULL_FRACTIONS}, {quote(name)}, {shortened})"

    return rows.selectExpr(*(f"{value(one)} AS {quote(one)}" if one in coarse else quote(one) for one in rows.columns))
