"""Which files of a directory are scripts of SQL or programs of the Table API. Nothing is imported to find out."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.private_files import read_regular

SCRIPTS, PROGRAMS = ".sql", ".py"
_TABLE_API = ("pyflink", "airflow_nrt.table")
_MOST_BYTES = 4 * 1024 * 1024
"""The size limit of a program."""
_ENVIRONMENTS = ("pyvenv.cfg", "site-packages")
"""Names that mark a directory of installed modules."""


def files_below(directory: Path) -> Iterator[Path]:
    """Scripts, and the Python files that import the Table API, in the order of their paths.

    Files below a hidden directory or a virtual environment are left out. No link is followed.
    """
    for place, directories, names in os.walk(directory):
        if any(one in (*directories, *names) for one in _ENVIRONMENTS):
            directories.clear()
            continue
        directories[:] = sorted(one for one in directories if not one.startswith((".", "__")))
        for name in sorted(names):
            file = Path(place, name)
            if file.suffix == SCRIPTS or (file.suffix == PROGRAMS and imports_table_api(file)):
                yield file


def imports_table_api(file: Path) -> bool:
    """Whether a module imports the Table API, PyFlink's or this product's, when it is loaded."""
    try:
        tree = ast.parse(read_regular(file, _MOST_BYTES))
    except (OSError, HomeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(_is_table_api(name) for statement in _statements(tree.body) for name in _imported(statement))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is loaded, or when it is run as a program."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            handlers = [one for handler in getattr(statement, "handlers", ()) for one in handler.body]
            yield from _statements([*statement.body, *handlers, *statement.orelse])


def _imported(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Import):
        yield from (one.name for one in statement.names)
    elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
        yield statement.module
        yield from (f"{statement.module}.{one.name}" for one in statement.names)


def _is_table_api(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in _TABLE_API)
