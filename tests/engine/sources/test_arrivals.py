"""Arrivals: every file once, however old it looks, and without listing what has not changed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.arrivals import Arrivals, partition_values
from airflow_nrt.engine.sources.filesystem import Files
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.tables import Table


def put(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"_{path.name}")
    aside.write_text(text)
    return aside.rename(path)


def paths(arrivals: Arrivals) -> list[str]:
    return [file.path for file in arrivals.poll()]


def settle(*directories: Path) -> None:
    """Lets directories look as if nothing had changed in them for a minute."""
    then = time.time() - 60
    for directory in directories:
        os.utime(directory, (then, then))


def test_each_file_once_oldest_first(tmp_path: Path) -> None:
    second, first = put(tmp_path / "a.csv"), put(tmp_path / "b.csv")
    os.utime(first, ns=(1, 1))
    arrivals = Arrivals(str(tmp_path), None)
    assert paths(arrivals) == [str(first), str(second)]
    assert paths(arrivals) == []
    third = put(tmp_path / "c.csv", "three\n")
    (found,) = arrivals.poll()
    assert (found.path, found.size, found.modified) == (str(third), 6, third.stat().st_mtime_ns)


def test_a_file_that_looks_old_is_not_skipped(tmp_path: Path) -> None:
    put(tmp_path / "new.csv")
    arrivals = Arrivals(str(tmp_path), None)
    arrivals.poll()
    ancient = put(tmp_path / "ancient.csv")
    os.utime(ancient, (0, 0))
    assert paths(arrivals) == [str(ancient)]


def test_files_that_appear_while_a_directory_is_listed(tmp_path: Path) -> None:
    """Two files in one tick of the file system's clock: the second must not hide behind the first."""
    arrivals = Arrivals(str(tmp_path), None)
    for n in range(200):
        one = put(tmp_path / f"{n}.csv")
        assert paths(arrivals) == [str(one)]


def test_a_directory_that_has_just_changed_is_listed_again(tmp_path: Path) -> None:
    """A file system with a slow clock gives it the same time for the file that comes next."""
    put(tmp_path / "a.csv")
    of_the_tick = tmp_path.stat().st_mtime_ns
    arrivals = Arrivals(str(tmp_path), None)
    arrivals.poll()
    second = put(tmp_path / "b.csv")
    os.utime(tmp_path, ns=(of_the_tick, of_the_tick))
    assert paths(arrivals) == [str(second)]


def test_renamed_into_place_from_elsewhere(tmp_path: Path) -> None:
    source = tmp_path / "source"
    put(source / "first.csv")
    settle(source)
    arrivals = Arrivals(str(source), None)
    arrivals.poll()
    arrivals.poll()
    elsewhere = put(tmp_path / "elsewhere" / "second.csv")
    os.utime(elsewhere, (0, 0))
    elsewhere.rename(source / "second.csv")
    assert paths(arrivals) == [str(source / "second.csv")]


def test_hidden_names_are_not_there_yet(tmp_path: Path) -> None:
    for name in ("_a.csv", ".b.csv", "_temporary/c.csv", ".staging/ds=1/d.csv"):
        put(tmp_path / name)
    arrivals = Arrivals(str(tmp_path), None)
    assert paths(arrivals) == []
    (tmp_path / "_a.csv").rename(tmp_path / "a.csv")
    assert paths(arrivals) == [str(tmp_path / "a.csv")]


def test_new_partitions_in_settled_directories(tmp_path: Path) -> None:
    put(tmp_path / "ds=1" / "hh=00" / "a.csv")
    settle(tmp_path / "ds=1" / "hh=00", tmp_path / "ds=1", tmp_path)
    arrivals = Arrivals(str(tmp_path), None)
    assert len(arrivals.poll()) == 1
    assert arrivals.poll() == []
    for name in ("ds=1/hh=00/b.csv", "ds=1/hh=01/a.csv", "ds=2/hh=00/a.csv"):
        put(tmp_path / name)
        assert paths(arrivals) == [str(tmp_path / name)]
    assert partition_values(str(tmp_path / name), str(tmp_path)) == {"ds": "2", "hh": "00"}


def test_what_was_read_before_a_restart(tmp_path: Path) -> None:
    seen = put(tmp_path / "a.csv")
    new = put(tmp_path / "b.csv")
    assert paths(Arrivals(str(tmp_path), None, [str(seen)])) == [str(new)]


def test_pattern_matches_the_whole_path(tmp_path: Path) -> None:
    put(tmp_path / "a.tmp")
    wanted = put(tmp_path / "a.csv")
    assert paths(Arrivals(str(tmp_path), r".*\.csv")) == [str(wanted)]


def test_one_file_is_a_table_too(tmp_path: Path) -> None:
    file = put(tmp_path / "a.csv")
    arrivals = Arrivals(f"file://{file}", None)
    assert paths(arrivals) == [str(file)]
    assert paths(arrivals) == []


def test_no_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the source directory .*nowhere does not exist"):
        Arrivals(str(tmp_path / "nowhere"), None).poll()


MANY = 20_000


@pytest.mark.parametrize("directories", [1, 500])
def test_many_old_files(tmp_path: Path, directories: int) -> None:
    source, one = tmp_path / "source", put(tmp_path / "one.csv")
    made = [source / f"ds={n:03d}" for n in range(directories)]
    for directory in made:
        directory.mkdir(parents=True)
        for n in range(MANY // directories):
            # Another name of a file is made ten times as fast as another file.
            os.link(one, directory / f"{n}.csv")
    settle(*made, source)
    arrivals = Arrivals(str(source), None)
    all_of_them = seconds_of(arrivals, MANY)
    quiet, busy = [], []
    for n in range(3):
        quiet.append(seconds_of(arrivals, 0))
        put(made[-1] / f"new-{n}.csv")
        busy.append(seconds_of(arrivals, 1))
    assert min(quiet) < all_of_them / 20
    assert min(busy) < all_of_them / 2


def seconds_of(arrivals: Arrivals, expected: int) -> float:
    began = time.perf_counter()
    assert len(arrivals.poll()) == expected
    return time.perf_counter() - began


def test_a_link_to_nothing_waits_until_there_is_something(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source, elsewhere = tmp_path / "source", tmp_path / "elsewhere.csv"
    fine = put(source / "fine.csv")
    link = source / "link.csv"
    link.symlink_to(elsewhere)
    settle(source)
    arrivals = Arrivals(str(source), None, follow="all")
    assert paths(arrivals) == [str(fine)]
    assert arrivals.unreadable == {str(link): f"No such file or directory, it is a link to {elsewhere}"}
    assert paths(arrivals) == []
    assert [one.getMessage() for one in caplog.records] == [
        f"{link} can't be opened (No such file or directory, it is a link to {elsewhere}): it waits until it can"
    ]
    put(elsewhere)
    assert (paths(arrivals), arrivals.unreadable) == ([str(link)], {})
    assert paths(arrivals) == []


def test_a_link_that_is_taken_away_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere.csv")
    arrivals = Arrivals(str(tmp_path), None)
    assert (paths(arrivals), len(arrivals.unreadable)) == ([], 1)
    (tmp_path / "link.csv").unlink()
    assert (paths(arrivals), len(arrivals.unreadable)) == ([], 0)


def test_a_link_that_leads_to_itself(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "link.csv")
    arrivals = Arrivals(str(tmp_path), None)
    assert paths(arrivals) == []
    assert "symbolic links" in arrivals.unreadable[str(tmp_path / "link.csv")]


def test_none_is_to_wait(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere.csv")
    with pytest.raises(
        InputError, match=r"link\.csv can't be opened: No such file.*'source.unreadable-files' = 'wait'"
    ):
        Arrivals(str(tmp_path), None, tolerant=False).poll()


def test_what_is_taken_away_while_a_directory_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "a.csv")
    gone = put(tmp_path / "b.csv")
    stat = os.stat

    def taken_away(path, **options):
        if path == str(gone):
            gone.unlink(missing_ok=True)
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", taken_away)
    arrivals = Arrivals(str(tmp_path), None)
    assert (paths(arrivals), arrivals.unreadable) == ([str(tmp_path / "a.csv")], {})


def test_a_batch_reads_the_oldest_file_first_whichever_was_found_first(tmp_path: Path) -> None:
    table = Table("orders", (), "filesystem", options={"path": str(tmp_path), "format": "csv"})
    found = [SourceFile("b", 1, 2), SourceFile("c", 1, 1), SourceFile("a", 1, 2)]
    assert [file.name for file in Files(table, SourceInputs()).in_order([*found])] == ["c", "a", "b"]


@pytest.mark.parametrize("name", ["a:b.csv", "a.csv.snappy", "a.csv.lz4", os.fsdecode(b"a\xff.csv")])
def test_a_file_that_spark_can_not_be_given_waits_and_is_found_under_another_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    odd, plain = put(tmp_path / name), put(tmp_path / "b.csv")
    arrivals = Arrivals(str(tmp_path), None)
    assert paths(arrivals) == [str(plain)] and list(arrivals.unreadable) == [str(odd)]
    assert "it waits until it can" in caplog.text and caplog.text.encode()
    assert paths(arrivals) == []
    renamed = odd.rename(tmp_path / "c.csv")
    assert paths(arrivals) == [str(renamed)] and not arrivals.unreadable
