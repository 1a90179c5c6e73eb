"""Partials of a window operator: their columns, how rows become partials, how partials of a group are merged.

    k0, k1, …     the keys
    _nrt_slice    bigint   the slice (its end, ms) in which the partial counts, NULL where it counts in no window
    _nrt_from     bigint   HOP only: the first window (its end) in which it counts; it closes with that window
    _nrt_start    bigint   SESSION only: the start of its session, as far as known; `_nrt_slice` is the end
    _nrt_seen     bigint   SESSION only: the watermark at the beginning of its batch
    _nrt_life     bigint   OVER only, where keys expire: the key's generation, the watermark at which that began
    _nrt_stays    bigint   and the watermark at which the key expires; NULL in rows that it does not include yet
    x0, x1, …              the value of each distinct set, NULL where it is not counted
    …                      the accumulators of the other aggregates
    _nrt_late     string   a late row as JSON, for the ledger; NULL for rows in time

A late row of TUMBLE and CUMULATE counts from its first window that is not complete, as if it were in the last slice of
that window. A late row of HOP keeps its slice, so that it does not count in windows without that slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates import accumulators
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Operand
from airflow_nrt.engine.spark.paths import bare_file
from airflow_nrt.engine.state.columns import EXPIRES, FROM, GENERATION, LATE, SLICE
from airflow_nrt.model.internal_columns import SEEN, WINDOW_START
from airflow_nrt.model.operators import AggregateCall, Regroup, WindowAggregate
from airflow_nrt.model.windows import Sql


@dataclass(frozen=True)
class DistinctSet:
    """A set of distinct values: their column in partials, and the accumulators over them."""

    column: str
    accumulators: tuple[Accumulator, ...]


@dataclass(frozen=True)
class Layout:
    """The columns of an operator's partials.

    `values` are the names and the SQL of the columns of distinct sets. `row_accumulators` are merged over all rows,
    those of `sets` over distinct values. `results` is SQL of each aggregate's result over the accumulators.
    """

    operator: WindowAggregate | Regroup
    keys: tuple[str, ...]
    slots: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    row_accumulators: tuple[Accumulator, ...]
    sets: tuple[DistinctSet, ...]
    results: tuple[tuple[str, str], ...]

    @property
    def nested(self) -> bool:
        """Whether its window is nested. Else a partial has two slots: its slice, and its first window."""
        return self.operator.window.nested

    @property
    def closes(self) -> str:
        """The slot by which a partial closes: it does when windows up to this end fire."""
        return self.slots[-1]

    @property
    def generation(self) -> tuple[str, ...]:
        """Where keys expire, the column with the generation of a key: only rows of one generation see each other."""
        return (GENERATION,) if isinstance(self.operator, WindowAggregate) and self.operator.forgets else ()

    @property
    def stored(self) -> tuple[str, ...]:
        """Further stored columns of a partial."""
        if self.generation:
            return (*self.generation, EXPIRES)
        return (SEEN,) if self.operator.window.bounded_by_rows else ()

    @property
    def all_accumulators(self) -> tuple[Accumulator, ...]:
        return (*self.row_accumulators, *(one for group in self.sets for one in group.accumulators))

    @property
    def needs_position(self) -> bool:
        """Whether results depend on the places of rows on arrival."""
        operator = self.operator
        ordered = any(call.order_sensitive for call in operator.aggregates)
        return ordered or (isinstance(operator, WindowAggregate) and operator.keeps_rows)

    @property
    def needs_python(self) -> bool:
        """Whether the user's functions merge partials, which is slow for each group."""
        return any(call.python is not None for call in self.operator.aggregates)


def closed_accumulators(layout: Layout) -> tuple[Accumulator, ...]:
    """The accumulators of a closed partial. Where values can leave windows, they are counted only at firing."""
    return layout.all_accumulators if layout.nested else layout.row_accumulators


def layout_of(operator: WindowAggregate | Regroup) -> Layout:
    """The layout of an operator. Calls of one operand share its accumulators."""
    over_rows: dict[str, Accumulator] = {}
    if operator.window.bounded_by_rows:
        over_rows[WINDOW_START] = Accumulator(WINDOW_START, WINDOW_START, "BIGINT", "min({0}){over}")
    results = []
    pairs = operator.distinct_sets
    sets: list[dict[str, Accumulator]] = [{} for _ in pairs]
    for call in operator.aggregates:
        if call.is_of_set:
            index = pairs.index((call.argument or "", call.filter))
            counts = f"x{index} IS NOT NULL"
            operand = Operand(f"d{index}", f"x{index}", counts, counts, call.argument_type)
            target = sets[index]
        else:
            operand, target = _operand(call), over_rows
        made = accumulators(call, operand)
        target.update((one.name, one) for one in made.columns)
        results.append((call.name, made.result))
    return Layout(
        operator=operator,
        keys=tuple(field.name for field in operator.keys),
        slots=(SLICE,) if operator.window.nested else (SLICE, FROM),
        values=tuple((f"x{i}", _counted(argument, condition)) for i, (argument, condition) in enumerate(pairs)),
        row_accumulators=tuple(over_rows.values()),
        sets=tuple(DistinctSet(f"x{i}", tuple(one.values())) for i, one in enumerate(sets)),
        results=tuple(results),
    )


def _operand(call: AggregateCall) -> Operand:
    tag = f"{call.argument or 'all'}_{call.filter}" if call.filter else call.argument or "all"
    admits = f"coalesce({call.filter}, false)" if call.filter else "true"
    if call.argument is None:
        return Operand(tag, "1", admits, admits, None)
    value = _counted(call.argument, call.filter)
    return Operand(tag, value, f"{value} IS NOT NULL", admits, call.argument_type)


def _counted(argument: str, condition: str | None) -> str:
    return f"IF({condition}, {argument}, NULL)" if condition else argument


# ---------------------------------------------------------------------------------------------------- rows to partials


def lift(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query to partials of one row each. `_nrt_seen` decides which are late."""
    values = [f"{sql} AS {name}" for name, sql in layout.values]
    accumulators = [one.lifted for one in layout.row_accumulators]
    lifted = _placed(layout, rows).selectExpr(*layout.keys, *_slots(layout), *values, *accumulators, _late(layout))
    return lifted if layout.sets else combine(layout, lifted, (LATE,))


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with their slots and `_nrt_late`. Rows in a gap of HOP are left out."""
    return _placed(layout, rows).selectExpr("*", *_slots(layout), _late(layout))


def _placed(layout: Layout, rows: DataFrame) -> DataFrame:
    """The rows with their slice, its first and last window, and the first window in which they count."""
    window = layout.operator.window
    slice_end = window.slice_end(Sql("_nrt_ts"))
    counted = rows.selectExpr(
        "*",
        f"{slice_end} AS _nrt_own",
        f"{window.first_end(slice_end)} AS _nrt_first",
        f"{window.last_end(slice_end)} AS _nrt_last",
        f"{window.counted_from(slice_end, Sql('_nrt_seen'))} AS _nrt_counted",
    )
    return counted.where("_nrt_first <= _nrt_last") if window.has_gaps else counted


def _slots(layout: Layout) -> list[str]:
    values = {SLICE: "_nrt_counted"} if layout.nested else {SLICE: "_nrt_own", FROM: "_nrt_counted"}
    return [f"IF(_nrt_counted <= _nrt_last, {values[slot]}, NULL) AS {slot}" for slot in layout.slots]


def _late(layout: Layout) -> str:
    """SQL of the late row for the ledger: the row, its place, and the windows that it missed."""
    missed = f"least(_nrt_counted - {layout.operator.window.stride}L, _nrt_last)"
    words = late_words("_nrt_first", missed, "_nrt_counted > _nrt_last")
    return f"IF(_nrt_counted > _nrt_first, {words}, NULL) AS {LATE}"


def late_words(missed_from: str, missed_until: str, dropped: str) -> str:
    """SQL of the ledger's JSON of a row of an input query."""
    return (
        f"to_json(struct(_nrt_row AS row, {bare_file('_nrt_pos.path')} AS file, _nrt_pos.block AS block, "
        "_nrt_pos.row AS position, _nrt_ts AS rowtime, _nrt_seen AS watermark, "
        f"{missed_from} AS missed_from, {missed_until} AS missed_until, {dropped} AS dropped))"
    )


def combine(layout: Layout, partials: DataFrame, more: Sequence[str] = ()) -> DataFrame:
    """The partials merged to one for each key, slot and distinct values (and `more` columns)."""
    by = [*layout.keys, *layout.slots, *layout.stored, *(name for name, _ in layout.values), *more]
    return aggregate(partials, by, layout.row_accumulators)


def aggregate(partials: DataFrame, by: Sequence[str], columns: Sequence[Accumulator]) -> DataFrame:
    """GROUP BY with merged accumulators, after the columns of the group."""
    if not columns:
        return partials.select(*by).distinct()
    return partials.groupBy(*by).agg(*(F.expr(one.merged()) for one in columns))


def padded(layout: Layout, by: Sequence[str], part: DataFrame) -> DataFrame:
    """The part with the columns of its group, and NULL in the accumulators that it does not have."""
    have = set(part.columns)
    columns = [
        one.name if one.name in have else f"CAST(NULL AS {one.type}) AS {one.name}" for one in layout.all_accumulators
    ]
    return part.selectExpr(*by, *columns)
