"""What commands say of a home whose old entries are removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError, RetainedError
from airflow_nrt.cli.main import main
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past.past import past_results, write_missing_past
from airflow_nrt.home.notes.first_windows import note_first_windows
from airflow_nrt.home.notes.unread import UnreadFiles, note_unread
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.usecases.skip import leave_out
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes
from tests.sample import plan_of

__all__ = ["short_volumes"]


@pytest.fixture
def long(tmp_path: Path) -> LongHome:
    long = LongHome(tmp_path).of(plan_of())
    long.grow(4 * VOLUME)
    write_missing_past(long.log)
    long.retain()
    return long


def run(*arguments: str) -> int:
    return main(list(arguments))


@pytest.mark.parametrize("command", ["windows", "late", "changelog"])
def test_they_begin_at_the_floor_and_say_so(long: LongHome, capsys: pytest.CaptureFixture[str], command: str) -> None:
    first = long.home.log().first
    assert first > VOLUME and run(command, "--home", str(long.home.path)) == 0
    said = capsys.readouterr()
    assert f"the log entries before {first} are removed, which were written up to" in said.err
    assert said.out and "are removed" not in said.out
    assert run(command, "--home", str(long.home.path), "--json") == 0
    shown = json.loads(capsys.readouterr().out) if command != "changelog" else []
    if command == "windows":
        published = [one.published[0].end for one in long.all[first:] if one.published]
        assert [one["end"] for one in shown] == sorted(set(published) & {one["end"] for one in shown})
        assert all(one["entry"] >= first for one in shown) and shown


def test_status_names_the_floor_what_lacks_and_what_is_unread(
    long: LongHome, capsys: pytest.CaptureFixture[str]
) -> None:
    note_first_windows(long.home, {"added": 600_000, "without": None})
    note_first_windows(long.home, {"added": 1_200_000})
    note_unread(long.home, {"orders": {"/d": UnreadFiles(3, 10)}})
    assert run("status", "--home", str(long.home.path)) == 0
    said = capsys.readouterr().out
    assert f"history     from entry {long.home.log().first} on, after " in said
    assert "windows that begin at 1970-01-01 00:00:00" in said and "or later can be proven" in said
    assert "lacking     added has windows that end at 1970-01-01 00:10:00 or later: the log entries that" in said
    assert "without" not in said.partition("lacking")[2].partition("added")[0]
    assert "closed      orders: 3 files came after their directories were closed" in said
    metrics = long.home.path.parent / "metrics.prom"
    assert run("homes", str(long.home.path.parent), "--prometheus", str(metrics)) == 0
    assert 'airflow_nrt_unread_files{home="' in metrics.read_text() and "} 3\n" in metrics.read_text()


def test_a_row_that_a_removed_entry_has_read_is_not_left_out(long: LongHome) -> None:
    home, first = long.home, long.home.log().first
    read = next(int(one.body.files[0].path[3:]) for one in long.all[:first] if hasattr(one.body, "files"))
    with pytest.raises(InputError, match=f"was read by an entry before {first}: what an entry has read stays"):
        leave_out(home, "orders", [SkippedRow(f"/d/{read}", 1, "0")])


def test_entries_that_go_while_they_are_read(long: LongHome, monkeypatch: pytest.MonkeyPatch) -> None:
    log, read = long.home.log(), Log.read
    for path in (long.home.path / "checkpoints").glob("*.past.gz"):
        path.unlink()
    found = past_results(log)
    next(found)
    long.grow(3 * VOLUME)
    assert long.retain().first > log.first + VOLUME
    monkeypatch.setattr(Log, "_content", lambda self, n: read_anew(self, n))
    with pytest.raises(RetainedError, match=r"is removed: .* It was removed while it was read: ask again"):
        [*found]
    assert read


def read_anew(log: Log, n: int) -> bytes | None:
    """Without what it remembers of a volume."""
    log._bound = None
    return _CONTENT(log, n)


_CONTENT = Log._content
