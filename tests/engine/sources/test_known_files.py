"""What is known of files that were read is exact, small, and loaded where somebody asks."""

from __future__ import annotations

import random
import sys

from airflow_nrt.engine.sources.known_files import KEPT_NS, KnownFiles
from airflow_nrt.engine.sources.names import Names
from airflow_nrt.home.log.fold.read_files import FilesInMemory, ReadFiles
from airflow_nrt.home.log.splits import SourceFile


def test_names_are_those_that_were_added() -> None:
    chance = random.Random(1)
    wanted = {"".join(chance.choices("ab.ß", k=chance.randint(1, 6))) for _ in range(3000)}
    names = Names(wanted)
    others = {"".join(chance.choices("ab.ß", k=chance.randint(1, 6))) for _ in range(3000)} - wanted
    assert all(name in names for name in wanted) and not any(name in names for name in others)
    assert set(names) == wanted and len(names) == len(wanted)
    names.add(next(iter(wanted)))
    assert len(names) == len(wanted)


def test_many_names_take_little_memory() -> None:
    names = Names(f"part-{n:06}.csv" for n in range(20_000))
    assert sum(map(sys.getsizeof, names._texts)) < 20_000 * 20


def test_names_are_loaded_where_somebody_asks() -> None:
    files = tuple((0, SourceFile(f"/d/{n % 3}/{n}.csv", 1, 1)) for n in range(9))
    part = FilesInMemory(files)
    asked: list[str] = []
    real = part.names_in
    object.__setattr__(part, "names_in", lambda directory: asked.append(directory) or real(directory))
    known = KnownFiles(ReadFiles((part,)))
    assert "/d/1/4.csv" in known and "/d/1/5.csv" not in known and "/e/1.csv" not in known
    assert asked == ["/d/1/"]
    known.update(["/d/1/5.csv"])
    known.rest(0)
    known.rest(KEPT_NS + 1)
    assert "/d/1/5.csv" in known and asked == ["/d/1/"], "what was found stays"
    assert "/d/1/4.csv" in known and asked == ["/d/1/"] * 2
