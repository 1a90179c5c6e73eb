"""Files that changed since they were read, because the report whose results they are has published them again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.files.checksum import checksum_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published, Restate
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.published_again import published_again
from airflow_nrt.home.published_directory import OWNER, PLACE
from tests.engine.no_spark import NO_SPARK
from tests.sample import plan_of

READ = '{"n":1}\n'


class Chain:
    """A report that has published into `curve`, and the files as another one has read them."""

    def __init__(self, place: Path) -> None:
        plan = plan_of(base=place)
        self.home = Home.create(place / "home", plan)
        self.root = place / "curve"
        (self.insert,) = plan.inserts
        sink_of(self.insert).check(NO_SPARK, self.home, self.insert)

    def publish(self, name: str, text: str) -> SourceFile:
        """Publishes a file again, or for the first time; gives it as it is read then."""
        path = self.root / name
        path.write_text(text)
        one = Published(self.insert.name, 0, 10, "restated", 1, checksum_of(path), "staged/a", name)
        self.home.log().append(Restate((one,), (), "backfill", {}, -1), None)
        return SourceFile(str(path), path.stat().st_size, path.stat().st_mtime_ns)

    def remove(self, name: str) -> None:
        (self.root / name).unlink()
        self.home.log().append(Restate((), (f"{self.insert.name}/{name}",), "backfill", {}, -1), None)


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    return Chain(tmp_path)


def test_what_its_report_did_is_explained(chain: Chain) -> None:
    files = [chain.publish(f"{name}.json", READ) for name in ("same", "other", "gone")]
    chain.publish("other.json", '{"n":2}\n')
    chain.remove("gone.json")
    assert published_again(files, None) == {files[1].name, files[2].name}


def test_a_file_that_was_written_again_with_the_same_content(chain: Chain) -> None:
    file = chain.publish("a.json", READ)
    os.utime(file.path, ns=(1, 1))
    assert published_again([file], None) == {file.name}


def test_what_others_did_is_not(chain: Chain) -> None:
    changed, gone = chain.publish("changed.json", READ), chain.publish("gone.json", READ)
    Path(changed.path).write_text('{"n":3}\n')
    Path(gone.path).unlink()
    foreign = chain.root / "foreign.json"
    foreign.write_text(READ)
    assert published_again([changed, gone, SourceFile(str(foreign), 1, 1)], None) == frozenset()


def test_a_later_removal_does_not_explain_an_earlier_file(chain: Chain) -> None:
    file = chain.publish("a.json", READ)
    chain.remove("a.json")
    Path(file.path).write_text('{"n":3}\n')
    assert published_again([file], None) == frozenset()


@pytest.mark.parametrize("mark", [OWNER, PLACE])
def test_marks_that_anybody_can_have_written_explain_nothing(chain: Chain, mark: str, tmp_path: Path) -> None:
    file = chain.publish("a.json", READ)
    chain.publish("a.json", '{"n":2}\n')
    assert published_again([file], None)
    forged = Home.create(tmp_path / "forged", plan_of(base=tmp_path))
    content = forged.identity().id if mark == OWNER else str(forged.path)
    (chain.root / mark).write_text(content)
    assert published_again([file], None) == frozenset()
    (chain.root / mark).unlink()
    assert published_again([file], None) == frozenset()


def test_a_home_that_others_can_write_explains_nothing(chain: Chain) -> None:
    file = chain.publish("a.json", READ)
    chain.publish("a.json", '{"n":2}\n')
    chain.home.path.chmod(0o777)
    assert published_again([file], None) == frozenset()


def test_a_directory_knows_where_its_home_has_moved_to(chain: Chain, tmp_path: Path) -> None:
    file = chain.publish("a.json", READ)
    chain.publish("a.json", '{"n":2}\n')
    moved = chain.home.path.rename(tmp_path / "moved")
    assert published_again([replace(file, modified=1)], None) == frozenset()
    sink_of(chain.insert).check(NO_SPARK, Home.open(moved), chain.insert)
    assert published_again([file], None) == {file.name}
