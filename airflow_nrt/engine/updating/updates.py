"""What one batch, or one firing, does to the updating operators of a plan, in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame

from airflow_nrt.engine.sinks.changelog import by_key, changelog
from airflow_nrt.engine.spark.frames import run_query
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.held import Held
from airflow_nrt.engine.updating.kind import Standing
from airflow_nrt.engine.updating.kinds import kind_of
from airflow_nrt.engine.windows.no_rows import nothing_of
from airflow_nrt.home.log.clock import operator_watermark
from airflow_nrt.home.log.entries import Position
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import Updating

News = Mapping[str, Callable[[], DataFrame]]
"""By name, new rows of sources, or windows that fire: each reader asks for them anew."""


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
            rows = together([self._result(query, news) for query in told])
            self.files[operator.name], changed = kind_of(operator).absorb(self._standing(operator), rows)
            if changed is not None:
                self._changed[operator.name] = changed

    def move_on(self, moments: Mapping[str, int]) -> bool:
        """Takes operators over recent rows to these watermarks (ms), and tells what waits for sources that have ended;
        False if no row can come or go by that."""
        for operator in (one for one in self.plan.updating if one.name in moments):
            moved = kind_of(operator).moved(self._standing(operator), moments[operator.name])
            if moved is not None:
                self.files[operator.name], self._changed[operator.name] = moved
                self.moments[operator.name] = moments[operator.name]
        nobody_comes = all(source.ended for source in self.sources.values())
        if self._changed or (nobody_comes and any(map(self._is_to_stand, self.plan.updating))):
            self.absorb({})
        for waiting in (one for one in self.plan.updating if one.waits_for_end):
            below = {name for query in waiting.inputs for name in self.plan.sources_of(query)}
            over = all(self.sources[name].ended for name in below)
            rows = kind_of(waiting).ended(self._standing(waiting)) if over else None
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
        return operator.stands_alone and not self.files.get(operator.name)

    def _standing(self, operator: Updating) -> Standing:
        files, moment = self.files.get(operator.name, ()), self.moments.get(operator.name)
        return Standing(self.store, self._held, files, moment, self.clock, self._forgotten(operator))

    def _forgotten(self, operator: Updating) -> int | None:
        if operator.forgets_by:
            watermark = operator_watermark(None, self.sources, operator.forgets_by)
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


def together(parts: Sequence[DataFrame]) -> DataFrame:
    """Rows of several queries with the same columns."""
    return reduce(DataFrame.unionByName, parts)
