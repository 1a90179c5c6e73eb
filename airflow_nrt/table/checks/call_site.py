"""The call site in a Python program, to which errors point, as to places in a script."""

from __future__ import annotations

import linecache
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.sql.errors import Place


@dataclass(frozen=True)
class CodePlace(Place):
    """A line of a Python file."""

    file: str = ""

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}"

    def excerpt(self, script: str | None) -> str:
        """The line of the file, if it can be read."""
        text = linecache.getline(self.file, self.line).strip()
        return f"    {text}" if text else ""


def here() -> CodePlace:
    """The line that calls into this product."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PRODUCT):
        frame = frame.f_back
    return CodePlace(frame.f_lineno, 1, frame.f_lineno, frame.f_code.co_filename)


# By a path of code, as those of frames are: in a driver's zip, modules have others (launch/bytecode.py).
_PRODUCT = str(Path(here.__code__.co_filename).parents[2]) + os.sep
