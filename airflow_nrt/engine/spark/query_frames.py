"""Stateless queries of the plan as DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.undone import undone
from airflow_nrt.model.operators import Query
from airflow_nrt.model.row_semantics import READ_BY, ROW_SEMANTICS, differs, readings


def run_query(query: Query, views: Mapping[str, DataFrame]) -> DataFrame:
    """The query over these inputs, lazily.

    A query that differs by the entries of its rows reads those of each number for themselves. Rows that do not say the
    number have the newest.
    """
    inputs = {name: views[name] for name in query.inputs}
    if not differs(query.sql):
        return run_sql(query.sql, inputs)
    of_numbers = (
        run_sql(sql, {name: _of_numbers(frame, first, last) for name, frame in inputs.items()})
        for first, last, sql in readings(query.sql)
    )
    return reduce(DataFrame.unionAll, of_numbers)


def _of_numbers(frame: DataFrame, first: int, last: int) -> DataFrame:
    """The rows that were read by one of these numbers."""
    if READ_BY not in frame.columns:
        return frame.where(F.lit(last == ROW_SEMANTICS))
    return frame.where(F.col(READ_BY).between(first, last))


def run_sql(sql: str, views: Mapping[str, DataFrame]) -> DataFrame:
    """Spark SQL over these DataFrames by name, lazily. The names are gone again, because it is analysed at once."""
    with named(views) as session:
        return session.sql(sql)


@contextmanager
def named(views: Mapping[str, DataFrame]) -> Iterator[SparkSession]:
    """Within it, the SQL of the session of these DataFrames reads them by name. For one thread of a session at a time.

    Names of the session that are equal to these are gone afterwards.
    """
    session = next(iter(views.values())).sparkSession
    with undone(partial(_forget, session, views)):
        for name, frame in views.items():
            frame.createOrReplaceTempView(quote(name))
        yield session


def _forget(session: SparkSession, names: Iterable[str]) -> None:
    # The catalog that is open to users would look through the cache, too, and compute again what is not computed yet.
    catalog = session._jsparkSession.sessionState().catalog()
    for name in names:
        catalog.dropTempView(name)


def same(names: Sequence[str]) -> list[Column]:
    """The join condition that rows `l` and `r` are equal in these columns; NULL equals NULL."""
    return [F.col(f"r.{name}").eqNullSafe(F.col(f"l.{name}")) for name in names] or [F.lit(True)]
