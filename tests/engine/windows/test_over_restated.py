"""A slot of OVER that was restated, and rows of it that fire only then.

watermark                                 | 00:25
shop 1, 2   x 00:00              x 00:30  |
shop 3            a 00:05:10              |  comes now, in time: nobody of its shop has fired
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.decide.decide import Decisions, StreamState
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import MINUTE, MORNING, Event, Stream, events_table, plan_of, rows_of
from tests.engine.windows.streamed import Case

QUERY = """SELECT id, COUNT(*) OVER (
    PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW) FROM events"""
SLOT = Interval(MORNING, MORNING + 20 * MINUTE)


def row(number: int, shop: int, seconds: int) -> Event:
    return Event(number, shop, 1, "a", None, None, MORNING + seconds * 1000)


class Died(Exception):
    """In place of the end of a process."""


def dies(decisions: Decisions, at: StreamState) -> NoReturn:
    """The driver dies after a commit, before it fires."""
    raise Died


@pytest.mark.slow
def test_a_row_that_waits_to_fire_is_published_once(spark, tmp_path: Path, monkeypatch) -> None:
    plan = plan_of(tmp_path, events_table(), Case("id BIGINT, n BIGINT", QUERY).insert("lately"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [[row(1, 1, 0), row(2, 2, 30 * 60)]])
    with monkeypatch.context() as patched:
        patched.setattr(Decisions, "settle", dies)
        with pytest.raises(Died):
            stream.absorb_batches(tmp_path, [[row(3, 3, 310)]])
    backfill(spark, plan, stream.home, SLOT, False)
    assert [one for one, _ in rows_of(tmp_path / "lately")] == [1]
    # The next driver fires it, and a row beside it.
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [[row(4, 3, 320)]])
    assert rows_of(tmp_path / "lately") == [(1, 1), (3, 1), (4, 2)]
    # A late row, that the batch counts; after the restatement a row whose result the stream gives without it.
    stream.absorb_batches(tmp_path, [[row(5, 3, 315)]])
    backfill(spark, plan, stream.home, SLOT, False)
    stream.absorb_batches(tmp_path, [[row(6, 3, 330)]])
    assert rows_of(tmp_path / "lately") == [(1, 1), (3, 1), (4, 3), (5, 2), (6, 3)]
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    assert verdict.inserts[0].rows["explained"] > 0
