"""A changed report is computed beside the one that counts, by two drivers of one process, until it takes its place.

The generation that counts goes on as it was. The next one reads the past of its sources from the beginning, as any
stream does; its results wait in the home. Once it has absorbed all that the other one has, the other one leaves, one
entry of its log decides, and the results that wait replace those of the generation before, table by table.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.spark.own_session import in_this_thread
from airflow_nrt.home.changes.obstacles import obstacles
from airflow_nrt.home.changes.of_home import listed
from airflow_nrt.home.heartbeat import FINISHED
from airflow_nrt.home.home import Home, Replan
from airflow_nrt.home.next_generation import begin_next
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Plan

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """A report whose `plan` is to take the place of that of a `home`, which was `made_for` another plan."""

    home: Home
    made_for: Plan
    plan: Plan


def change_of(home: Home, plan: Plan, replan: Replan) -> Change:
    """Raises InputError if the home's own report can't go on, or if the past of the changed one can't be computed, or
    can't replace what its tables have."""
    _, made_for = home.comparison(plan, replan)
    found = [*obstacles(home.log(), made_for, plan), *_tables_that_stay(made_for, plan)]
    if found:
        raise InputError(
            f"the report {plan.name!r} has changed since its home {home.path} was made, and can't be computed beside "
            f"the one that counts:\n{listed(found)}\n"
            "Ways out: start it in a new home, with other tables for its results"
        )
    home.additions(made_for, replan)
    return Change(home, made_for, plan)


def _tables_that_stay(made_for: Plan, plan: Plan) -> Iterator[str]:
    before = {insert.name: insert for insert in made_for.written}
    for insert in plan.written:
        known, connector = before.get(insert.name), connector_of(insert.sink)
        if known is None or connector_of(known.sink).place(known.sink) != connector.place(insert.sink):
            # A new table is claimed like any other.
            continue
        reason = sink_of(insert).keeps_from_takeover(known, insert)
        if reason is not None:
            yield f"table {insert.name}: {reason}: give it another name, and another place"


def run_both(
    spark: SparkSession, change: Change, replan: Replan, available_now: bool, launch: str, stop_asked: threading.Event
) -> str:
    """Runs both until the next generation has taken its place, and then that alone; gives the state in which it ended.

    The report that counts goes on alone if the changed one fails before that. Raises as `Runner.run`, and what the
    changed one failed with once the other one has finished.
    """
    from airflow_nrt.engine.driver.idleness import idle_timeout
    from airflow_nrt.engine.driver.part import LEFT, Former, Handover, Successor
    from airflow_nrt.engine.driver.past_of_topics import beginning_with_archives, beginnings_of
    from airflow_nrt.engine.driver.run import Runner

    following = begin_next(change.home, change.plan, replan)
    reach("rebuild-begun")
    handover = Handover(following.generation)
    before = change.home.as_it_runs(change.made_for)
    former = Runner(spark, before, change.home, available_now, launch, stop_asked, replan, Former(handover))
    plan = beginning_with_archives(change.home, change.made_for, following.as_it_runs(change.plan))
    idling = {source.name for source in plan.sources if idle_timeout(plan, source) is not None}
    part = Successor(handover, idling, beginnings_of(change.home, change.made_for))
    successor = Runner(spark, plan, following, available_now, launch, stop_asked, replan, part)
    log.info("generation %s of %s is computed beside the one that counts", following.generation, plan.name)
    result = _Result()

    def succeed() -> None:
        try:
            in_this_thread(spark)
            if handover.has_begun():
                result.state = successor.run()
        except BaseException as failure:
            result.failure = failure
            if not handover.is_taken:
                log.error("generation %s of %s is not computed any more: %s", following.generation, plan.name, failure)
        finally:
            handover.end()

    beside = threading.Thread(target=succeed, name="successor")
    beside.start()
    try:
        state = former.run()
    finally:
        handover.end()
        beside.join()
    if state == FINISHED and result.failure is not None:
        raise result.failure
    if state != LEFT:
        return state
    log.info("generation %s of %s has taken its place", following.generation, plan.name)
    if result.failure is not None:
        raise result.failure
    assert result.state is not None
    return result.state


@dataclass
class _Result:
    """How the driver of the next generation has ended."""

    state: str | None = None
    failure: BaseException | None = None
