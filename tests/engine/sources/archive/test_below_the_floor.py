"""The archive of a home whose old entries went before a reader had read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError, RetainedError
from airflow_nrt.engine.sources.archive.content import ArchiveContent
from airflow_nrt.home.log.entries import (
    ARCHIVED,
    COMPACTED,
    Commit,
    OperatorState,
    Position,
    Published,
    SourceState,
    Tick,
)
from airflow_nrt.home.log.splits import SourceRange
from airflow_nrt.home.outline import ArchiveOutline
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes

__all__ = ["short_volumes"]
ARCHIVE = ArchiveOutline("kept", "orders", "/archive", (), (), None)


def position(n: int) -> Position:
    return Position({"orders": SourceState(n, files=n + 1)}, {"w1": OperatorState(n, fired=n)}, windows=n)


def part(n: int) -> SourceRange:
    return SourceRange("t-0", n, n + 1, 1)


def file(n: int, state: str = ARCHIVED) -> Published:
    return Published("kept", None, None, state, 1, "0", "", f"hh=1/{n}")


@pytest.fixture
def long(tmp_path: Path) -> LongHome:
    return LongHome(tmp_path)


def archive(long: LongHome, count: int) -> None:
    """A batch of one record in each entry."""
    for _ in range(count):
        n = long.log.last + 1
        long.append(Commit("orders", (), 1, n, {}, {}, (), None, (file(n),), position(n), ranges=(part(n),)))
    long.keep_up()


def expire(long: LongHome) -> None:
    for path in long.home.followers.below(".json"):
        path.delete()


def test_a_reader_that_has_read_all_goes_on(long: LongHome) -> None:
    archive(long, 3 * VOLUME)
    content = ArchiveContent(long.home, ARCHIVE)
    content.refresh()
    expire(long)
    assert long.retain().first > VOLUME
    content.refresh()
    assert content.files_of([part(5)], None) == [file(5)]


def test_a_reader_that_slept_is_told_and_takes_no_batch_for_another(long: LongHome) -> None:
    """What it had read before is not the file of what was removed meanwhile."""
    archive(long, 5)
    content = ArchiveContent(long.home, ARCHIVE)
    content.refresh()
    expire(long)
    archive(long, 3 * VOLUME)
    long.append(Tick((file(900, COMPACTED),), 0, position(60), ("kept/hh=1/3", "kept/hh=1/4")))
    archive(long, VOLUME)
    floor = long.retain().first
    assert floor > 2 * VOLUME
    content.refresh()
    with pytest.raises(
        RetainedError, match=r"t-0@9-10 is to be read .* are removed.* Begin anew .*: begin at 1970.* or later"
    ):
        content.files_of([part(9)], None)
    assert content.files_of([part(floor + 1)], None) == [file(floor + 1)]
    with pytest.raises(InputError, match=r"'scan.startup.home': in .*, the log entries before .* or later"):
        content.check_since(None, "'scan.startup.home'")
