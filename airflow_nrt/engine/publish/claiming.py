"""Claiming the table of an insert: for a home, or for a generation that takes the place of another one."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.sink import Takeover
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.next_generation import formers_of
from airflow_nrt.model.plan import Insert


def claim(spark: SparkSession, home: Home, insert: Insert) -> None:
    """Claims the table. If it has the results of a generation before, these are replaced by those of this one.

    Raises InputError and UnreachableError, as `Sink.check`.
    """
    sink = sink_of(insert)
    # That of the last one, but for a table to which a report comes back.
    owner = next((one for one in formers_of(home) if sink.is_of(spark, insert, one.identity().id)), None)
    if owner is not None:
        sink.take_over(spark, home, insert, _takeover(home, owner, insert))
    sink.check(spark, home, insert)


def check_claim(spark: SparkSession, home: Home, insert: Insert) -> None:
    """Whether `claim` would succeed once this generation counts. What is claimed for that is given up again.

    Raises as `claim`.
    """
    sink, counting = sink_of(insert), Home.at(home.path, home.group)
    if any(sink.is_of(spark, insert, one.identity().id) for one in (counting, *formers_of(counting))):
        sink.look(spark, insert)
        return
    sink.check(spark, home, insert)
    sink.release(spark, home, insert)


def _takeover(home: Home, former: Home, insert: Insert) -> Takeover:
    mine, theirs = (_standing(of, insert.name) for of in (home, former))
    return Takeover(former, [*mine.values()], [one for _, one in theirs.values()])


def _standing(home: Home, name: str) -> dict[str, tuple[int, Published]]:
    """By place, the newest result of an insert, and the entry that decided it."""
    found: dict[str, tuple[int, Published]] = {}
    for entry in past_results(home.log()):
        found.update({one.target: (entry.n, one) for one in entry.published if one.insert == name})
        for target in entry.removed:
            insert, _, place = target.partition("/")
            if insert == name:
                found.pop(place, None)
    return found
