"""Aggregates that hold values are what a few lines of Python say, in any batches, on every window.

rows       · ·· |· ···  |·  ·     the order of arrival inside a slice, slices in time order
windows   [--------------)
                [--------------)
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.verify.verify import verify
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    DELAY,
    EPOCH,
    HOUR,
    MINUTE,
    Event,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    rows_of,
    source_file,
)


def there(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def different(values: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def percentile(values: Sequence[Any], *shares: float) -> list[float] | None:
    return [_percentile([float(value) for value in sorted(values)], share) for share in shares] if values else None


def _percentile(values: list[float], share: float) -> float:
    place = share * (len(values) - 1)
    low, high = math.floor(place), math.ceil(place)
    return values[low] if low == high else (high - place) * values[low] + (place - low) * values[high]


def deviation(values: Sequence[float]) -> float | None:
    mean = squares = 0.0
    for n, value in enumerate(sorted(values), 1):
        before, mean = mean, mean + (value - mean) / n
        squares += (value - before) * (value - mean)
    n = len(values)
    return math.sqrt(squares * n / (float(n) * n)) if values else None


def variance(values: Sequence[int]) -> int | None:
    n = len(values)
    return int(Fraction(n * sum(v * v for v in values) - sum(values) ** 2, n * n)) if n else None


BY_HAND: dict[str, tuple[str, str, Callable[[list[Event]], Any]]] = {
    "items": ("MULTISET<STRING>", "COLLECT(item)", lambda rows: dict(Counter(there([r.item for r in rows])))),
    "kinds": (
        "MAP<STRING, INT>", "COLLECT(DISTINCT item)",
        lambda rows: dict.fromkeys(there([r.item for r in rows]), 1),
    ),
    "dear": (
        "ARRAY<BIGINT>", "ARRAY_AGG(id) FILTER (WHERE price > 50)",
        lambda rows: [r.id for r in rows if r.price is not None and r.price > 50] or None,
    ),
    "users": ("ARRAY<INT>", "ARRAY_AGG(DISTINCT user_id)", lambda rows: different([r.user for r in rows])),
    "listed": (
        "STRING", "LISTAGG(DISTINCT item, '|')",
        lambda rows: "|".join(different(there([r.item for r in rows]))) or None,
    ),
    "texts": (
        "STRING", "JSON_ARRAYAGG(item NULL ON NULL)",
        lambda rows: json.dumps([r.item for r in rows], separators=(",", ":")),
    ),
    "known": (
        "STRING", "JSON_ARRAYAGG(user_id)",
        lambda rows: json.dumps(there([r.user for r in rows]), separators=(",", ":")),
    ),
    "weights": (
        "STRING", "JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE weight)",
        lambda rows: json.dumps(dict(sorted((str(r.id), r.weight) for r in rows)), separators=(",", ":")),
    ),
    "median": (
        "DOUBLE", "PERCENTILE(price, 0.5)",
        lambda rows: (percentile(there([r.price for r in rows]), 0.5) or [None])[0],
    ),
    "quarters": (
        "ARRAY<DOUBLE>", "PERCENTILE(DISTINCT weight, ARRAY[0.25, 1])",
        lambda rows: percentile(different(there([r.weight for r in rows])), 0.25, 1.0),
    ),
    "often": (
        "DOUBLE", "PERCENTILE(price, 0.9, user_id - 1)",
        lambda rows: (percentile([p for r in rows for p in there([r.price]) * ((r.user or 0) - 1)], 0.9) or [None])[0],
    ),
    "spread": (
        "DOUBLE", "STDDEV_POP(DISTINCT weight)",
        lambda rows: deviation(different(there([r.weight for r in rows]))),
    ),
    "apart": ("INT", "VAR_POP(DISTINCT user_id)", lambda rows: variance(different(there([r.user for r in rows])))),
    "both": ("BIGINT", "COUNT(user_id, item)", lambda rows: sum(None not in (r.user, r.item) for r in rows)),
    "pairs": (
        "BIGINT", "COUNT(DISTINCT user_id, item)",
        lambda rows: len({(r.user, r.item) for r in rows if None not in (r.user, r.item)}),
    ),
    "about": ("BIGINT", "APPROX_COUNT_DISTINCT(user_id)", lambda rows: len(set(there([r.user for r in rows])))),
    "only": ("INT", "SINGLE_VALUE(DISTINCT shop)", lambda rows: rows[0].shop),
}  # fmt: skip
AGGREGATES = {name: (kind, call) for name, (kind, call, _) in BY_HAND.items()}
WINDOWS = [
    Windowing("TUMBLE", 40 * MINUTE, 40 * MINUTE),
    Windowing("HOP", HOUR, 40 * MINUTE),
    Windowing("CUMULATE", HOUR, 20 * MINUTE),
]


def by_hand(windowing: Windowing, arrived: list[Event]) -> list[tuple[Any, ...]]:
    slice_length = math.gcd(windowing.size, windowing.stride)
    in_order = sorted(arrived, key=lambda event: event.at // slice_length)
    times = [event.at for event in arrived]
    rows = []
    for start, end in windowing.between(min(times), max(times)):
        for shop in {event.shop for event in arrived}:
            inside = [event for event in in_order if start <= event.at < end and event.shop == shop]
            if inside:
                bounds = (EPOCH + timedelta(milliseconds=start), EPOCH + timedelta(milliseconds=end))
                rows.append((shop, *bounds, *(compute(inside) for _, _, compute in BY_HAND.values())))
    return ordered(rows)


@pytest.mark.parametrize(
    "windowing",
    # TUMBLE is the case of CUMULATE with one step, and that of HOP with one slice.
    [one if one.kind == "HOP" else pytest.param(one, marks=pytest.mark.thorough) for one in WINDOWS],
    ids=str,
)
def test_in_any_batches(spark, tmp_path: Path, windowing: Windowing) -> None:
    """The batch is what is said here, and the stream what the batch is, of the rows that had come by then."""
    arrived = cut(arriving(random_events(8, 150, 3 * HOUR), 8, DELAY, late=0.2), 8, 4)
    plan = plan_of(tmp_path, events_table(), curve_insert(windowing.sql, AGGREGATES))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, arrived)
    stream.end()
    expected = by_hand(windowing, [event for batch in arrived for event in batch])
    files = sorted((tmp_path / "events").glob("*.csv"))
    batch = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file) for file in files]})
    assert ordered(batch.drop("_nrt_end").collect()) == expected
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and stream.firings > 1, verdict
    assert verdict.inserts[0].rows["explained"] > 0, verdict
    assert verdict.inserts[0].rows["equal"] == len([row for row in rows_of(tmp_path / "curve") if row in expected]) > 0
