"""The files that an entry names: durable before the entry, alone in what counts, and checked by the next driver."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.engine.failures.damaged_state import named_in_home
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.model.plan import Plan
from airflow_nrt.usecases.late import late
from airflow_nrt.usecases.requests.late import LateRequest
from tests.engine.driver.power import Disk, PowerFailure, failing_at
from tests.engine.fault_points import watch_points
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    DAY,
    FEW,
    HOUR,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
)

TOTALS = """
CREATE TABLE totals (n BIGINT, users BIGINT, PRIMARY KEY (n) NOT ENFORCED) PARTITIONED BY (n)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/totals', 'format' = 'parquet');
SET 'table.exec.state.unbounded' = 'allow';
INSERT INTO totals
SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) GROUP BY n;"""
WINDOWING = Windowing("CUMULATE", DAY, HOUR)
EVENTS = random_events(11, 160, 6 * HOUR)
BATCHES = [EVENTS[n : n + 40] for n in range(0, 160, 40)]
# The last batch is late for windows of the first hours.
BATCHES[2:] = [BATCHES[3], BATCHES[2]]


def report(place: Path) -> Plan:
    return plan_of(place, events_table(), curve_insert(WINDOWING.sql, FEW), TOTALS)


@pytest.fixture(scope="module")
def clean(spark, tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("clean")
    stream = Stream(spark, report(place), place / "home")
    stream.absorb_batches(place, BATCHES)
    stream.end()
    assert stream.driver.position.late and verify(spark, stream.plan, stream.home).is_proven
    return place


def results(place: Path) -> dict[str, list[tuple[object, ...]]]:
    return {sink: rows_of(place / sink) for sink in ("curve", "totals")}


@pytest.mark.parametrize(
    ("point", "times"),
    [pytest.param("commit-after", 2, marks=pytest.mark.thorough), ("commit-after", 4), ("tick-after", 2)],
)
def test_a_power_failure(spark, tmp_path: Path, monkeypatch, clean: Path, point: str, times: int) -> None:
    """Just after an entry: what it refers to is there, though Spark has synced nothing."""
    plan = report(tmp_path)
    disk = Disk(tmp_path / "home", monkeypatch)
    with monkeypatch.context() as patch:
        stream = Stream(spark, plan, tmp_path / "home")
        watch_points(patch, failing_at(point, times))
        with pytest.raises(PowerFailure):
            stream.absorb_batches(tmp_path, BATCHES)
    assert disk.fail() > 0
    stream = Stream(spark, plan, tmp_path / "home")
    read = stream.driver.position.sources["events"].files
    stream.absorb_batches(tmp_path, BATCHES[read:])
    stream.end()
    assert results(tmp_path) == results(clean)
    assert verify(spark, plan, stream.home).is_proven


def test_what_comes_into_a_directory_later_does_not_count(spark, tmp_path: Path, clean: Path) -> None:
    """A task that Spark has given up may write its file after the entry."""
    plan = report(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    for batch in BATCHES:
        stream.absorb_batches(tmp_path, [batch])
        double_all(stream.home)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.end()
    assert results(tmp_path) == results(clean)
    assert verify(spark, plan, stream.home).is_proven
    assert late_lines(tmp_path / "home") == late_lines(clean / "home")


def late_lines(home: Path) -> list[str]:
    return sorted(str(one["row"]) for one in late(LateRequest(home=str(home))).rows)


def double_all(home: Home) -> None:
    for directory in (home.state, home.ledger):
        for ending in ("parquet", "txt"):
            for file in [*directory.local.rglob(f"part-*.{ending}")]:
                shutil.copyfile(file, file.with_name(f"part-99999-{file.name}"))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def other_footer(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-20] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("damage", [Path.unlink, cut, other_footer])
def test_damaged_state_is_named_before_anything_is_read(spark, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    plan = report(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, BATCHES[:2])
    directory = sorted(stream.driver.position.files())[0]
    (file, *_) = sorted((stream.home.path / directory).glob("*.parquet"))
    damage(file)
    entries = len(stream.entries)
    with pytest.raises(HomeError, match=f"{file} is not what an entry of the log says .*put it back from a copy"):
        Stream(spark, plan, tmp_path / "home")
    assert len(stream.entries) == entries + 1, "more than its lease"


def test_a_damaged_page_of_state_is_noticed_when_it_is_read(spark, tmp_path: Path) -> None:
    plan = report(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, BATCHES[:1])
    operator = plan.operators[0].name
    (state,) = stream.driver.position.operators[operator].rows
    for file in (stream.home.path / state.path).glob("*.parquet"):
        column = pq.read_metadata(file).row_group(0).column(0)
        content = bytearray(file.read_bytes())
        content[column.data_page_offset + column.total_compressed_size - 1] ^= 1
        file.write_bytes(content)
    stream = Stream(spark, plan, tmp_path / "home")
    with pytest.raises(Exception) as failure:
        stream.end()
    named = str(named_in_home(explained(failure.value, plan.origins), stream.home))
    assert "CRC checksum verification failed): put it back from a copy" in named and "home/state/w1/" in named


def test_a_lost_file_of_the_ledger_is_named(spark, tmp_path: Path, clean: Path) -> None:
    copied = tmp_path / "home"
    shutil.copytree(clean / "home", copied)
    home = Home.open(copied)
    ledgers = [entry.body.ledger for entry in home.log().audit() if isinstance(entry.body, Commit)]
    (ledger,) = filter(None, ledgers)
    next((copied / ledger).glob("late-*/*.txt")).unlink()
    with pytest.raises(HomeError, match=r"the ledger .*late-.* can't be read"):
        late(LateRequest(home=str(copied)))


def test_a_directory_of_parts_goes_with_the_last_of_them(spark, clean: Path) -> None:
    home = Home.open(clean / "home")
    referred = home.log().position().files()
    parts = [one for one in home.state.local.glob("totals.table/*/*") if one.is_dir()]
    assert parts, "the table has no parts"
    assert {one.parent for one in parts} == {*home.state.local.glob("totals.table/*")}, "an empty directory is left"
    assert any(str(one.relative_to(home.path)) in referred for one in parts)
