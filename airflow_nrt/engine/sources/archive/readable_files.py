"""Files of archives, checked before they are read: an archive lies where others can remove and change files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.spark.footers import read_footer


def readable_files(files: Iterable[tuple[Path, int]]) -> tuple[list[Path], list[str]]:
    """Those of these files that have as many rows as were written, and messages about the others."""
    usable, problems = [], []
    for path, written in files:
        try:
            rows = read_footer([path]).rows
        except FileNotFoundError:
            problems.append(f"the file {path} of the archive is gone: put it back")
            continue
        except (OSError, ValueError) as wrong:
            problems.append(f"the file {path} of the archive can't be read: {wrong}")
            continue
        if rows == written:
            usable.append(path)
        else:
            problems.append(
                f"the file {path} of the archive has {counted(rows, 'row')} of {written:,} that were written"
            )
    return usable, problems
