"""The Python modules of a report: those beside it, in `base`, and which modules each one imports."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_INSTALLED = {"site-packages", "dist-packages"}
OURS = "airflow_nrt"


def file_of(module: str, base: Path) -> Path | None:
    """The file of a module in `base`, None if it is not there."""
    path = base.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def name_of(file: Path, base: Path) -> str | None:
    """The name by which a file in `base` is imported, None for any other."""
    if file.suffix != ".py" or not file.is_relative_to(base):
        return None
    parts = file.relative_to(base).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or None


def is_installed(path: Path) -> bool:
    """Whether it belongs to Python or to an installed package, and so not to a report."""
    return not _INSTALLED.isdisjoint(path.parts) or path.is_relative_to(sysconfig.get_path("stdlib"))


def belongs(file: Path, base: Path) -> bool:
    """Whether a file belongs to the report in `base`: it is not installed there, and not part of this product."""
    return file.is_relative_to(base) and not is_installed(file) and file.relative_to(base).parts[0] != OURS


def files_with(file: Path, base: Path) -> list[Path]:
    """The file of a module, those of the modules in `base` that it imports, that these import, and of their packages.

    For an installed module they are those of its own package: other installed modules are libraries.
    """
    installed = is_installed(base) and file.is_relative_to(base)
    scope = base / file.relative_to(base).parts[0] if installed else base
    found = [file]
    for one in found:
        for name in _imported(one, base):
            beside = file_of(name, base)
            if beside is None or beside in found:
                continue
            if beside.is_relative_to(scope) if installed else belongs(beside, base):
                found.append(beside)
    return found


def _imported(file: Path, base: Path) -> Iterator[str]:
    """The names that may be modules, with the packages that contain them."""
    package = file.parent.relative_to(base).parts if file.is_relative_to(base) else None
    yield from _ancestors(".".join(package or ()))
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [".".join((*start, each.name)) for start in _starts(node, package) for each in node.names]
        else:
            continue
        for name in names:
            yield from _ancestors(name)


def _starts(node: ast.ImportFrom, package: tuple[str, ...] | None) -> list[tuple[str, ...]]:
    """The path that `from … import` starts at; none if it leads above the known packages."""
    named = tuple(node.module.split(".")) if node.module else ()
    if not node.level:
        return [named]
    if package is None or node.level > len(package):
        return []
    return [package[: len(package) - node.level + 1] + named]


def _ancestors(name: str) -> Iterator[str]:
    """`a.b.c` as a, a.b, a.b.c."""
    parts = name.split(".") if name else []
    yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))
