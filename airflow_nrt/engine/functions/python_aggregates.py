"""Aggregates over arrays: from a group's rows and accumulators to one accumulator, and from the state to the result.

A group is an array of elements `(acc, row)`, one of which is NULL: rows that are not accumulated yet, and accumulators
of other rows. Without `merge` it is an array of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from airflow_nrt.engine.functions.arrow_values import arrow_type, values
from airflow_nrt.engine.functions.conversion import conversion, rows_conversion
from airflow_nrt.engine.functions.guard import failed, method_of
from airflow_nrt.program.functions import PythonFunction

Batch = Callable[[pa.Array], pa.Array]


def folding(function: PythonFunction) -> Batch:
    """From groups of elements to one accumulator each."""
    assert function.accumulator is not None
    kind, convert = arrow_type(function.accumulator), _storing(function)
    of_rows, merge = _accumulating(function), _merging(function)

    def fold(groups: pa.Array) -> pa.Array:
        accs, rows = groups.values.flatten()
        is_row, given, known = rows.is_valid().to_pylist(), _arguments(rows), values(accs)
        folded = []
        for a, b in _ends(groups):
            others = [known[n] for n in range(a, b) if not is_row[n]]
            if len(others) == 1 == b - a:
                folded.append(others[0])
                continue
            accumulator = of_rows([given[n] for n in range(a, b) if is_row[n]])
            merge(accumulator, others)
            folded.append(accumulator)
        return pa.array([convert(one) for one in folded], kind)

    return fold


def scanning(function: PythonFunction) -> Batch:
    """From arrays of accumulators to those of the first, the first two, the first three, …"""
    assert function.accumulator is not None
    kind, convert = arrow_type(function.accumulator), _storing(function)
    merge = _merging(function)

    def scan(groups: pa.Array) -> pa.Array:
        known, scanned = values(groups.values), []
        for a, b in _ends(groups):
            accumulator = known[a] if a < b else None
            scanned.append([convert(accumulator)][: b - a])
            for n in range(a + 1, b):
                merge(accumulator, [known[n]])
                scanned[-1].append(convert(accumulator))
        return pa.array(scanned, pa.list_(kind))

    return scan


def resulting(function: PythonFunction) -> Batch:
    """From the state of each group, an accumulator or all rows, to its result."""
    kind = arrow_type(function.value_type)
    finish = _of_series(function) if function.is_pandas else _of_accumulators(function)

    def result(kept: pa.Array) -> pa.Array:
        return pa.array(list(finish(kept)), kind)

    return result


def _of_accumulators(function: PythonFunction) -> Callable[[pa.Array], Iterator[Any]]:
    method = "emit_value" if function.is_table else "get_value"
    convert = rows_conversion(function.result) if function.is_table else conversion(function.result)
    of_rows, finish = _accumulating(function), method_of(function, method)

    def finished(kept: pa.Array) -> Iterator[Any]:
        for accumulator in _kept(function, kept, of_rows):
            try:
                yield convert(finish()(accumulator))
            except Exception as failure:
                raise failed(function, method, (accumulator,), failure) from failure

    return finished


def _kept(function: PythonFunction, kept: pa.Array, of_rows: Callable[[Sequence[Any]], Any]) -> Iterator[Any]:
    if function.accumulator is None:
        given = _arguments(kept.values)
        yield from (of_rows(given[a:b]) for a, b in _ends(kept))
    else:
        # NULL if no row of the group counts in a window.
        yield from (of_rows(()) if one is None else one for one in values(kept))


def _of_series(function: PythonFunction) -> Callable[[pa.Array], Iterator[Any]]:
    convert, found = conversion(function.result), method_of(function, "eval")

    def finished(kept: pa.Array) -> Iterator[Any]:
        columns = kept.values.flatten()
        for a, b in _ends(kept):
            series = [column.slice(a, b - a).to_pandas() for column in columns]
            try:
                yield convert(found()(*series))
            except Exception as failure:
                raise failed(function, "", series, failure) from failure

    return finished


def _accumulating(function: PythonFunction) -> Callable[[Sequence[Any]], Any]:
    """From rows to a new accumulator of them."""
    create, accumulate = method_of(function, "create_accumulator"), method_of(function, "accumulate")

    def accumulator_of(rows: Sequence[Any]) -> Any:
        accumulator, add, row = create()(), accumulate(), ()
        try:
            for row in rows:
                add(accumulator, *row)
        except Exception as failure:
            raise failed(function, "accumulate", row, failure) from failure
        return accumulator

    return accumulator_of


def _merging(function: PythonFunction) -> Callable[[Any, list[Any]], None]:
    """Merges other accumulators, if there are any, into one."""
    merge = method_of(function, "merge")

    def merge_all(accumulator: Any, others: list[Any]) -> None:
        if not others:
            return
        try:
            merge()(accumulator, others)
        except Exception as failure:
            raise failed(function, "merge", (accumulator, others), failure) from failure

    return merge_all


def _storing(function: PythonFunction) -> Callable[[Any], Any]:
    """An accumulator as a value of its type."""
    assert function.accumulator is not None
    convert = conversion(function.accumulator, "the accumulator")

    def stored(accumulator: Any) -> Any:
        try:
            return convert(accumulator)
        except (TypeError, OverflowError) as failure:
            raise failed(function, "get_accumulator_type", (accumulator,), failure) from failure

    return stored


def _arguments(rows: pa.Array) -> list[tuple[Any, ...]]:
    return list(zip(*map(values, rows.flatten())))


def _ends(groups: pa.Array) -> Iterator[tuple[int, int]]:
    ends = groups.offsets.to_pylist()
    return pairwise(ends)
