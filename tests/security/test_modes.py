"""What is made in a home is its user's alone, whatever the umask; what is published has the mode of any new file."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.main import main
from airflow_nrt.home.home import Home
from tests.engine.no_spark import NO_SPARK
from tests.sample import plan_of
from tests.security.others import tree

REPORT = """
SET 'table.exec.state.unbounded' = 'allow';
CREATE TABLE orders (shop STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv', 'csv.ignore-parse-errors' = 'true',
      'scan.null-rowtime' = 'skip', 'source.max-batch-size' = '1 b');
CREATE TABLE totals (shop STRING, n BIGINT, window_end TIMESTAMP(3), dt STRING) PARTITIONED BY (dt)
WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'json');
CREATE TABLE stands (shop STRING, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'stands', 'format' = 'json');
INSERT INTO totals SELECT shop, COUNT(*), window_end, DATE_FORMAT(window_end, 'yyyy-MM-dd')
FROM TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY shop, window_start, window_end;
INSERT INTO stands SELECT shop, COUNT(*) FROM orders GROUP BY shop;
"""
ROWS = ("a,1,2024-06-18 10:00:00", "a,2,2024-06-18 12:00:00\na,b", "a,3,2024-06-18 09:00:00", "b,4,2024-06-18 13:30:00")
"""The second file has a malformed line, the third a late row."""


def open_to_others(place: Path, bits: int = 0o077) -> list[str]:
    """As `find PLACE -perm /077` prints it."""
    return [str(path) for path in tree(place) if path.lstat().st_mode & bits]


def modes(place: Path) -> tuple[set[str], set[str]]:
    """Of the directories and of the files below a place."""
    found = [path.stat().st_mode for path in place.rglob("*")]
    return (
        {oct(stat.S_IMODE(mode)) for mode in found if stat.S_ISDIR(mode)},
        {oct(stat.S_IMODE(mode)) for mode in found if stat.S_ISREG(mode)},
    )


@pytest.mark.thorough
@pytest.mark.process
@pytest.mark.parametrize(
    "umask, group, directories, files",
    [
        pytest.param(0, None, "0o777", "0o666", id="umask 0", marks=pytest.mark.thorough),
        pytest.param(0o022, "0", "0o755", "0o644", id="umask 022, a group"),
    ],
)
def test_a_run(tmp_path: Path, umask: int, group: str | None, directories: str, files: str) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "report.sql").write_text(REPORT)
    (tmp_path / "orders").mkdir()
    for n, rows in enumerate(ROWS):
        (tmp_path / "orders" / f"{n}.csv").write_text(f"{rows}\n")
    home, shared = tmp_path / "made" / "home", ["--group", group] if group is not None else []
    subprocess.run(
        [sys.executable, "-m", "airflow_nrt.cli.main", "run", "--available-now", str(tmp_path / "report.sql"),
         "--home", str(home), "--master", "local[1]", *shared],
        umask=umask, check=True, cwd=Path(__file__).parents[2], capture_output=True,
    )  # fmt: skip
    assert {path.name for path in home.iterdir()} >= {"report.json", "log", "state", "ledger", "heartbeats"}
    assert {path.name.partition("-")[0] for path in home.rglob("*") if path.is_dir()} >= {"late", "rejected"}
    assert len(list((home / "state").rglob("*.parquet"))) > 1
    assert not open_to_others(home, 0o077 if group is None else 0o007)
    if group is not None:
        assert modes(home) == ({"0o2770"}, {"0o660"})
    assert not open_to_others(home.parent, 0o022 if group is None else 0o002)
    for sink in ("totals", "stands"):
        inside = modes(tmp_path / sink)
        assert inside == ({directories} if sink == "totals" else set(), {files})


@pytest.mark.process
def test_what_is_made_without_spark(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from airflow_nrt.launch.engine import place_engine
from airflow_nrt.launch.start import start_launch
from airflow_nrt.launch.submission import Submission
from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.launch_failure import note_launch_failure
from tests.launch.homes import beat, fire, launch, lease, new_home
os.umask(int(sys.argv[2]))
home = new_home(Path(sys.argv[1]))
writer = lease(home)
fire(home, writer, 7)
beat(home, writer.epoch)
launch(home, 1)
home.ask_to_stop()
place_engine(home)
note_launch_failure(str(home.path), "1", InputError("no such table"))
start_launch(home, 2, Submission({}, "driver.py", {}), 1000, "a test")
note_launch_failure(f"{sys.argv[1]}/unmade", "1", InputError("no such table"))
"""
    for umask in (0, 0o022):
        place = tmp_path / str(umask)
        place.mkdir()
        subprocess.run(
            [sys.executable, "-c", script, str(place), str(umask)], check=True, cwd=Path(__file__).parents[2]
        )
        for home in ("home", "unmade"):
            assert not open_to_others(place / home)
            assert (place / home / "launches" / "1.json").exists()
        assert (place / "home" / "driver.log").exists()


def test_a_home_from_before_is_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All could read it."""
    with tarfile.open(Path(__file__).parents[1] / "home" / "homes" / "format-1.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    home = next(tmp_path.rglob("report.json")).parent
    for path in tree(home):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert main(["status", "--home", str(home)]) == 0
    assert Home.open(home).ask_to_stop() > 0
    assert oct((home / "stop").stat().st_mode & 0o777) == "0o600"


def test_the_owner_of_a_sink_can_be_read_by_the_next_report(tmp_path: Path) -> None:
    from airflow_nrt.engine.sinks import sink_of
    from airflow_nrt.home.published_directory import OWNER, PLACE

    for name in ("first", "second"):
        plan = plan_of(base=tmp_path, name=name)
        home = Home.create(tmp_path / name, plan)
        if name == "first":
            sink_of(plan.inserts[0]).check(NO_SPARK, home, plan.inserts[0])
    assert [os.stat(tmp_path / "curve" / mark).st_mode & 0o777 for mark in (OWNER, PLACE)] == [0o644, 0o644]
    with pytest.raises(InputError, match=f"another home publishes to .*{Home.open(tmp_path / 'first').identity().id}"):
        sink_of(plan.inserts[0]).check(NO_SPARK, home, plan.inserts[0])
