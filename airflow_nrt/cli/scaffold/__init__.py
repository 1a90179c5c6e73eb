"""The files of `airflow-nrt new`: each of `files/` under its name here, with the report's name for @NAME@."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.basics.errors import InputError

_FILES = Path(__file__).with_name("files")
_MARK = "@NAME@"
WRITTEN = {
    "report.sql": ("@NAME@.sql", "the report"),
    "orders-1.csv": ("orders/1.csv", "what its source has: twelve orders of two shops"),
    "orders-2.csv": ("later/2.csv", "three more, one of them late: to be copied into orders/ when the others are read"),
    "dag.py": ("@NAME@_dag.py", "two DAGs: its stream, and each night a verification"),
    "test.py": ("test_@NAME@.py", "its test: `pytest` runs it without Airflow"),
    "airflow_nrt.toml": ("airflow_nrt.toml", "its home and master, for commands that are given none"),
    "airflowignore": (".airflowignore", "what Airflow finds no DAGs in"),
}
"""By template: the path of a file, and what it is."""


def write(directory: Path, name: str) -> dict[str, str]:
    """Writes all files into a new directory; returns what each file is, by its path.

    Raises InputError if something is there already.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError(f"{directory} is there already and not empty: choose another name")
    made = {}
    for template, (place, what) in WRITTEN.items():
        file = directory / place.replace(_MARK, name)
        text = (_FILES / f"{template}.template").read_text(encoding="utf-8").replace(_MARK, name)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as wrong:
            raise InputError(f"can't write {file}: {wrong}") from None
        made[str(file.relative_to(directory))] = what
    return made
