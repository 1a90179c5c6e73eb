"""Cuts times of rows that are read to the fraction digits of their types, once, before anything reads them."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.basics.fractions import cut, holds_coarse
from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.plan import Source


def with_fractions(rows: DataFrame, source: Source, full: str = "false") -> DataFrame:
    """The rows with as many fraction digits as the types of the source's columns have.

    `full` is a predicate: a row keeps all digits.
    """
    kinds = {name: source.table.column(name).type for name in source.physical if name in rows.columns}
    coarse = {name for name, kind in kinds.items() if holds_coarse(kind)}
    if not coarse or full == "true":
        return rows

    def value(name: str) -> str:
        shortened = cut(quote(name), kinds[name])
        return shortened if full == "false" else f"IF({full}, {quote(name)}, {shortened})"

    return rows.selectExpr(*(f"{value(one)} AS {quote(one)}" if one in coarse else quote(one) for one in rows.columns))
