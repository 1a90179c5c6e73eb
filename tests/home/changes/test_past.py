# ruff: noqa: E501 (a line of a message is one line)
"""What computing the past of a changed insert takes: by the logs of homes that were really written."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from airflow_nrt.home.changes.kinds import Impossible, Recomputed
from airflow_nrt.home.changes.past import Past
from airflow_nrt.home.changes.reach import Reach, Speed
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home
from tests.homes.archives import unpack
from tests.homes.scene import Scene


@pytest.fixture
def kept(tmp_path: Path) -> Callable[[str], Path]:
    """A home, unpacked."""
    return lambda name: unpack(name, tmp_path)


def reach(place: Path, insert: str, change: Callable[[str], str] = lambda text: text) -> Reach:
    """That of an insert of the report of a home, changed."""
    report = place / "report.sql"
    report.write_text(change(report.read_text()))
    plan: Plan = Scene.of_kept(None, place).plan  # type: ignore[arg-type]
    home = Home.open(place / "home")
    _, made_for = home.comparison(plan, plan_of_home)
    return Past(home.log(), made_for, plan).of(plan.insert(insert))


def files(place: Path) -> list[Path]:
    """The files of the source, as they were read."""
    return sorted((place / "events").rglob("*.csv"))


def test_all_of_it_is_there(kept: Callable[[str], Path]) -> None:
    found = reach(kept("windows"), "tumbling")
    assert (found.since, found.rows, found.open, found.gone) == (None, 12, None, None)
    assert found.speed is not None and found.seconds == 12 * found.speed.ms // found.speed.rows // 1000
    assert str(found).startswith(
        "from the first row on (2024-06-18 10:00:00), about 12 rows and less than a minute (at "
    )


def test_windows_are_whole_after_what_is_gone(kept: Callable[[str], Path]) -> None:
    """The first windows that begin after all rows of the file: later for longer windows."""
    place = kept("windows")
    files(place)[0].unlink()
    tumbling, hopping, cumulated = (reach(place, name) for name in ("tumbling", "hopping", "cumulated"))
    assert tumbling.since is not None and hopping.since is not None and cumulated.since is not None
    assert tumbling.since % (20 * 60_000) == 0 and hopping.since % (10 * 60_000) == 0
    assert cumulated.since % 3_600_000 == 0 and hopping.since <= tumbling.since <= cumulated.since
    assert tumbling.gone == "1 file of events is gone or changed: what is older keeps its rows"
    rows = tumbling.rows
    assert rows is not None and 0 < rows < 12
    assert str(tumbling).startswith("from 2024-06-18 1")


def test_a_file_that_changed_is_as_bad(kept: Callable[[str], Path]) -> None:
    place = kept("windows")
    whole = reach(place, "tumbling")
    files(place)[0].write_text("")
    assert whole.gone is None and reach(place, "tumbling").gone is not None


def test_sessions_have_no_length(kept: Callable[[str], Path]) -> None:
    place = kept("windows")
    files(place)[0].unlink()
    found = reach(place, "sessions")
    assert (found.since, found.rows) == (None, None)
    kind = Recomputed().with_past(lambda: found)
    assert isinstance(kind, Impossible)
    assert str(kind) == (
        "impossible, because 1 file of events is gone or changed, and what has no windows of a bounded length needs all rows"
    )


def test_rows_that_change_need_all(kept: Callable[[str], Path]) -> None:
    place = kept("updating")
    assert reach(place, "totals").rows == 7
    files(place)[0].unlink()
    assert "needs all rows" in str(reach(place, "totals").gone)


def test_a_host_that_does_not_see_the_source(kept: Callable[[str], Path]) -> None:
    place = kept("windows")
    shutil.rmtree(place / "events")
    found = reach(place, "tumbling")
    assert (found.since, found.rows, found.open) == (None, 12, f"this host does not see {place}/events")
    assert str(found).startswith(f"from an unknown time on (this host does not see {place}/events), about 12 rows")


def test_a_source_at_another_place(kept: Callable[[str], Path]) -> None:
    found = reach(kept("windows"), "tumbling", lambda text: text.replace("'path' = 'events'", "'path' = 'elsewhere'"))
    assert found.open == "events is at another place than before"


def test_records_of_a_topic_are_in_the_archive(kept: Callable[[str], Path]) -> None:
    place = kept("topic")
    assert reach(place, "curve").rows == 9
    next((place / "archive").rglob("*.parquet")).unlink()
    found = reach(place, "curve")
    assert found.gone is not None and "archive" in found.gone
    shutil.rmtree(place / "archive")
    assert reach(place, "curve").open == "this host does not see the archive orders_by_hour"


def test_records_without_an_archive_are_with_their_server(kept: Callable[[str], Path]) -> None:
    assert reach(kept("from_archive"), "curve").open == "what orders still keeps is known to its server alone"


@pytest.mark.parametrize(
    ("rows", "speed", "text"),
    [
        (0, None, "from the first row on, no rows yet"),
        (None, None, "from the first row on, an unknown number of rows"),
        (12_000, None, "from the first row on, about 12,000 rows, an unknown time (the log has no batches to measure)"),
        (12_000, Speed(5_000, 100_000, 3), "from the first row on, about 12,000 rows and 4 minutes (at 50 rows a second, "
         "as this home's 3 largest batches, waiting included)"),
        (1_000_000, Speed(1, 800, 1), "from the first row on, about 1,000,000 rows and 9 days 6 hours (at 1.2 rows a second, "
         "as this home's largest batch, waiting included)"),
    ],
)  # fmt: skip
def test_words(rows: int | None, speed: Speed | None, text: str) -> None:
    assert str(Reach(rows=rows, speed=speed)) == text
