"""Which module imports which, read from the files of the product and of the tests.

A string that is the name of a module counts as an import: modules are started by their names (`python -m`), loaded by
them, and patched. A test module depends on the `conftest.py` of its folders. What the fixtures of all tests import in
their bodies does not count: a Spark session concerns those who ask for it.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("airflow_nrt", "tests")
SHARED = Path("tests/conftest.py")


class Graph:
    """Python files by their paths from the root of the clone; `imports[path]` are the files that it needs itself."""

    def __init__(self, root: Path = ROOT) -> None:
        files = [file.relative_to(root) for room in ROOMS for file in sorted((root / room).rglob("*.py"))]
        self._paths = {_module(file): file.as_posix() for file in files if "cases" not in file.parts}
        self.imports = {path: self._needed(root, path) for path in self._paths.values()}
        self._importers: dict[str, set[str]] = {path: set() for path in self.imports}
        for path, needed in self.imports.items():
            for one in needed:
                self._importers[one].add(path)

    def importers(self, path: str) -> set[str]:
        """The files that import this one themselves."""
        return self._importers[path]

    def reaching(self, path: str) -> set[str]:
        """The files that import this one, through any number of others, and itself."""
        found, waiting = {path}, deque([path])
        while waiting:
            new = self._importers[waiting.popleft()] - found
            found |= new
            waiting.extend(new)
        return found

    def _needed(self, root: Path, path: str) -> set[str]:
        tree = ast.parse((root / path).read_text(encoding="utf-8"))
        named = set(_names(tree, Path(path)))
        if path.startswith("tests/"):
            named |= {_module(folder / "conftest.py") for folder in Path(path).parents if folder.name}
        return {found for name in named for found in self._found(name)} - {path}

    def _found(self, name: str) -> Iterator[str]:
        """The file of a dotted name, whose last part may be what the module has, and those of its packages."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            if path := self._paths.get(".".join(parts[:length])):
                yield path


@cache
def of_clone() -> Graph:
    return Graph()


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _names(tree: ast.Module, path: Path) -> Iterator[str]:
    for node in ast.walk(tree) if path != SHARED else _outside_of_functions(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(path.parts[: -node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(ROOMS):
            yield node.value


def _outside_of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef):
            yield from _outside_of_functions(node)
