"""What one batch, or one firing, does to the updating operators of a plan, in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame

from airflow_nrt.engine.sinks.changelog import by_key, changelog
from airflow_nrt.engine.spark.frames import run_query
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.aggregate import AggregateStep, ChangingAggregateStep
from airflow_nrt.engine.updating.at_end import AtEnd, at_end
from airflow_nrt.engine.updating.groups import Groups
from airflow_nrt.engine.updating.held import Held
from airflow_nrt.engine.updating.join import JoinStep
from airflow_nrt.engine.updating.recent import Recent, recent
from airflow_nrt.engine.updating.rows import RowsStep
from airflow_nrt.engine.updating.sessions import SessionsStep
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.engine.windows.no_rows import nothing_of
from airflow_nrt.home.log.clock import operator_watermark
from airflow_nrt.home.log.entries import Position
from airflow_nrt.model.hidden import POSITION
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import (
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
    stands_alone,
)

Stepping = UpdatingAggregate | UpdatingRows | UpdatingSessions | UpdatingJoin
"""An operator that works step by step, batch by batch: what is not moved by time, and does not wait for the end."""
News = Mapping[str, Callable[[], DataFrame]]
"""By name, new rows of sources, or windows that fire: each reader asks for them anew."""


def needs_position(operator: Updating) -> bool:
    """Whether it looks at where rows stood on arrival."""
    if isinstance(operator, RowsAtEnd):
        return operator.changing and POSITION in operator.input.sql
    return isinstance(operator, RecentRows) or step_of(operator).needs_position


def step_of(operator: Stepping) -> Step:
    """How this operator works."""
    if isinstance(operator, UpdatingJoin):
        return JoinStep(operator)
    if isinstance(operator, UpdatingRows):
        return RowsStep(operator)
    if isinstance(operator, UpdatingSessions):
        return SessionsStep(operator)
    return ChangingAggregateStep(operator) if operator.changing else AggregateStep(operator)


def compute(operator: Updating, parts: Sequence[DataFrame]) -> DataFrame:
    """The operator's whole result, all of it `_nrt_after`, from all rows of its inputs at once: the batch."""
    if isinstance(operator, RecentRows):
        return recent(operator, _together(parts))
    if isinstance(operator, RowsAtEnd):
        return at_end(operator, _together(parts))
    step = step_of(operator)
    rows = step.merged(None, step.fresh(_together(parts)))
    if not step.reads_again:
        return step.results(step.judged(rows))
    # As in `Held`; Spark lets go of them when nobody can read them any more.
    rows = rows.localCheckpoint(eager=False)
    judged = step.judged(rows)
    return step.results(judged if judged is rows else judged.localCheckpoint(eager=False))


class Updates:
    """Absorbs the rows of one batch; what changed by it is computed when it is read.

    `files` is the state before and, once something was absorbed, the state behind; `moments` are the watermarks (ms)
    that operators over recent rows stand at. `clock` is the processing time (ms).
    """

    def __init__(self, store: SliceStore, plan: Plan, position: Position, clock: int) -> None:
        self.store = store
        self.plan = plan
        self.files = dict(position.updating)
        self.moments = dict(position.moments)
        self.sources = position.sources
        self.clock = clock
        self._changed: dict[str, DataFrame] = {}
        self._held = Held()

    def absorb(self, news: News) -> None:
        """Takes in the news, then what that changes in operators above.

        An aggregate without keys stands from the first time on, whether rows of its own have come or not.
        """
        for operator in self.plan.updating:
            told = [q for q in operator.inputs if any(name in news or name in self._changed for name in q.inputs)]
            if not told and self._is_to_stand(operator):
                told = list(operator.inputs)
            if not told:
                continue
            parts = [self._result(query, news) for query in told]
            if isinstance(operator, RecentRows):
                self._absorb_recent(operator, _together(parts))
            elif isinstance(operator, RowsAtEnd):
                self.files[operator.name] = self._at_end(operator).absorb(_together(parts))
            else:
                self._absorb(operator, _together(parts))

    def move_on(self, moments: Mapping[str, int]) -> bool:
        """Takes operators over recent rows to these watermarks (ms), and tells what waits for sources that have ended;
        False if no row can come or go by that."""
        for operator in (one for one in self.plan.updating if isinstance(one, RecentRows) and one.name in moments):
            files, rows = self._recent(operator).moved(moments[operator.name])
            if rows is not None:
                self._changed[operator.name] = self._held.hold(rows)
                self.files[operator.name] = files
                self.moments[operator.name] = moments[operator.name]
        nobody_comes = all(source.ended for source in self.sources.values())
        if self._changed or (nobody_comes and any(map(self._is_to_stand, self.plan.updating))):
            self.absorb({})
        for waiting in (one for one in self.plan.updating if isinstance(one, RowsAtEnd)):
            below = self.plan.sources_of(waiting.input)
            rows = self._at_end(waiting).rows() if all(self.sources[name].ended for name in below) else None
            if rows is not None:
                self._changed[waiting.name] = rows
                self.files[waiting.name] = ()
        return bool(self._changed)

    def changes(self, entry: int) -> list[tuple[Insert, DataFrame]]:
        """The inserts that have something to publish, each with its changelog behind this log entry.

        Where rows are only ever added, that is these rows.
        """
        return [
            (insert, _told(insert, rows, entry) if insert.changes else rows)
            for insert in self.plan.inserts
            if any(name in self._changed for name in insert.query.inputs)
            for rows in [self._result(insert.query)]
        ]

    def close(self) -> None:
        """Lets go of what was kept for several readers."""
        self._held.release()

    def _is_to_stand(self, operator: Updating) -> bool:
        """Whether it has a row without any rows below it, and does not stand yet."""
        return stands_alone(operator) and not self.files.get(operator.name)

    def _absorb(self, operator: Stepping, rows: DataFrame) -> None:
        step = step_of(operator)
        known = self.files.get(operator.name, ())
        past = self._forgotten(operator)
        groups = Groups(self.store, operator.name, step.keys, step.columns, step.identity, known, past, step.needed)
        fresh = self._held.compute(step.fresh(rows))
        rows = self._held.hold(step.merged(groups.rows(step.touched(fresh)), fresh))
        judged = step.judged(rows)
        merged = rows if judged is rows else self._held.hold(judged)
        self.files[operator.name] = groups.written(step.kept(merged), self.clock).files
        self._changed[operator.name] = step.results(merged)

    def _absorb_recent(self, operator: RecentRows, rows: DataFrame) -> None:
        # Spark counts what passes where it sees the counting in the plan: not inside the text of a query.
        fresh = self._held.compute(rows.select("*"))
        self.files[operator.name], there = self._recent(operator).absorb(fresh)
        self._changed[operator.name] = there

    def _recent(self, operator: RecentRows) -> Recent:
        return Recent(self.store, operator, self.files.get(operator.name, ()), self.moments.get(operator.name))

    def _at_end(self, operator: RowsAtEnd) -> AtEnd:
        return AtEnd(self.store, operator, self.files.get(operator.name, ()))

    def _forgotten(self, operator: Updating) -> int | None:
        if isinstance(operator, UpdatingJoin) and operator.interval is not None:
            watermark = operator_watermark(None, self.sources, operator.sources)
            return None if watermark is None else watermark - 1
        ttl = read_option(dict(self.plan.settings), REPORT_OPTIONS, STATE_TTL)
        return self.clock - ttl if ttl else None

    def _result(self, query: Query, news: News = MappingProxyType({})) -> DataFrame:
        """A query over what is new, of whatever it reads."""

        def view(name: str) -> DataFrame:
            if name in news:
                return news[name]()
            return self._changed[name] if name in self._changed else nothing_of(self.store.spark, self.plan, name)

        return run_query(query, {name: view(name) for name in query.inputs})


def _told(insert: Insert, rows: DataFrame, entry: int) -> DataFrame:
    key = insert.sink.primary_key
    return changelog(by_key(rows, key) if key else rows, insert.query.fields, entry)


def _together(parts: Sequence[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, parts)
