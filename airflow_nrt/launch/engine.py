"""The files of a driver: the engine as one zip of the installed package's parts, the application file, and the report.

All are in the home, which Airflow and Spark both reach, under names made from their content. An existing file of such a
name is read, and used only if it has that content.
"""

from __future__ import annotations

import functools
import hashlib
import io
import zipfile
from pathlib import Path

import airflow_nrt
from airflow_nrt.files.durable import put_same
from airflow_nrt.home.home import Home
from airflow_nrt.launch.bytecode import bytecode

PARTS = ("basics", "files", "program", "model", "describe", "home", "functions", "sql", "table", "engine")
SOURCES = (".py", ".java")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def place_engine(home: Home) -> tuple[Path, Path]:
    """The application and the zip for `--py-files`, written to the home if they are not there yet."""
    package = _package()
    application = (Path(airflow_nrt.__file__).parent / "engine" / "main.py").read_bytes()
    return _place(home, "driver", ".py", application), _place(home, "engine", ".zip", package)


def place_report(home: Home, file: Path) -> Path:
    """A copy of a report file, written to the home if it is not there yet: a driver's host may not have the DAGs."""
    return _place(home, "report", file.suffix, file.read_bytes())


@functools.cache
def _package() -> bytes:
    """Equal sources give equal bytes, of one version of Python: no times, no order of a directory."""
    root = Path(airflow_nrt.__file__).parent
    inside = (file for part in PARTS for file in (root / part).rglob("*"))
    files = [root / "__init__.py", *(file for file in inside if file.suffix in SOURCES)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files):
            name = Path(root.name, file.relative_to(root)).as_posix()
            _put(archive, name, file.read_bytes())
            if file.suffix == ".py":
                _put(archive, f"{name}c", bytecode(file, f"engine.zip/{name}"))
    return packed.getvalue()


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), content, zipfile.ZIP_DEFLATED)


def _place(home: Home, name: str, suffix: str, content: bytes) -> Path:
    home.launches.make()
    path = home.launches.local / f"{name}-{hashlib.sha256(content).hexdigest()[:16]}{suffix}"
    put_same(path, content)
    return path
