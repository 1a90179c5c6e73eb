"""A regular join: a batch computes only pairs with a row that was added, changed or retracted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.types import Field
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.updating.sides import added, changed
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.model.internal_columns import AFTER, ALIVE, KEY, LEFT, RIGHT, SIDE, UNTIL, key_of
from airflow_nrt.model.updating import UpdatingJoin

NEW, ALONE, _WAS = "_nrt_new", "_nrt_alone", "_nrt_was"
"""Whether this batch added or retracted a row; whether a row of a padded side had no match when it was written."""
_OTHER = {LEFT: RIGHT, RIGHT: LEFT}


@dataclass(frozen=True)
class JoinStep(Step):
    """The state is the rows of both sides. A row is rewritten when it changes, and at its first and its last match."""

    operator: UpdatingJoin

    @property
    def keys(self) -> tuple[str, ...]:
        return (SIDE, *self._keys)

    @property
    def columns(self) -> tuple[str, ...]:
        until = () if self.operator.interval is None else (UNTIL,)
        return (*self.keys, *(field.name for field in self.operator.fields), KEY, ALIVE, ALONE, *until)

    @property
    def needs_position(self) -> bool:
        sides = (self.operator.left, self.operator.right)
        return any(not side.changing or side.input.reads_position for side in sides)

    @property
    def identity(self) -> tuple[str, ...] | None:
        return (*self.keys, KEY) if self.operator.changing or self.operator.padded else None

    @property
    def reads_again(self) -> bool:
        return True

    @property
    def needed(self) -> str | None:
        """A row is rewritten at its first match. It stays a millisecond longer, so that this version is the newer.

        _nrt_until + IF(_nrt_alone, 0, 1)
        """
        if self.operator.interval is None:
            return None
        return f"{UNTIL} + IF({ALONE}, 0, 1)" if self.operator.padded else UNTIL

    def fresh(self, rows: DataFrame) -> DataFrame:
        return rows.select(*(name for name in self.columns if name not in (ALIVE, ALONE)), AFTER)

    def touched(self, fresh: DataFrame) -> DataFrame:
        """The keys of the other side, whose rows may match; and of the own side, if its rows change, or if rows of the
        other side could lose their last match to them."""
        read = {side: [_OTHER[side]] for side in (LEFT, RIGHT)}
        for side, sides in read.items():
            if self.operator.changing or _OTHER[side] in self.operator.padded:
                sides.append(side)
        left, right = (f"array({', '.join(map(repr, read[side]))})" for side in (LEFT, RIGHT))
        sides_read = f"explode(IF({SIDE} = '{LEFT}', {left}, {right})) AS {SIDE}"
        return fresh.select(*self.keys).distinct().selectExpr(sides_read, *self._keys).distinct()

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        known = None if old is None else old.where(ALIVE).selectExpr("*", f"false AS {NEW}")
        more = (f"CAST(NULL AS BOOLEAN) AS {ALONE}", f"true AS {NEW}")
        if not self.operator.changing:
            return added(known, fresh.selectExpr(f"* EXCEPT ({AFTER})", *more, f"true AS {ALIVE}"))
        touched = f"bool_or({NEW}) OVER (PARTITION BY {', '.join((*self.keys, KEY))}) AS {NEW}"
        return changed(known, fresh.selectExpr("*", *more), self.keys).selectExpr(f"* EXCEPT ({NEW})", touched)

    def judged(self, merged: DataFrame) -> DataFrame:
        """The rows, with whether those of padded sides have no match after the batch."""
        if not self.operator.padded:
            return merged
        matched = _union([self._matched(merged.where(AFTER), side) for side in self.operator.padded])
        sides = ", ".join(f"'{side}'" for side in self.operator.padded)
        # A row that is never retracted keeps its match, also when the matching row is forgotten.
        is_alone = "_nrt_met IS NULL" if self.operator.changing else f"_nrt_met IS NULL AND {ALONE} IS NOT FALSE"
        alone = f"IF({AFTER} AND {ALIVE} AND {SIDE} IN ({sides}), {is_alone}, {ALONE}) AS {ALONE}"
        both = merged.join(matched, [SIDE, KEY], "left")
        return both.selectExpr(f"* EXCEPT ({ALONE}, _nrt_met)", alone, f"{ALONE} AS {_WAS}")

    def kept(self, merged: DataFrame) -> DataFrame:
        rematched = f" OR {ALONE} IS DISTINCT FROM {_WAS}" if self.operator.padded else ""
        return merged.where(f"{AFTER} AND ({NEW}{rematched})")

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        if self.operator.kind == "SEMI":
            # A row that is never retracted is emitted once: at its first match.
            which = f"NOT {ALONE}" if self.operator.changing else f"{AFTER} AND NOT {ALONE} AND {_WAS} IS NOT FALSE"
            return self._by_themselves(merged, LEFT, which)
        alone = [self._by_themselves(merged, side, ALONE) for side in self.operator.padded]
        return _union(alone if self.operator.filters else [self._pairs(merged), *alone])

    def _by_themselves(self, merged: DataFrame, side: str, which: str) -> DataFrame:
        """Rows of one side, with NULL for the columns of the other."""
        fields = [field.name for field in self.operator.fields]
        rows = merged.where(f"{ALIVE} AND {SIDE} = '{side}' AND {which}")
        return rows.selectExpr(*fields, AFTER, f"{key_of([f'{KEY} AS {side}'])} AS {KEY}")

    # ------------------------------------------------------------------ matching

    @property
    def _keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.keys)

    def _own(self, side: str) -> tuple[Field, ...]:
        return (self.operator.left if side == LEFT else self.operator.right).columns

    @property
    def _meet(self) -> str:
        """SQL over rows of both `_of`."""
        equal = [f"{LEFT}_{name} = {RIGHT}_{name}" for name in (*self._keys, AFTER)]
        return " AND ".join([*equal, f"({self.operator.condition})"])

    def _of(self, rows: DataFrame, side: str) -> DataFrame:
        """The rows of a side that are not retracted, with the side in the names of their hidden columns."""
        names = [f"{name} AS {side}_{name}" for name in (*self._keys, KEY, AFTER, NEW)]
        alive = rows.where(f"{ALIVE} AND {SIDE} = '{side}'")
        return alive.selectExpr(*(field.name for field in self._own(side)), *names)

    def _pairs(self, merged: DataFrame) -> DataFrame:
        """The pairs with a row that the batch touched: other pairs are the same before and after it."""
        on = f"({LEFT}_{NEW} OR {RIGHT}_{NEW}) AND {self._meet}"
        pairs = self._of(merged, LEFT).join(self._of(merged, RIGHT), F.expr(on))
        key = key_of([f"{LEFT}_{KEY} AS {LEFT}", f"{RIGHT}_{KEY} AS {RIGHT}"])
        fields = [field.name for field in self.operator.fields]
        return pairs.selectExpr(*fields, f"{LEFT}_{AFTER} AS {AFTER}", f"{key} AS {KEY}")

    def _matched(self, after: DataFrame, side: str) -> DataFrame:
        """The rows of a side that have a match."""
        mine, others = self._of(after, side), self._of(after, _OTHER[side])
        matched = mine.join(others, F.expr(self._meet), "left_semi")
        return matched.selectExpr(f"'{side}' AS {SIDE}", f"{side}_{KEY} AS {KEY}", "true AS _nrt_met")


def _union(frames: list[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, frames)
