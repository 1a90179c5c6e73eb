"""The verdict about one insert: its sink compared with the batch, while a driver may go on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.describe.verdict import CLASSES, BadWindow, InsertVerdict, PinnedWindow
from airflow_nrt.engine.dimensions.validities import given_versions, joined_with
from airflow_nrt.engine.publish.fitting import held_rows
from airflow_nrt.engine.replaced.pinned import pinned_rows
from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.engine.sinks.table_versions import VersionCommit
from airflow_nrt.engine.sinks.window_names import end_in
from airflow_nrt.engine.verify.bad_windows import (
    bad_window,
    in_windows,
    samples_of,
    state_of,
    worst_of,
    wrong_ends,
)
from airflow_nrt.engine.verify.comparison import CLASS, Sides, classify
from airflow_nrt.engine.verify.expected import expected_rows, rows_so_far, rows_that_stand
from airflow_nrt.engine.verify.interval import bounds_of, not_provable_until
from airflow_nrt.engine.verify.tolerance import tolerance_of
from airflow_nrt.engine.verify.verification_inputs import Scene
from airflow_nrt.engine.verify.window_history import histories
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.pins import Pin
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.home.visible import waiting
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Insert


def verify_insert(scene: Scene, insert: Insert, sink: Sink) -> tuple[InsertVerdict, list[str]]:
    """The verdict about the insert's complete windows, and problems that are no window's."""
    if not insert.operators:
        never_complete = any(one.name in insert.query.inputs for one in scene.plan.updating)
        batch = rows_that_stand(scene, insert) if never_complete else rows_so_far(scene, insert)
        return _compare(scene, insert, (batch, None), [None], 0, sink)
    operator = scene.plan.operator(insert.operators[0])
    bounds = bounds_of(scene.plan, scene.history, scene.interval, operator)
    pending = _pending(scene, operator)
    if bounds is None:
        return InsertVerdict(insert.name, 0, 0, 0, 0, pending, dict.fromkeys(CLASSES, 0)), []
    after, until = max(bounds[0], _not_provable(scene, insert)), bounds[1]
    if after >= until:
        return InsertVerdict(insert.name, 0, 0, 0, 0, pending, dict.fromkeys(CLASSES, 0)), []
    # A late row of these has arrived, and the version with it is not published yet; or the sink does not answer; or the
    # table was added, and is not filled yet.
    mine = [one for (name, _), one in scene.history.published.items() if name == insert.name]
    owed = {one.end for one in waiting(scene.home, mine) if one.end is not None} if not sink.is_copy else set()
    changing = scene.history.changing(insert.name) | owed | scene.unfilled.get(insert.name, set())
    pending += sum(1 for end in changing if after < end <= until)
    ends = {p.end for (name, _), p in scene.history.published.items() if name == insert.name and p.end is not None}
    inside = [end for end in ends - changing if after < end <= until]
    batch, arrived = expected_rows(scene, insert, after, until)
    for given, restated in joined_with(scene.plan, scene.history, insert.name, inside).items():
        with given_versions(scene.spark, scene.plan, scene.home, scene.history, given):
            again = expected_rows(scene, insert, after, until)
        here = F.col(WINDOW_END).isin(restated)
        if arrived is not None or again[1] is not None:
            others, these = (batch if arrived is None else arrived), (again[0] if again[1] is None else again[1])
            arrived = others.where(~here).unionByName(these.where(here))
        batch = batch.where(~here).unionByName(again[0].where(here))
    if changing:
        here = ~F.col(WINDOW_END).isin(sorted(changing))
        batch, arrived = batch.where(here), None if arrived is None else arrived.where(here)
    return _compare(scene, insert, (batch, arrived), inside, pending, sink)


def _not_provable(scene: Scene, insert: Insert) -> int:
    """Windows of an insert that end at or before this (ms) can't be proven."""
    return max(not_provable_until(scene.plan, scene.history, one) for one in insert.operators)


def _compare(
    scene: Scene,
    insert: Insert,
    sides: tuple[DataFrame, DataFrame | None],
    ends: Sequence[int | None],
    pending: int,
    sink: Sink,
) -> tuple[InsertVerdict, list[str]]:
    held, fields = held_rows(scene.spark, scene.home, insert), insert.query.fields
    if held.unread:
        names = ", ".join(sorted(held.unread))
        scene.notes.append(f"{insert.name}: its table does not give back what was written into {names}: not compared")
    batch, arrived = (None if frame is None else sink.as_read(insert, held.as_seen(frame, fields)) for frame in sides)
    assert batch is not None
    sink, commits = _as_of(scene, insert, sink)
    standing = sink.standing(scene.spark, insert, scene.history.published, ends)
    pins = {end: pin for end, pin in scene.history.pins_of(insert.name).items() if end in {*ends}}
    compared = _Compared(insert, batch, arrived, tolerance_of(scene.plan, insert), _Pinned.of(scene, pins.values()))
    classes = compared.classes(held.as_read(standing.rows, fields))
    by_window: dict[int | None, dict[str, int]] = {}
    for row in classes.groupBy(WINDOW_END, CLASS).count().collect():
        by_window.setdefault(row[0], {})[row[1]] = row[2]
    changed = set() if sink.is_fixed else _changed_since(scene, insert, by_window)
    by_window = {end: kinds for end, kinds in by_window.items() if end not in changed}
    bad = []
    worst = worst_of(by_window)
    if worst:

        def read_again(sink: Sink, ends: Collection[int | None]) -> DataFrame:
            """Only these windows: files of others may have been replaced meanwhile."""
            again = sink.standing(scene.spark, insert, scene.history.published, ends)
            return compared.classes(held.as_read(again.rows, fields)).where(in_windows(ends))

        samples = samples_of(read_again(sink, worst))
        entries = {end: entry for end, entry in scene.history.entries_of(insert.name).items() if end in set(worst)}
        told = histories(commits, entries, lambda version, ends: wrong_ends(read_again(sink.at(version), ends)))
        bad = [bad_window(insert, end, by_window[end], samples.get(end, ()), told.get(end)) for end in worst]
    problems = []
    foreign = _not_newer(scene, insert, standing.foreign)
    if foreign:
        bad.append(BadWindow(None, None, 0, sink.foreign_rows(scene.spark, insert, foreign), 0))
        problems += [f"the log does not contain the published file {standing.foreign[one]}" for one in foreign]
    pinned = [end for end in sorted(pins) if end in by_window and state_of(by_window[end]) == "equal"]
    by_window = {end: kinds for end, kinds in by_window.items() if end not in pinned}
    states = [state_of(kinds) for kinds in by_window.values()]
    verdict = InsertVerdict(
        insert=insert.name,
        windows=len(states),
        equal=states.count("equal"),
        explained=states.count("explained"),
        unexplained=states.count("unexplained"),
        pending=pending + len(changed),
        rows={kind: sum(kinds.get(kind, 0) for kinds in by_window.values()) for kind in CLASSES},
        bad=tuple(bad),
        pinned=tuple(_pinned_window(insert, pins[end]) for end in pinned),
        unequal_ends=tuple(sorted(e for e, kinds in by_window.items() if e is not None and state_of(kinds) != "equal")),
    )
    return verdict, problems


@dataclass(frozen=True)
class _Pinned:
    """The rows that people have set, of the windows that end at `ends`."""

    ends: tuple[int, ...]
    rows: DataFrame

    @classmethod
    def of(cls, scene: Scene, pins: Iterable[Pin]) -> _Pinned | None:
        pins = list(pins)
        rows = pinned_rows(scene.spark, scene.home, pins)
        return None if rows is None else cls(tuple(one.end for one in pins), rows)


@dataclass(frozen=True)
class _Compared:
    """What the rows of an insert are compared with: the batch, and the rows that people have set."""

    insert: Insert
    batch: DataFrame
    arrived: DataFrame | None
    tolerance: float
    pinned: _Pinned | None

    def classes(self, there: DataFrame) -> DataFrame:
        """The classes of the rows that are there."""
        if self.pinned is None:
            return classify(self.insert, Sides(there, self.batch, self.arrived), self.tolerance)
        here = F.col(WINDOW_END).isin(list(self.pinned.ends))
        arrived = None if self.arrived is None else self.arrived.where(~here)
        others = classify(self.insert, Sides(there.where(~here), self.batch.where(~here), arrived), self.tolerance)
        set_rows = Sides(there.where(here), self.pinned.rows, None)
        return others.unionAll(classify(self.insert, set_rows, self.tolerance))


def _pinned_window(insert: Insert, pin: Pin) -> PinnedWindow:
    start = insert.window.start(pin.end) if insert.window is not None else None
    return PinnedWindow(start, pin.end, str(pin.by), pin.at, pin.reason)


def _as_of(scene: Scene, insert: Insert, sink: Sink) -> tuple[Sink, Iterator[VersionCommit] | None]:
    """The sink as of the verified entry, and the commits of its table from there back, if it has such."""
    past = sink.past(scene.spark, scene.home, insert)
    if past is None:
        return sink, None
    version = past.version_of(scene.history.entry)
    if version is not None:
        return sink.at(version), past.back_from(version)
    scene.notes.append(
        f"{insert.name}: the history of its table no longer has the version of log entry {scene.history.entry}: the "
        "table is verified as it is now"
    )
    return sink, past.commits()


def _changed_since(scene: Scene, insert: Insert, ends: Collection[int | None]) -> set[int | None]:
    """Windows that a running driver has restated or removed since the log was read, by its new entries."""
    known = {f"{name}/{target}": one for (name, target), one in scene.history.published.items()}
    found: set[int | None] = set()
    for entry in scene.home.log().entries(scene.history.entry + 1):
        removed = (known[target] for target in entry.removed if target in known)
        mine = (one for one in (*entry.published, *removed) if one.insert == insert.name)
        found |= {one.end for one in mine if one.end is not None or insert.replaces_table}
    return found & set(ends)


def _not_newer(scene: Scene, insert: Insert, foreign: Collection[str]) -> list[str]:
    """Foreign targets, without those that a running driver has published since the log was read, or long before."""
    newer = scene.home.log().entries(scene.history.entry + 1) if foreign else ()
    targets = {one.target for entry in newer for one in entry.published}
    left = [target for target in foreign if target not in targets]
    if not insert.operators or scene.history.beginning.state.entry < 0:
        return left
    # The entries that have published earlier windows are removed.
    known = _not_provable(scene, insert)
    return [target for target in left if (end := end_in(target)) is None or end > known]


def _pending(scene: Scene, operator: WindowAggregate) -> int:
    """The number of windows of the interval that have rows and are not complete."""
    state = scene.history.position.operators.get(operator.name, OperatorState())
    fired = state.complete_until if state.complete_until is not None else -END_OF_TIME
    after = max(fired, scene.interval.start if scene.interval.start is not None else -END_OF_TIME)
    opened = Partials(state.rows).open_after(after)
    if not opened.files:
        return 0
    until = opened.span.last
    if scene.interval.end is not None:
        until = min(until, scene.interval.end)
    first = max(after, operator.window.slices.shifted(opened.span.first, -1))
    return sum(1 for _ in operator.window.ends_between(first, until)) if until > first else 0
