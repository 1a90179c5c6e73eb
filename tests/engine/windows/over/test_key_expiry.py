"""OVER by intervals forgets keys that are idle: what Flink's rule gives, row by row; and no state is left of them."""

from __future__ import annotations

import random
from pathlib import Path

from airflow_nrt.engine.state.state_columns import GENERATION, SLICE
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.engine.windows.over.key_expiry import with_generations
from airflow_nrt.model.internal_columns import BATCH, SEEN
from tests.engine.reports import DELAY, MINUTE, MORNING, Event, Stream, events_table, plan_of, rows_of
from tests.engine.windows.streamed import Case

FRAME = 10 * MINUTE
COUNTED = Case(
    "id BIGINT, n BIGINT",
    """SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING
    AND CURRENT ROW) FROM events""",
)


def event(number: int, shop: int, minute: int) -> Event:
    return Event(number, shop, None, None, None, None, MORNING + minute * MINUTE)


def by_flinks_rule(batches: list[list[Event]]) -> dict[int, int]:
    """The counts by id, lateness and idleness judged by the watermark at the beginning of a batch."""
    watermark = -(10**15)
    lives: dict[int, tuple[int, int, list[tuple[int, Event]]]] = {}
    counted: dict[int, list[tuple[int, Event]]] = {}
    for number, batch in enumerate(batches):
        in_time = []
        for row in batch:
            born, stays, rows = lives.get(row.shop, (watermark, None, []))
            if stays is not None and stays <= watermark and born < watermark:
                born, stays, rows = watermark, None, []
            if not any(row.at <= one.at <= watermark and came < number for came, one in rows):
                stays = stays if stays is not None and stays >= row.at + FRAME + 1 else row.at + FRAME * 3 // 2 + 1
                rows.append((number, row))
                in_time.append(row)
            lives[row.shop] = (born, stays, rows)
        for row in in_time:
            counted[row.id] = lives[row.shop][2]
        watermark = max([watermark, *(row.at - DELAY for row in batch)])
    rows = {row.id: row for batch in batches for row in batch}
    return {
        number: sum(rows[number].at - FRAME <= one.at <= rows[number].at for _, one in life)
        for number, life in counted.items()
    }


def test_as_flink_does_row_by_row_where_keys_are_idle(spark, tmp_path: Path) -> None:
    chance = random.Random(3)
    spans = [(0, 20), (50, 60), (100, 120)]
    minutes = sorted(chance.randrange(*chance.choice(spans)) for _ in range(60))
    behind = [chance.randrange(60) if chance.random() < 0.3 else 0 for _ in minutes]
    rows = [event(n, chance.randint(1, 4), minute - late) for n, (minute, late) in enumerate(zip(minutes, behind))]
    batches = [rows[n : n + 12] for n in range(0, len(rows), 12)]
    expected = by_flinks_rule(batches)
    late = len(rows) - len(expected)
    truth = {row.id: sum(one.shop == row.shop and row.at - FRAME <= one.at <= row.at for one in rows) for row in rows}
    assert late, "nothing is late"
    assert any(expected[n] < truth[n] for n in expected), "no row came back to a key that was forgotten"
    plan = plan_of(tmp_path, events_table(), COUNTED.insert("counted"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches)
    stream.end()
    assert {row[0]: row[1] for row in rows_of(tmp_path / "counted")} == expected
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    assert verdict.late_rows == late


def test_a_key_is_forgotten_one_and_a_half_frames_after_a_row_that_prolongs_it(spark, tmp_path: Path) -> None:
    """A row prolongs its key if less than one frame was left: so a key may go one to one and a half frames after it."""
    (operator,) = plan_of(tmp_path, events_table(), COUNTED.insert("counted")).operators
    first = FRAME * 3 // 2 + 1
    keys = {
        # The watermark at which its last row begins a new life, and the rows before that.
        "alone": (first, [0]),
        "one frame is left": (first, [0, FRAME // 2]),
        "less than one frame is left": (first + FRAME // 2 + 1, [0, FRAME // 2 + 1]),
        "it was prolonged, and has a frame left": (first + FRAME // 2 + 1, [0, FRAME // 2 + 1, FRAME]),
    }
    columns = (
        "shop STRING, p STRUCT<file: INT, block: INT, row: INT>, _nrt_slice BIGINT, _nrt_seen BIGINT, _nrt_batch INT"
    )
    rows = []
    for name, (end, before) in keys.items():
        for early in (1, 0):
            key, last = f"{name}, {'before' if early else 'at'} its end", len(before)
            rows += [(key, (n, 0, 0), at + 1, None, n) for n, at in enumerate(before)]
            rows.append((key, (last, 0, 0), end + 2 * FRAME, end - early, last))
    (key,) = operator.partition
    columns = f"{key} STRING, p STRUCT<file: INT, block: INT, row: INT>, {SLICE} BIGINT, {SEEN} BIGINT, {BATCH} INT"
    judged = with_generations(layout_of(operator), spark.createDataFrame(rows, columns))
    found = judged.where(f"{SEEN} IS NOT NULL").select(key, SEEN, GENERATION)
    begun = {name: generation == seen for name, seen, generation in found.collect()}
    assert begun == {name: name.endswith(", at its end") for name, *_ in rows}


def test_nothing_is_left_of_keys_that_are_idle(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), COUNTED.insert("counted"))
    stream = Stream(spark, plan, tmp_path / "home")
    held = []
    for hour in range(3):
        keys = [event(100 * hour + n, 100 * hour + n, 60 * hour) for n in range(20)]
        stream.absorb_batches(tmp_path, [[*keys, event(100 * hour + 99, 1000, 60 * hour + 30)]])
        state = stream.driver.position.operators["w1"]
        held.append(sum(file.rows for file in (*state.rows, *state.closed)))
    # Of the key that goes on: the row that has not fired, and the last one that has.
    assert held == [1, 2, 2]
