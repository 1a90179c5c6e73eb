"""Which tests a change can reach. Each reason gives tests, and which tiers of them run:

- the room of a changed file, `tests/x/y/` of `airflow_nrt/x/y/z.py`, what `edges.toml` adds, and each `test_z.py`: all
  tiers;
- test files that import the changed module themselves, as long as these are few: unit and spark;
- test files that reach it through other imports: unit;
- what goes through everything (`edges.toml`), if a report's way has changed: all tiers;
- a changed test file runs whole; a helper of tests counts as a module, and those that use it run whole.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tests.changed.graph import ROOT, Graph
from tests.tiers import TIERS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ALL = frozenset(TIERS)
UNIT = frozenset({"unit"})
WITH_SPARK = frozenset({"unit", "spark"})
FEW = 12
"""A module that more test files import is vocabulary of tests: that they import it says nothing."""
EDGES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("edges.toml").read_text(encoding="utf-8"))


@dataclass
class Selection:
    """`tiers` of tests by the begin of their names; `reasons` in words, by the same."""

    tiers: dict[str, frozenset[str]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, tests: Iterable[str], tiers: frozenset[str], reason: str) -> None:
        for test in tests:
            before = self.tiers.get(test, frozenset())
            if not tiers <= before:
                self.tiers[test], self.reasons[test] = before | tiers, reason

    def of(self, test: str) -> frozenset[str]:
        """The tiers that run of a test, or of all tests of a file, by its node id."""
        return frozenset().union(*(tiers for begin, tiers in self.tiers.items() if test.startswith(begin)))

    def concerns(self, file: str) -> bool:
        """Whether some test of a file runs."""
        return bool(self.of(file)) or any(begin.startswith(f"{file}::") for begin in self.tiers)

    def write(self, file: Path) -> None:
        file.write_text(json.dumps({begin: sorted(tiers) for begin, tiers in self.tiers.items()}), encoding="utf-8")

    @classmethod
    def read(cls, file: str) -> Selection:
        tiers = json.loads(Path(file).read_text(encoding="utf-8"))
        return cls({begin: frozenset(some) for begin, some in tiers.items()})


def select(changed: Sequence[str], graph: Graph) -> Selection:
    """The tests for files that changed, named by their paths from the root of the clone."""
    selection = Selection()
    for path in changed:
        if path.startswith("tests/"):
            _of_tests(path, graph, selection)
        elif path.startswith("airflow_nrt/"):
            _of_product(path, graph, selection)
        elif beside := _declared("beside", path):
            selection.add(beside, ALL, f"edges.toml has it for {path}")
            selection.add(_naming(path, graph), ALL, f"names {PurePosixPath(path).name}")
        else:
            selection.add(["tests/"], ALL, f"nobody knows who uses {path}")
    return selection


def _of_product(path: str, graph: Graph, selection: Selection) -> None:
    selection.add(_room(path, graph), ALL, f"the room of {path}")
    selection.add(_named_after(path, graph), ALL, f"is named after {path}")
    selection.add(_declared("also", path), ALL, f"edges.toml has it for {path}")
    if path.startswith(tuple(EDGES["through"]["files"])):
        selection.add(EDGES["through"]["tests"], ALL, "goes through everything")
    if path in graph.imports:
        near = _tests(graph.importers(path))
        selection.add(near if len(near) <= FEW else (), WITH_SPARK, f"imports {path}")
        selection.add(_tests(graph.reaching(path)), UNIT, f"reaches {path}")
    elif path.endswith(".py"):
        selection.add(["tests/"], UNIT, f"{path} is no more")
    else:
        selection.add(_naming(path, graph), ALL, f"names {PurePosixPath(path).name}")


def _of_tests(path: str, graph: Graph, selection: Selection) -> None:
    if is_test(path):
        selection.add([path] if path in graph.imports else (), ALL, "has changed")
    elif path in graph.imports and (users := _tests(graph.reaching(path))):
        selection.add(users, ALL, f"uses {path}")
    else:
        selection.add(_room(path, graph), ALL, f"lies above or beside {path}")


def is_test(path: str) -> bool:
    return path.startswith("tests/") and PurePosixPath(path).name.startswith("test_") and path.endswith(".py")


def _tests(paths: Iterable[str]) -> list[str]:
    return sorted(filter(is_test, paths))


def _room(path: str, graph: Graph) -> list[str]:
    """The test files of the folder that mirrors the file's, or of the nearest one above it that has some."""
    below = PurePosixPath(path).parts[1:-1]
    for length in range(len(below), -1, -1):
        folder = PurePosixPath("tests", *below[:length])
        if found := [test for test in _tests(graph.imports) if PurePosixPath(test).parent == folder]:
            return found
    return []


def _named_after(path: str, graph: Graph) -> list[str]:
    """`test_hop.py` of `hop.py`, in any folder."""
    return [test for test in _tests(graph.imports) if PurePosixPath(test).stem == f"test_{PurePosixPath(path).stem}"]


def _declared(table: str, path: str) -> list[str]:
    return [test for begin, tests in EDGES[table].items() if path.startswith(begin) for test in tests]


def _naming(path: str, graph: Graph) -> list[str]:
    """The test files that have the name of this file in their text, or its path where the name is but a word."""
    name = PurePosixPath(path).name if PurePosixPath(path).suffix else path
    return [test for test in _tests(graph.imports) if name in (ROOT / test).read_text(encoding="utf-8")]
