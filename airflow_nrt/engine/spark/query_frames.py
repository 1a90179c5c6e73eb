"""Stateless queries of the plan as DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.undone import undone
from airflow_nrt.model.operators import Query
from airflow_nrt.model.row_semantics import AS_IN_FLINK, READ_BY, differs, read_by


def run_query(query: Query, views: Mapping[str, DataFrame]) -> DataFrame:
    """The query over these inputs, lazily.

    A query that differs by the entries of its rows reads those of each number for themselves. Rows that do not say the
    number have the newest.
    """
    inputs = {name: views[name] for name in query.inputs}
    if not differs(query.sql):
        return run_sql(query.sql, inputs)
    of_number = [
        run_sql(read_by(number, query.sql), {name: _of_number(frame, number) for name, frame in inputs.items()})
        for number in (AS_IN_FLINK - 1, AS_IN_FLINK)
    ]
    return of_number[0].unionAll(of_number[1])


def _of_number(frame: DataFrame, number: int) -> DataFrame:
    """The rows that were read before `AS_IN_FLINK`, or since then."""
    is_newest = number == AS_IN_FLINK
    if READ_BY not in frame.columns:
        return frame.where(F.lit(is_newest))
    return frame.where((F.col(READ_BY) >= AS_IN_FLINK) == is_newest)


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
