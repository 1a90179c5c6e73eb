"""An estimate of the cores, the state and the delay of a report at a rate of rows, from its rows, values and results.

`docs/explanation/sizing.md` says where the costs come from. They were measured on one warm core. The sum shows which
term dominates; of the others it shows the order of magnitude.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Plan

ROW_SECONDS = 2.6e-6
"""To parse a row, and to write its partial."""
PAIR_SECONDS = 2.6e-6
"""To find out, when its slice closes, whether a distinct value is new to its key."""
KNOWN_PAIR_SECONDS = 0.3e-6
"""To look through one known pair of a key and a value, each time that a step fires."""
RESULT_SECONDS = 4.9e-6
"""To merge, render and write a row of results."""
BATCH_SECONDS, FIRING_SECONDS = 0.33, 0.8
"""Of each micro-batch, and in addition where windows fire, however few rows there are."""
BATCH_CPU, FIRING_CPU = 0.6, 1.6
PAIR_BYTES, PARTIAL_BYTES = 8, 10
BUSY = 0.7
"""The share of the cores that a live stream should use, so that it catches up after a stop."""


@dataclass(frozen=True)
class Load:
    """`rate` rows a second of each source; `keys` of each operator; of the rows the share with a new distinct value."""

    rate: float
    keys: int
    new_values: float = 1.0

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.keys <= 0 or not 0 <= self.new_values <= 1:
            raise InputError("a rate and a number of keys are greater than 0, and a share lies between 0 and 1")


def estimate(plan: Plan, load: Load) -> dict[str, Any]:
    """The estimate as JSON: seconds, bytes, cores; `most` names the largest part of the work.

    Only of windows on a grid: sessions, row windows and queries without a window depend on the contents of rows.
    """
    operators = [operator for operator in plan.operators if operator.window.ends_on_grid and operator.sources]
    left_out = [one.name for one in plan.operators if one not in operators] + [one.name for one in plan.updating]
    left_out += [f"the versions of {insert.name}" for insert in plan.versioned]
    work = {"parsing rows and writing partials": load.rate * ROW_SECONDS * max(len(operators), len(plan.sources))}
    state = 0.0
    for operator in operators:
        for what, seconds in _firing(operator, load).items():
            work[what] = work.get(what, 0.0) + seconds
        state += _state(operator, load)
    strides = [_step(operator) for operator in operators]
    work["starting micro-batches and firings"] = _fixed(strides)
    cores = sum(work.values()) / BUSY
    return {
        "rate": load.rate,
        "keys": load.keys,
        "cores": math.ceil(cores),
        "state_bytes": round(state),
        "delay_seconds": round(_delay(operators, load, cores), 1),
        "most": max(work, key=lambda what: work[what]),
        "work": {what: round(seconds, 4) for what, seconds in work.items()},
        **({"not_counted": left_out} if left_out else {}),
    }


def _step(operator: WindowAggregate) -> float:
    """Seconds from one firing to the next, the fewest if windows end by months."""
    return operator.window.grid.shortest / 1000


def _firing(operator: WindowAggregate, load: Load) -> dict[str, float]:
    """Core seconds a second, by the kind of work."""
    step = _step(operator)
    sets = len(operator.distinct_sets)
    found = {"writing results": _results(operator, load) * RESULT_SECONDS / step}
    if sets:
        found["finding first-seen values"] = load.rate * sets * PAIR_SECONDS
        found["looking through seen values"] = _pairs(operator, load) * KNOWN_PAIR_SECONDS / step
    return found


def _results(operator: WindowAggregate, load: Load) -> float:
    """Rows of one firing: a window has a result for each key with rows."""
    window = operator.window
    return min(load.keys if operator.keys else 1, load.rate * window.longest / 1000)


def _pairs(operator: WindowAggregate, load: Load) -> float:
    """The most pairs of a key and a distinct value that are kept at a time."""
    window = operator.window
    kept = window.longest + operator.delay
    return load.rate * kept / 1000 * load.new_values * len(operator.distinct_sets)


def _state(operator: WindowAggregate, load: Load) -> float:
    window = operator.window
    shortest = window.slices.shortest
    slices = (2 if window.nested else window.longest // shortest) + operator.delay // shortest
    partials = min(load.keys if operator.keys else 1, load.rate * window.slices.longest / 1000) * slices
    return partials * PARTIAL_BYTES + _pairs(operator, load) * PAIR_BYTES


def _fixed(strides: list[float]) -> float:
    """For a batch a second, the rate of a stream that keeps up."""
    return BATCH_CPU + sum(FIRING_CPU / stride for stride in strides)


def _delay(operators: list[WindowAggregate], load: Load, cores: float) -> float:
    """Seconds from the watermark that completes a step to its results, on so many cores."""
    firing = 0.0
    for operator in operators:
        step = _step(operator)
        firing += sum(seconds * step for seconds in _firing(operator, load).values())
    return BATCH_SECONDS + FIRING_SECONDS + firing / max(cores, 1)
