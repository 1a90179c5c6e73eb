"""The page, as long as it follows a home, and when it begins with one whose old entries are removed."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.home.log.past.past import write_missing_past
from airflow_nrt.page.log_facts import Facts
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes

__all__ = ["short_volumes"]


def shown(facts: Facts) -> object:
    return facts.first, facts.last, facts.windows, facts.batches, facts.late, facts.events


def followed(long: LongHome) -> Facts:
    facts = Facts()
    facts.follow(long.home.log())
    return facts


def test_a_page_that_starts_again_begins_at_the_floor(tmp_path: Path) -> None:
    long = LongHome(tmp_path)
    facts = Facts()
    long.grow(5)
    facts.follow(long.home.log())
    long.grow(4 * VOLUME)
    write_missing_past(long.log)
    up_to_date = followed(long)
    assert (up_to_date.first, up_to_date.last) == (0, long.log.last)
    floor = long.retain().first
    assert floor > VOLUME
    # One that has read all goes on with it; one that has missed entries begins anew, as one that starts does.
    facts.follow(long.home.log())
    assert shown(facts) == shown(followed(long)) and facts.first == floor
    long.grow(VOLUME)
    up_to_date.follow(long.home.log())
    assert up_to_date.first == 0 and up_to_date.batches[-3:] == followed(long).batches[-3:]


def test_what_is_kept_and_what_entries_say_is_shown_alike(tmp_path: Path) -> None:
    long = LongHome(tmp_path)
    long.grow(4 * VOLUME)
    before = shown(followed(long))
    write_missing_past(long.log)
    assert list((long.home.path / "checkpoints").glob("*.past.gz"))
    assert shown(followed(long)) == before
    long.retain()
    assert shown(followed(long)) != before
    kept = {int(path.name.partition(".")[0]) for path in (long.home.path / "checkpoints").glob("*.past.gz")}
    assert min(kept) > long.home.log().first
