"""The accumulators of several aggregates: which columns of a partial hold what, whatever its keys and its slots are.

x0, x1, …    the value of each distinct set, NULL where it is not counted; only in partials of rows
…            the accumulators of the other aggregates
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airflow_nrt.engine.aggregates import accumulators
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Operand
from airflow_nrt.engine.aggregates.distinct_sets import DistinctSet
from airflow_nrt.model.operators import AggregateCall, distinct_sets


@dataclass(frozen=True)
class AccumulatorLayout:
    """The accumulators `of_rows` are merged over all rows, those of `sets` over distinct values.

    `results` is SQL of each call's result over the accumulators; `{place}` in it is the place of the result, for
    errors. `row_count` is the accumulator of all rows' number, None if no call needs it.
    """

    calls: tuple[AggregateCall, ...]
    of_rows: tuple[Accumulator, ...]
    sets: tuple[DistinctSet, ...]
    results: tuple[tuple[str, str], ...]
    row_count: Accumulator | None = None

    @property
    def all(self) -> tuple[Accumulator, ...]:
        return (*self.of_rows, *(one for group in self.sets for one in group.accumulators))

    @property
    def values(self) -> tuple[str, ...]:
        """The columns of distinct values."""
        return tuple(group.column for group in self.sets)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a partial of rows."""
        return (*self.values, *names(self.of_rows))

    @property
    def lifted(self) -> list[str]:
        """SQL of these columns for one row."""
        return [*(f"{group.value} AS {group.column}" for group in self.sets), *(one.lifted for one in self.of_rows)]

    def finished(self, place: str) -> list[str]:
        """SQL of the results, by their names. `place` is SQL of their place."""
        return [f"{sql.replace('{place}', place)} AS {name}" for name, sql in self.results]

    @property
    def order_sensitive(self) -> bool:
        """Whether results depend on the order in which rows arrived."""
        return any(call.order_sensitive for call in self.calls)

    @property
    def needs_python(self) -> bool:
        """Whether the user's functions merge partials, which is slow for each group."""
        return any(call.python is not None for call in self.calls)


def names(accumulators: Sequence[Accumulator]) -> tuple[str, ...]:
    return tuple(one.name for one in accumulators)


def accumulator_layout(calls: tuple[AggregateCall, ...], *others: Accumulator) -> AccumulatorLayout:
    r"""The accumulators of these calls, after others of rows. Equal ones of several calls are one.

    >>> from airflow_nrt.basics.types import DataType
    >>> number = DataType("BIGINT")
    >>> call = AggregateCall("buyers", "COUNT", "buyer", number, None, True, number, "COUNT(DISTINCT buyer)")
    >>> layout = accumulator_layout((call,))
    >>> print(*layout.lifted, *layout.finished("'of shop a'"), sep="\n")
    buyer AS x0
    coalesce(n_d0, 0L) AS buyers
    """
    of_rows = {one.name: one for one in others}
    pairs = distinct_sets(calls)
    sets: list[dict[str, Accumulator]] = [{} for _ in pairs]
    results, row_count = [], None
    for call in calls:
        if call.is_of_set:
            index = pairs.index((call.argument or "", call.filter))
            counts = f"x{index} IS NOT NULL"
            operand = Operand(f"d{index}", f"x{index}", counts, counts, call.argument_type)
            target = sets[index]
        else:
            operand, target = _operand(call), of_rows
        made = accumulators(call, operand)
        target.update((one.name, one) for one in made.columns)
        results.append((call.name, made.result))
        row_count = row_count or made.row_count
    return AccumulatorLayout(
        calls,
        tuple(of_rows.values()),
        tuple(
            DistinctSet(f"x{index}", _counted(argument, condition), tuple(one.values()))
            for index, ((argument, condition), one) in enumerate(zip(pairs, sets))
        ),
        tuple(results),
        row_count,
    )


def _operand(call: AggregateCall) -> Operand:
    tag = f"{call.argument or 'all'}_{call.filter}" if call.filter else call.argument or "all"
    admits = f"coalesce({call.filter}, false)" if call.filter else "true"
    if call.argument is None:
        return Operand(tag, "1", admits, admits, None)
    value = _counted(call.argument, call.filter)
    return Operand(tag, value, f"{value} IS NOT NULL", admits, call.argument_type)


def _counted(argument: str, condition: str | None) -> str:
    """SQL of a value, NULL where a filter leaves it out: `a1`, `IF(f0, a1, NULL)`."""
    return f"IF({condition}, {argument}, NULL)" if condition else argument
