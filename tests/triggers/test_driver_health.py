"""Judging a driver from successive looks at its home.

seconds   0    2    4    6 …          15
beat      a    b    b    b            b      no new beat for 15 s: lost
process   ✓    ✓    ✗    ✗                   gone, and no new beat for 5 s: lost
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from airflow_nrt.home.heartbeat import FAILED, FENCED, FINISHED, RUNNING, STOPPED, Heartbeat
from airflow_nrt.triggers.driver_health import BROKEN, ENDED, LOST, STALLED, DriverWatch, Judgement, Observation
from airflow_nrt.triggers.watch_settings import WatchSettings

BEAT = Heartbeat(RUNNING, 3, "host", 1, 0, "app", beat=1000, progress=500)


def judge_all(watch: DriverWatch, looks: list[tuple[float, Observation]]) -> tuple[float, Judgement] | None:
    """The first judgement, and when it came."""
    for now, observation in looks:
        judgement = watch.judge(observation, now)
        if judgement is not None:
            return now, judgement
    return None


def beating(seconds: float, **changes: object) -> Observation:
    return Observation(replace(BEAT, beat=1000 + int(seconds * 1000), **changes))  # type: ignore[arg-type]


def test_a_driver_that_beats_is_left_alone() -> None:
    assert judge_all(DriverWatch(), [(t, beating(t)) for t in range(0, 200, 2)]) is None


def test_silence_is_a_loss() -> None:
    found = judge_all(DriverWatch(WatchSettings(silence=15)), [(t, beating(0)) for t in range(60)])
    assert found is not None
    assert found[0] == 15
    assert found[1].kind == LOST and not found[1].final


def test_a_watcher_that_slept_has_not_heard_silence() -> None:
    watch = DriverWatch(WatchSettings(silence=15))
    assert judge_all(watch, [(0, beating(0)), (1, beating(0)), (500, beating(0)), (502, beating(502))]) is None


def test_a_process_that_is_gone_is_a_loss_sooner_but_not_at_once() -> None:
    watch = DriverWatch(certainty=5)
    gone = Observation(beating(0).beat, gone=True)
    found = judge_all(watch, [(t, gone) for t in range(60)])
    assert found is not None
    assert (found[0], found[1].kind) == (5, LOST)


def test_a_process_that_looks_gone_and_beats_is_alive() -> None:
    looks = [(float(t), Observation(beating(t).beat, gone=True)) for t in range(60)]
    assert judge_all(DriverWatch(), looks) is None


def test_an_end_is_what_was_asked_for() -> None:
    for state, endless in itertools.product((FINISHED, STOPPED), (True, False)):
        asked = Observation(beating(0, state=state).beat, stop_asked=True)
        assert DriverWatch(endless=endless).judge(asked, 0) == Judgement(ENDED, 3, state)
    assert DriverWatch().judge(beating(0, state=FINISHED), 0) == Judgement(ENDED, 3, FINISHED)


@pytest.mark.parametrize("state, endless", [(STOPPED, True), (STOPPED, False), (FINISHED, True)])
def test_an_end_that_nobody_asked_for_is_a_loss(state: str, endless: bool) -> None:
    found = DriverWatch(endless=endless).judge(beating(0, state=state), 0)
    assert found == Judgement(LOST, 3, f"it {state} without a request to stop")


@pytest.mark.parametrize("final", [True, False])
def test_a_failure_says_whether_it_is_final(final: bool) -> None:
    observation = beating(0, state=FAILED, error="overflow", final=final)
    assert DriverWatch().judge(observation, 0) == Judgement(BROKEN, 3, "overflow", final)


def test_a_fenced_driver_is_followed_to_its_successor() -> None:
    watch = DriverWatch(succession=60)
    fenced = beating(0, state=FENCED, final=True)
    looks = [(float(t), fenced) for t in range(30)]
    looks += [(float(t), beating(t, epoch=4)) for t in range(30, 200)]
    assert judge_all(watch, looks) is None
    assert watch.judge(beating(200, epoch=4, state=FINISHED), 201) == Judgement(ENDED, 4, FINISHED)


def test_a_successor_that_never_shows_up_is_a_loss() -> None:
    found = judge_all(DriverWatch(succession=60), [(t, beating(0, state=FENCED, final=True)) for t in range(100)])
    assert found is not None
    assert (found[0], found[1].kind, found[1].final) == (60, LOST, False)


def test_bytes_that_wait_without_progress_are_a_stall() -> None:
    looks = [(float(t), beating(t, pending_bytes=7)) for t in range(100)]
    found = judge_all(DriverWatch(WatchSettings(stall_timeout=30)), looks)
    assert found is not None
    assert (found[0], found[1].kind) == (30, STALLED)


def test_bytes_that_arrive_after_a_long_rest_are_no_stall() -> None:
    looks = [(float(t), beating(t)) for t in range(0, 500, 5)]
    looks += [(float(t), beating(t, pending_bytes=7)) for t in range(500, 520, 5)]
    looks += [(float(t), beating(t, progress=520_000)) for t in range(520, 600, 5)]
    assert judge_all(DriverWatch(WatchSettings(stall_timeout=30)), looks) is None


def test_progress_ends_a_stall() -> None:
    looks = [(float(t), beating(t, pending_bytes=7, progress=t // 20)) for t in range(500)]
    assert judge_all(DriverWatch(WatchSettings(stall_timeout=30)), looks) is None


def test_without_a_stall_timeout_there_is_no_stall() -> None:
    assert judge_all(DriverWatch(), [(float(t), beating(t, pending_bytes=7)) for t in range(0, 10_000, 5)]) is None
