"""Blocks of shuffles and caches hold rows: nobody else can enter their directories, and none is left for long."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.spark.block_directories import PREFIX, private_blocks, remove_left

ROOT = Path(__file__).parents[3]
HOLDS = """
import sys, time
from airflow_nrt.engine.spark.block_directories import made_below
print(*made_below((sys.argv[1],)), flush=True)
time.sleep(600)
"""


class Java:
    """The calls that Java is asked for, without it."""

    def __init__(self, temporary: Path) -> None:
        self.properties = {"java.io.tmpdir": str(temporary)}
        self.removed_at_end: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return str if name == "java.io.File" else self

    def getProperty(self, name: str) -> str:
        return self.properties[name]

    def setProperty(self, name: str, value: str) -> None:
        self.properties[name] = value

    def registerShutdownDeleteDir(self, place: str) -> None:
        self.removed_at_end.append(place)


@pytest.fixture(autouse=True)
def outside_of_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_LOCAL_DIRS", "CONTAINER_ID", "SPARK_EXECUTOR_DIRS", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)


def gone(place: Path) -> bool:
    until = time.monotonic() + 20
    while place.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return not place.exists()


def test_blocks_of_this_session(spark: SparkSession) -> None:
    spark.range(0, 1000, 1, 2).repartition(3).count()
    context: Any = spark.sparkContext
    used = [Path(str(one)) for one in context._jsc.sc().env().blockManager().diskBlockManager().localDirsString()]
    assert used
    for one in used:
        assert one.parent.name.startswith(PREFIX)
        assert [oct(place.stat().st_mode & 0o777) for place in (one, one.parent)] == ["0o700", "0o700"]
    assert Path(context._temp_dir).is_relative_to(used[0].parent)


def test_below_what_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is closed, also where others can enter what is around it, and Java removes it when it ends."""
    temporary, one, other = (tmp_path / name for name in ("temporary", "one", "other"))
    for place in (temporary, one):
        place.mkdir(mode=0o777)
    java = Java(temporary)
    assert private_blocks(java, {}) == {}
    found = [Path(java.properties["java.io.tmpdir"])]
    assert private_blocks(java, {}) == {} and [Path(java.properties["java.io.tmpdir"])] == found
    given = private_blocks(java, {"spark.local.dir": f"{one}, {other}"})
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(other))
    private_blocks(java, {"spark.local.dir": str(one)})
    found += [Path(place) for place in given["spark.local.dir"].split(",")]
    assert [place.parent for place in found] == [temporary, one, other]
    assert {oct(place.stat().st_mode & 0o777) for place in found} == {"0o700"}
    assert {str(place) for place in found} <= {*java.removed_at_end}


@pytest.mark.parametrize("name", ["CONTAINER_ID", "SPARK_EXECUTOR_DIRS"])
def test_the_manager_of_a_cluster_gives_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    assert (private_blocks(Java(tmp_path), {}), list(tmp_path.iterdir())) == ({}, [])


def test_no_place_for_blocks(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"no directory for its blocks .*: correct SPARK_LOCAL_DIRS or 'spark\.local"):
        private_blocks(Java(tmp_path), {"spark.local.dir": str(tmp_path / "file" / "blocks")})


@pytest.mark.process
def test_what_a_killed_driver_leaves(tmp_path: Path) -> None:
    """The next session removes it, and nothing else."""
    killed = subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    left = Path(killed.stdout.readline().strip())
    (left / "blockmgr-1" / "0c").mkdir(parents=True)
    (left / "blockmgr-1" / "0c" / "shuffle_0_0_0.data").write_text("rows")
    others = [tmp_path / "blockmgr-2", tmp_path / f"{PREFIX}of-somebody", tmp_path / "private"]
    for place in others:
        place.mkdir()
        (place / "file").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "private")
    if os.geteuid() == 0:
        os.chown(others[1], 12345, -1)
    remove_left((str(tmp_path),))
    assert left.exists()
    killed.kill()
    killed.wait()
    java = Java(tmp_path)
    private_blocks(java, {})
    assert gone(left)
    assert Path(java.properties["java.io.tmpdir"]).is_dir()
    assert [place.is_dir() for place in others] == [True, os.geteuid() == 0, True]
    assert (tmp_path / "private" / "file").exists()
