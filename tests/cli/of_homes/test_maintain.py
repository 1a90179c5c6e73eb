"""What `airflow-nrt maintain` says of the history in a home: before anything goes, afterwards, and of what stays."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from airflow_nrt.basics.durations import DAY
from airflow_nrt.cli.main import main
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.notes.followers import note_follower
from airflow_nrt.usecases import maintain
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes
from tests.sample import REPORT, plan_of

__all__ = ["short_volumes"]

KEEP = "SET 'home.keep' = '1 d';\n"


class Maintained:
    """A home with old entries, its report, and the command about it. Its tables need no Spark."""

    def __init__(self, place: Path, settings: str = KEEP) -> None:
        self.report = place / "curve.sql"
        self.report.write_text(settings + REPORT)
        self.long = LongHome(place).of(plan_of(settings + REPORT, base=place))
        self.long.grow(3 * VOLUME)
        self.log = self.long.home.log()
        while self.log.bind_volume():
            pass

    def run(self, *options: str) -> int:
        return main(["maintain", str(self.report), "--home", str(self.long.home.path), *options])


@pytest.fixture(autouse=True)
def in_two_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "session", lambda plan, master: nullcontext())
    monkeypatch.setattr(maintain, "maintain_tables", lambda *given: {})
    monkeypatch.setattr(maintain, "Retention", partial(maintain.Retention, clock=lambda: now_ms() + 2 * DAY))


def test_what_would_go_and_what_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = Maintained(tmp_path)
    assert of.run("--dry-run") == 0
    would = capsys.readouterr().out
    assert of.long.home.log().first == 0
    floor = 2 * VOLUME
    size = re.search(rf"^home: {floor} log entries, ([\d,]+) bytes would be removed$", would, re.MULTILINE)
    assert size is not None, would
    assert re.search(
        rf"^      entries from {floor} on, after \d.* \(UTC\): windows from 1970-01-01 .* on can be proven$",
        would,
        re.MULTILINE,
    ), would
    assert of.run("--dry-run", "--json") == 0
    counted = json.loads(capsys.readouterr().out)["history"]
    assert (counted["removed"], counted["first_entry"], f"{counted['bytes']:,}") == (floor, floor, size[1])
    assert of.run() == 0
    assert capsys.readouterr().out == would.replace("would be removed", "removed")
    assert of.long.home.log().first == floor
    assert of.run() == 0
    assert capsys.readouterr().out.startswith(f"home: no entry is to go\n      entries from {floor} on, after ")


def test_what_stays_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = Maintained(tmp_path)
    note_follower(of.long.home, "billing", 3)
    for options in (["--dry-run"], []):
        assert of.run(*options) == 0
        out = capsys.readouterr().out
        assert out == "home: no entry is to go\n      older entries stay: billing needs the log from entry 3 on\n"
    assert of.long.home.log().first == 0


def test_a_report_that_keeps_its_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = Maintained(tmp_path, settings="")
    assert of.run() == 0
    assert capsys.readouterr().out == "home: no entry is to go\n"
