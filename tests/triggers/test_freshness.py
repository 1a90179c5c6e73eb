"""Windows that must be published within five minutes of their end, every ten minutes."""

from __future__ import annotations

from datetime import datetime, timezone

from airflow_nrt.basics.instants import from_datetime, parse_instant
from airflow_nrt.model.windows import Every, Monthly
from airflow_nrt.triggers.freshness import FRESH, STALE, Freshness, Notice, TableObservation

MINUTE = 60_000
BEGIN = parse_instant("2024-06-18 09:55")


def look(judge: Freshness, reached: str | None, now: str) -> list[tuple[str, str]]:
    """The notices of one look, all of them accepted, as state and time of the window."""
    end = None if reached is None else parse_instant(f"2024-06-18 {reached}")
    observation = TableObservation("curve", Every(10 * MINUTE, end or 0), end, BEGIN)
    notices = judge.judge([observation], parse_instant(f"2024-06-18 {now}"))
    for notice in notices:
        judge.accept(notice)
    return [(one.state, f"{datetime.fromtimestamp(one.window_end / 1000, timezone.utc):%H:%M}") for one in notices]


def test_a_missing_window_is_said_once_and_the_next_one_too() -> None:
    judge = Freshness(5 * MINUTE, None)
    assert look(judge, "10:00", "10:14:59") == []
    assert look(judge, "10:00", "10:15") == [(STALE, "10:10")]
    assert look(judge, "10:00", "10:20") == []
    assert look(judge, "10:00", "10:25") == [(STALE, "10:20")]
    assert look(judge, "10:10", "10:26") == [], "the window of 10:20 is still missing"
    assert look(judge, "10:20", "10:27") == [(FRESH, "10:20")]
    assert look(judge, "10:20", "10:28") == []


def test_windows_that_ended_before_the_home_was_made_are_not_missed() -> None:
    judge = Freshness(5 * MINUTE, None)
    assert look(judge, None, "09:58") == []
    assert look(judge, None, "10:04") == []
    assert look(judge, None, "10:05") == [(STALE, "10:00")]


def test_the_ends_of_windows_lie_where_those_before_did() -> None:
    judge = Freshness(5 * MINUTE, None)
    assert look(judge, "10:03", "10:17") == []
    assert look(judge, "10:03", "10:18") == [(STALE, "10:13")]


def test_what_was_said_before_is_not_said_again() -> None:
    missed = {"curve": parse_instant("2024-06-18 10:10")}
    assert look(Freshness(5 * MINUTE, None, missed), "10:00", "10:16") == []
    assert look(Freshness(5 * MINUTE, None, missed), "10:10", "10:16") == [(FRESH, "10:10")]


def test_an_hour_that_is_shown_twice_is_waited_for() -> None:
    """In Berlin 02:00 to 03:00 of 2024-10-27 is shown at 00:00 UTC, and again at 01:00 UTC."""
    judge = Freshness(5 * MINUTE, "Europe/Berlin")
    observation = TableObservation("curve", Every(10 * MINUTE), parse_instant("2024-10-27 02:00"), 0)

    def missing(hour: int, minute: int) -> list[Notice]:
        return judge.judge([observation], from_datetime(datetime(2024, 10, 27, hour, minute)))

    assert missing(0, 16) == missing(0, 59) == missing(1, 14) == []
    assert [one.window_end for one in missing(1, 15)] == [parse_instant("2024-10-27 02:10")]


def test_notices_are_sentences() -> None:
    end, reached = parse_instant("2024-06-18 10:10"), parse_instant("2024-06-18 10:00")
    assert Notice(STALE, "curve", end, reached, 5 * MINUTE).text == (
        "curve is stale: the window that ends at 2024-06-18 10:10:00 is not published 5 minutes after its end, "
        "complete up to 2024-06-18 10:00:00"
    )
    assert Notice(FRESH, "curve", end, end, 5 * MINUTE).text.startswith("curve is fresh again: the window that ends at")


def test_a_notice_names_all_missing_windows_since_when_and_why() -> None:
    end = parse_instant("2024-06-18 10:00")
    observation = TableObservation("curve", Every(10 * MINUTE), end, BEGIN, "its driver has ended, stopped")
    (notice,) = Freshness(5 * MINUTE, None).judge([observation], parse_instant("2024-06-18 10:36"))
    assert [one - end for one in notice.missing] == [10 * MINUTE, 20 * MINUTE, 30 * MINUTE]
    assert notice.missing_since == parse_instant("2024-06-18 10:15")
    assert notice.text == (
        "curve is stale: the window that ends at 2024-06-18 10:30:00 is not published 5 minutes after its end, "
        "complete up to 2024-06-18 10:00:00; 3 windows are missing since 2024-06-18 10:15:00; "
        "its driver has ended, stopped"
    )


def test_months_are_missed_at_their_ends() -> None:
    observation = TableObservation("months", Monthly(1), parse_instant("2024-01-01 00:00"), BEGIN)
    judge = Freshness(5 * MINUTE, None)
    assert judge.judge([observation], parse_instant("2024-02-01 00:04:59")) == []
    (notice,) = judge.judge([observation], parse_instant("2024-03-30 10:00"))
    assert list(notice.missing) == [parse_instant("2024-02-01 00:00"), parse_instant("2024-03-01 00:00")]
    assert "2 windows are missing since 2024-02-01 00:05:00" in notice.text


def test_before_the_first_window_those_are_missing_that_ended_since_the_home_was_made() -> None:
    observation = TableObservation("curve", Every(10 * MINUTE), None, BEGIN)
    (notice,) = Freshness(5 * MINUTE, None).judge([observation], parse_instant("2024-06-18 10:16"))
    assert list(notice.missing) == [parse_instant("2024-06-18 10:00"), parse_instant("2024-06-18 10:10")]


def test_a_report_that_is_fresh_again_misses_nothing() -> None:
    missed = {"curve": parse_instant("2024-06-18 10:10")}
    observation = TableObservation("curve", Every(10 * MINUTE), parse_instant("2024-06-18 10:10"), BEGIN)
    (notice,) = Freshness(5 * MINUTE, None, missed).judge([observation], parse_instant("2024-06-18 10:16"))
    assert (list(notice.missing), notice.missing_since, notice.cause) == ([], None, "")
