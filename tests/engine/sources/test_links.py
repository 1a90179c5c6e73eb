"""Links in the directory of a table: which are followed, that none leads round and round, and each file once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.arrivals import MOST_DEPTH, Arrivals
from airflow_nrt.home.log.splits import SourceFile, Split
from airflow_nrt.model.tables import Table
from tests.engine.sources.test_arrivals import paths, put, settle

EVERY_WAY = pytest.mark.parametrize("follow", ["inside", "warn", "all"])
SOMEBODY = 12345


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A source directory, beside one that is private."""
    put(tmp_path / "private" / "salaries.csv")
    put(tmp_path / "source" / "a.csv")
    return tmp_path / "source"


def found(root: Path, follow: str = "inside", pattern: str | None = None) -> list[str]:
    """The paths below the root, sorted."""
    return sorted(str(Path(path).relative_to(root)) for path in paths(Arrivals(str(root), pattern, follow=follow)))


@EVERY_WAY
@pytest.mark.parametrize("links", [{"a": "."}, {"a": ".", "b": "."}, {"a": "..", "ds=1/b": "../..", "c": "a/source/a"}])
def test_links_that_lead_round_and_round(root: Path, follow: str, links: dict[str, str]) -> None:
    put(root / "ds=1" / "b.csv")
    for name, target in links.items():
        (root / name).symlink_to(target)
    names = found(root, follow)
    assert [name for name in names if "salaries" not in name] == ["a.csv", "ds=1/b.csv"]
    assert len(names) == 2 or (follow != "inside" and len(names) == 3)


@EVERY_WAY
def test_directories_that_link_to_each_other(root: Path, follow: str) -> None:
    """There are more ways through them than anybody could go."""
    outside = [root.parent / f"outside-{n}" for n in range(30)]
    for n, one in enumerate(outside):
        put(one / f"{n}.csv")
        for other in outside:
            (one / f"to-{other.name}").symlink_to(other)
    (root / "out").symlink_to(outside[0])
    names = sorted(Path(name).name for name in found(root, follow))
    assert names == sorted(["a.csv", *(f"{n}.csv" for n in range(30) if follow != "inside")])


@pytest.mark.parametrize("target", ["salaries.csv", "."])
def test_links_that_lead_out_are_left_out_and_named(root: Path, target: str) -> None:
    link = root / "leak.csv"
    link.symlink_to(root.parent / "private" / target)
    arrivals = Arrivals(str(root), None)
    assert paths(arrivals) == [str(root / "a.csv")]
    reason = f"it leads out of {root} ('source.follow-links'), it is a link to {os.readlink(link)}"
    assert arrivals.unreadable == {str(link): reason}
    assert (paths(arrivals), [*arrivals.unreadable]) == ([], [str(link)])
    link.unlink()
    assert (paths(arrivals), arrivals.unreadable) == ([], {})


def test_links_that_lead_out_and_in_again(root: Path) -> None:
    """Who makes the second one may change it at any time."""
    (root / "_hidden.csv").write_text("x\n")
    (root.parent / "middle").symlink_to(root / "_hidden.csv")
    (root / "leak.csv").symlink_to("../middle")
    assert found(root) == ["a.csv"]


def test_links_below_links(root: Path) -> None:
    (root / "_data").mkdir()
    (root / "_data" / "leak.csv").symlink_to(root.parent / "private" / "salaries.csv")
    (root / "_data" / "more").symlink_to(root.parent / "private")
    put(root / "_data" / "fine.csv")
    (root / "data").symlink_to("_data")
    assert found(root) == ["a.csv", "data/fine.csv"]
    assert found(root, "all") == ["a.csv", "data/fine.csv", "data/leak.csv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a link to somebody else")
def test_links_of_somebody_else(root: Path) -> None:
    (root / "_hidden.csv").write_text("x\n")
    (root / "b.csv").symlink_to("_hidden.csv")
    assert found(root) == ["a.csv", "b.csv"]
    os.lchown(root / "b.csv", SOMEBODY, -1)
    arrivals = Arrivals(str(root), None)
    assert paths(arrivals) == [str(root / "a.csv")]
    assert f"user {SOMEBODY} made the link" in arrivals.unreadable[str(root / "b.csv")]
    assert found(root, "all") == ["a.csv", "b.csv"]


def test_all_and_warn_follow_links_that_lead_out(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    (root / "out").symlink_to(root.parent / "private")
    assert found(root, "all") == ["a.csv", "out/salaries.csv"]
    assert not caplog.records
    arrivals = Arrivals(str(root), None, follow="warn")
    assert sorted(paths(arrivals)) == [str(root / "a.csv"), str(root / "out" / "salaries.csv")]
    arrivals.poll()
    (said,) = (one.getMessage() for one in caplog.records)
    assert said.startswith(f"{root / 'out'} is followed, though it leads out of {root}: ")


def test_a_root_that_is_a_link(root: Path) -> None:
    """It is the author's. What it leads to may be exchanged."""
    current, other = root.parent / "current", root.parent / "other"
    current.symlink_to(root)
    put(other / "_b" / "b.csv")
    (other / "b").symlink_to("_b")
    arrivals = Arrivals(str(current), None)
    assert paths(arrivals) == [str(current / "a.csv")]
    current.unlink()
    current.symlink_to(other)
    assert paths(arrivals) == [str(current / "b" / "b.csv")]
    single = root.parent / "single.csv"
    single.symlink_to(root / "a.csv")
    assert paths(Arrivals(str(single), None)) == [str(single)]


@EVERY_WAY
def test_what_has_a_name_of_its_own_is_read_by_it(root: Path, follow: str) -> None:
    put(root / "ds=1" / "b.csv")
    (root / "0.csv").symlink_to("a.csv")
    (root / "today").symlink_to("ds=1")
    arrivals = Arrivals(str(root), None, follow=follow)
    assert sorted(paths(arrivals)) == [str(root / "a.csv"), str(root / "ds=1" / "b.csv")]
    settle(root, root / "ds=1")
    (root / "z.csv").symlink_to("ds=1/c.csv")
    assert paths(arrivals) == []
    put(root / "ds=1" / "c.csv")
    assert paths(arrivals) == [str(root / "ds=1" / "c.csv")]


def test_a_pattern_that_only_the_path_by_a_link_matches(root: Path) -> None:
    put(root / "v2" / "b.csv")
    (root / "current").symlink_to("v2")
    (root / "b.txt").symlink_to("v2/b.csv")
    assert found(root, pattern=r".*/current/.*") == ["current/b.csv"]
    assert found(root, pattern=r".*\.csv") == ["a.csv", "v2/b.csv"]
    assert found(root, pattern=r".*\.txt") == ["b.txt"]


def test_a_file_behind_several_links_is_read_once(root: Path) -> None:
    """Also by the driver after this one."""
    for name in ("b.csv", "c.csv"):
        (root / name).symlink_to(root.parent / "private" / "salaries.csv")
    (root / "d").symlink_to(root.parent / "private")
    assert found(root, "all") == ["a.csv", "b.csv"]
    read = [str(root / "a.csv"), str(root / "c.csv")]
    successor = Arrivals(str(root), None, read, follow="all")
    assert paths(successor) == []
    put(root.parent / "private" / "more.csv")
    assert paths(successor) == [str(root / "d" / "more.csv")]


def test_a_number_that_is_given_to_another_file(root: Path) -> None:
    """File systems give the number of a file that is gone to the next one."""
    private = root.parent / "private"
    (root / "b.csv").symlink_to(private / "salaries.csv")
    arrivals = Arrivals(str(root), None, follow="all")
    assert len(paths(arrivals)) == 2
    (private / "salaries.csv").rename(private / "next.csv")
    (root / "c.csv").symlink_to(private / "next.csv")
    assert paths(arrivals) == [str(root / "c.csv")]


def test_several_names_of_a_file_are_several_files(root: Path) -> None:
    os.link(root / "a.csv", root / "b.csv")
    assert found(root) == ["a.csv", "b.csv"]


def test_directories_that_lie_too_deep(root: Path) -> None:
    deep = root.joinpath(*["d"] * MOST_DEPTH)
    put(deep / "b.csv")
    put(deep / "e" / "c.csv")
    arrivals = Arrivals(str(root), None)
    assert sorted(paths(arrivals)) == sorted([str(root / "a.csv"), str(deep / "b.csv")])
    assert [*arrivals.unreadable] == [str(deep / "e")]


def test_a_pipe_is_no_file(root: Path) -> None:
    """Whoever opened it would wait for its other end."""
    os.mkfifo(root / "pipe.csv")
    (root / "zero.csv").symlink_to("/dev/zero")
    arrivals = Arrivals(str(root), None, follow="all")
    assert paths(arrivals) == [str(root / "a.csv")]
    assert "it is no regular file" in arrivals.unreadable[str(root / "pipe.csv")]
    assert "it is no regular file" in arrivals.unreadable[str(root / "zero.csv")]


def test_a_file_that_waits_behind_a_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private, access = root.parent / "private", os.access
    (root / "out").symlink_to(private)
    monkeypatch.setattr(os, "access", lambda path, *rest, **more: "salaries" not in path and access(path, *rest))
    settle(root, private)
    arrivals = Arrivals(str(root), None, follow="all")
    assert (paths(arrivals), [*arrivals.unreadable]) == ([str(root / "a.csv")], [str(root / "out" / "salaries.csv")])
    monkeypatch.setattr(os, "access", access)
    assert paths(arrivals) == [str(root / "out" / "salaries.csv")]


def test_none_is_to_be_left_out(root: Path) -> None:
    (root / "leak.csv").symlink_to(root.parent / "private" / "salaries.csv")
    with pytest.raises(InputError, match=r"leak\.csv can't be opened: it leads out of .*'source.follow-links'"):
        Arrivals(str(root), None, tolerant=False).poll()


def table(root: Path, follow: str) -> Table:
    options = {"path": str(root), "format": "csv", "source.follow-links": follow}
    return Table("orders", (), "filesystem", options=options)


@pytest.mark.parametrize("exchanged", ["file", "directory"])
def test_a_file_that_becomes_a_link_after_it_was_found(root: Path, exchanged: str) -> None:
    """It is not read, neither by the stream nor again later, and the others are."""
    fine, bad = root / "a.csv", put(root / "ds=1" / "b.csv")
    splits: list[Split] = [SourceFile(str(path), 2, path.stat().st_mtime_ns) for path in (fine, bad)]
    bad.unlink()
    if exchanged == "file":
        bad.symlink_to(root.parent / "private" / "salaries.csv")
    else:
        bad.parent.rmdir()
        bad.parent.symlink_to(root.parent / "private")
        (root.parent / "private" / "salaries.csv").rename(root.parent / "private" / "b.csv")
    closed, open_ = table(root, "inside"), table(root, "all")
    readable = source_of(closed).readable
    usable, problems = readable(None, closed, splits)  # type: ignore[arg-type]
    assert usable == splits[:1]
    assert [f"the source file {bad} is not read again" in one for one in problems] == [True]
    assert len(readable(None, open_, splits)[0]) == 2  # type: ignore[arg-type]
