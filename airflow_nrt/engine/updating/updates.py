"""The changes of updating operators by one batch, or by one firing, in the order of the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame

from airflow_nrt.engine.sinks.changelog import by_key, changelog
from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.checkpointed_frames import CheckpointedFrames
from airflow_nrt.engine.updating.execution import HeldState
from airflow_nrt.engine.updating.execution_of import execution_of
from airflow_nrt.engine.windows.no_rows import nothing_of
from airflow_nrt.home.log.entries import Position
from airflow_nrt.home.log.position.watermarks import operator_watermark
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import Updating

NewRows = Mapping[str, Callable[[], DataFrame]]
"""By name, new rows of sources, or windows that fire. Each reader calls for a frame of its own."""


class Updates:
    """Absorbs the rows of one batch. The changes are computed when they are read.

    `files` is the state before the batch and, once its rows were absorbed, after it. `moments` are the watermarks (ms)
    that operators over recent rows are as of. `clock` is the processing time (ms).
    """

    def __init__(self, store: SliceStore, plan: Plan, position: Position, clock: int) -> None:
        self.store = store
        self.plan = plan
        self.files = dict(position.updating)
        self.moments = dict(position.moments)
        self.sources = position.sources
        self.clock = clock
        self._changed: dict[str, DataFrame] = {}
        self._frames = CheckpointedFrames()

    def absorb(self, new_rows: NewRows) -> None:
        """Absorbs new rows, and passes their changes on to the operators above.

        An aggregate without keys has a result from the first call on, also without rows of its own.
        """
        for operator in self.plan.updating:
            fed = [q for q in operator.inputs if any(name in new_rows or name in self._changed for name in q.inputs)]
            if not fed and self._needs_first_result(operator):
                fed = list(operator.inputs)
            if not fed:
                continue
            rows = together([self._result(query, new_rows) for query in fed])
            self.files[operator.name], changed = execution_of(operator).absorb(self._held(operator), rows)
            if changed is not None:
                self._changed[operator.name] = changed

    def move_on(self, moments: Mapping[str, int]) -> bool:
        """Moves operators over recent rows to these watermarks (ms), and emits rows that waited for the end of sources.

        False if that changes no row.
        """
        for operator in (one for one in self.plan.updating if one.name in moments):
            moved = execution_of(operator).moved(self._held(operator), moments[operator.name])
            if moved is not None:
                self.files[operator.name], self._changed[operator.name] = moved
                self.moments[operator.name] = moments[operator.name]
        all_ended = all(source.ended for source in self.sources.values())
        if self._changed or (all_ended and any(map(self._needs_first_result, self.plan.updating))):
            self.absorb({})
        for waiting in (one for one in self.plan.updating if one.waits_for_end):
            below = {name for query in waiting.inputs for name in self.plan.sources_of(query)}
            has_ended = all(self.sources[name].ended for name in below)
            rows = execution_of(waiting).ended(self._held(waiting)) if has_ended else None
            if rows is not None:
                self._changed[waiting.name] = rows
                self.files[waiting.name] = ()
        return bool(self._changed)

    def changes(self, entry: int) -> list[tuple[Insert, DataFrame]]:
        """The inserts with something to publish, each with its changelog after this log entry.

        If rows are only ever added, these rows are published instead of a changelog.
        """
        return [
            (insert, _changelog(insert, rows, entry) if insert.changes else rows)
            for insert in self.plan.inserts
            if any(name in self._changed for name in insert.query.inputs)
            for rows in [self._result(insert.query)]
        ]

    def close(self) -> None:
        """Releases the frames that several readers shared."""
        self._frames.release()

    def _needs_first_result(self, operator: Updating) -> bool:
        """Whether it has a result without any input rows, and has not emitted that yet."""
        return operator.stands_alone and not self.files.get(operator.name)

    def _held(self, operator: Updating) -> HeldState:
        files, moment = self.files.get(operator.name, ()), self.moments.get(operator.name)
        return HeldState(self.store, self._frames, files, moment, self.clock, self._forgotten(operator))

    def _forgotten(self, operator: Updating) -> int | None:
        if operator.forgets_by:
            watermark = operator_watermark(None, self.sources, operator.forgets_by)
            return None if watermark is None else watermark - 1
        ttl = read_option(dict(self.plan.settings), REPORT_OPTIONS, STATE_TTL)
        return self.clock - ttl if ttl else None

    def _result(self, query: Query, new_rows: NewRows = MappingProxyType({})) -> DataFrame:
        """A query over the new rows and the changes of its inputs."""

        def view(name: str) -> DataFrame:
            if name in new_rows:
                return new_rows[name]()
            return self._changed[name] if name in self._changed else nothing_of(self.store.spark, self.plan, name)

        return run_query(query, {name: view(name) for name in query.inputs})


def _changelog(insert: Insert, rows: DataFrame, entry: int) -> DataFrame:
    key = insert.sink.primary_key
    return changelog(by_key(rows, key) if key else rows, insert.query.fields, entry)


def together(parts: Sequence[DataFrame]) -> DataFrame:
    """Rows of several queries with the same columns."""
    return reduce(DataFrame.unionByName, parts)
