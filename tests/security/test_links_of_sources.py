"""A link that somebody puts into a source directory: stream, backfill, verification and lookups leave it out alike."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sources.linked_files import LinkedFileError
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import FINISHED
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from tests.engine.dimensions.reports import ENRICHED, report, write_shops
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    FEW,
    HOUR,
    MORNING,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
    source_file,
)
from tests.engine.reports import write_events as write

TUMBLE = Windowing("TUMBLE", HOUR, HOUR)
DAY = Interval(MORNING, MORNING + 4 * HOUR)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A source with a file, links to itself and one to a private directory."""
    write(tmp_path / "events" / "a.csv", random_events(1, 30, 4 * HOUR))
    write(tmp_path / "private" / "salaries.csv", random_events(2, 30, 4 * HOUR))
    for name, target in {"again": ".", "oncemore": ".", "leak": "../private"}.items():
        (tmp_path / "events" / name).symlink_to(target)
    return tmp_path


def curve(place: Path, **given: str) -> Plan:
    return plan_of(place, events_table(**given), curve_insert(TUMBLE.sql, FEW))


def counted(rows: Iterable[tuple[object, ...]]) -> int:
    return sum(row[3] for row in rows if isinstance(row[3], int))


def as_of_today(home: Home) -> None:
    """Makes the home one that was made when all links were followed."""
    content = json.loads(home.report_file.local.read_text())
    assert "source.follow-links" in content.pop("knows")
    home.report_file.local.write_text(json.dumps(content))


def test_stream_backfill_and_verification_read_the_same(spark, place: Path) -> None:
    plan = curve(place)
    home = Home.create(place / "home", plan)
    assert Runner(spark, plan, home).run() == FINISHED
    assert counted(rows_of(place / "curve")) == 30
    done = backfill(spark, plan, home, DAY, check=False)
    assert (counted(rows_of(place / "curve")), done.unread_files) == (30, 0)
    verdict = verify(spark, plan, home)
    assert (verdict.is_proven, verdict.unread_files) == (True, 0)


def test_a_backfill_without_a_stream(spark, place: Path) -> None:
    plan = curve(place)
    backfill(spark, plan, Home.create(place / "home", plan), DAY, check=False)
    assert counted(rows_of(place / "curve")) == 30


def test_a_file_that_becomes_a_link_before_its_batch_is_read(spark, place: Path) -> None:
    """The driver tries again, and the next listing leaves it out."""
    stream = Stream(spark, curve(place), place / "home")
    file = place / "events" / "a.csv"
    split = source_file(file)
    file.unlink()
    file.symlink_to("../private/salaries.csv")
    with pytest.raises(LinkedFileError, match=r"a\.csv is not read, as a link has come into its path") as refused:
        stream.driver.absorb("events", [split])
    assert refused.value.passes


def test_a_home_of_today_goes_on_and_warns(spark, place: Path, caplog: pytest.LogCaptureFixture) -> None:
    plan = curve(place)
    home = Home.create(place / "home", plan)
    as_of_today(home)
    assert Runner(spark, home.as_it_runs(plan), home).run() == FINISHED
    assert counted(rows_of(place / "curve")) == 60
    said = [one.getMessage() for one in caplog.records if "is followed, though" in one.getMessage()]
    assert said and all(one.startswith(f"{place / 'events' / 'leak'} is followed") for one in said)
    assert verify(spark, home.as_it_runs(plan), home).is_proven
    closed = curve(place, source__follow_links="inside")
    home.check_report(closed)
    (source,) = home.as_it_runs(closed).sources
    assert source.table.options["source.follow-links"] == "inside"


def test_a_table_that_is_looked_up(spark, place: Path) -> None:
    """Rows that are missing in it would be wrong results, so it waits until somebody has looked at the link."""
    write_shops(place, {1: "north"})
    (place / "shops" / "leak.csv").symlink_to(place / "private" / "salaries.csv")
    (lookup,) = report(place, ENRICHED).lookups
    with pytest.raises(UnreachableError, match=r"leak\.csv can't be opened: it leads out of .*'source.follow-links'"):
        dimension_of(lookup.table).mark(spark, lookup.table)
