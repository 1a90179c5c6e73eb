"""FIRST_VALUE, LAST_VALUE and LISTAGG follow the order of arrival, however the arrivals are cut into batches.

files      a: 1 2 3    b: 4 5    c: 6 7 8 9        a row is after all rows of the files before its own
batches    [a] [b] [c]     [a b] [c]     [a b c]   give the same
"""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    DELAY,
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
    write_events,
)

AGGREGATES = {
    "first": ("BIGINT", "FIRST_VALUE(id)"),
    "last": ("STRING", "LAST_VALUE(item)"),
    "listed": ("STRING", "LISTAGG(item)"),
    "apart": ("STRING", "LISTAGG(item, '; ')"),
}
FILES = 6


@pytest.mark.parametrize(
    "windowing",
    [
        pytest.param(Windowing("TUMBLE", HOUR, HOUR), marks=pytest.mark.thorough),
        Windowing("HOP", HOUR, 20 * MINUTE),
        Windowing("CUMULATE", HOUR, 20 * MINUTE),
    ],
    ids=str,
)
def test_same_in_any_batches(spark, tmp_path: Path, windowing: Windowing) -> None:
    arrived = cut(arriving(random_events(5, 120, 3 * HOUR), 5, DELAY), 5, FILES)
    expected = by_hand(windowing, [event for file in arrived for event in file])
    for name, sizes in {"single": [1] * FILES, "pairs": [2, 2, 2], "mixed": [1, 4, 1], "whole": [FILES]}.items():
        place = tmp_path / name
        files = [write_events(place / "events" / f"{n}.csv", file) for n, file in enumerate(arrived)]
        plan = plan_of(place, events_table(), curve_insert(windowing.sql, AGGREGATES))
        stream = Stream(spark, plan, place / "home")
        rest = list(files)
        for size in sizes:
            stream.absorb(*rest[:size])
            rest = rest[size:]
        stream.end()
        assert rows_of(place / "curve") == expected, name
    assert verify(spark, plan, stream.home).is_proven
    batch = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file) for file in files]})
    assert ordered(batch.drop("_nrt_end").collect()) == expected


def by_hand(windowing: Windowing, arrived: list[Event]) -> list[tuple]:
    """Slices in time order, inside a slice the order of arrival, NULLs passed over."""
    from datetime import timedelta

    from tests.engine.reports import EPOCH

    length = windowing.stride
    in_order = sorted(arrived, key=lambda event: event.at // length)
    times = [event.at for event in arrived]
    rows = []
    for start, end in windowing.between(min(times), max(times)):
        for shop in {event.shop for event in arrived}:
            inside = [event for event in in_order if start <= event.at < end and event.shop == shop]
            if not inside:
                continue
            items = [event.item for event in inside if event.item is not None]
            bounds = (EPOCH + timedelta(milliseconds=start), EPOCH + timedelta(milliseconds=end))
            listed = (",".join(items) or None, "; ".join(items) or None)
            rows.append((shop, *bounds, inside[0].id, items[-1] if items else None, *listed))
    return ordered(rows)
