"""A copy of the tree in which faults are planted, and a Python that imports the copy, whatever starts it.

The packages of this environment are shared, its editable install is not: that points to the developer's tree. So the
copy has an environment of its own, which is a name for the same packages and for the copy in place of the tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.fault import ROOT, Fault


@dataclass(frozen=True)
class Scratch:
    """The copy, at `root`."""

    root: Path

    @property
    def python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    @property
    def environment(self) -> dict[str, str]:
        """That of processes that work in the copy."""
        here = {
            "VIRTUAL_ENV": str(self.root / ".venv"),
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
        }
        return {name: text for name, text in os.environ.items() if name != "PYTHONPATH"} | here

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """The copy has the fault inside. Python compiles the file anew before and after, as its time is another one."""
        path = self.root / fault.file
        text, times = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(fault.in_text(text), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def scratch() -> Iterator[Scratch]:
    """A copy of all files that git does not ignore, committed or not. Raises RuntimeError if Python would not import
    it."""
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-mutants-") as place:
        made = Scratch(Path(place).resolve() / "tree")
        _copy(made.root)
        _make_environment(made)
        _check(made)
        yield made


def _copy(to: Path) -> None:
    asked = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    # Some tests ask git which files there are.
    for command in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(("git", *command), cwd=to, check=True, capture_output=True)


def _make_environment(made: Scratch) -> None:
    known, place = Path(sys.prefix), made.root / ".venv"
    packages = Path(sysconfig.get_path("purelib"))
    here = place / packages.relative_to(known)
    here.mkdir(parents=True)
    # Paths in a file of paths are no places of such files: that of the editable install is not read.
    (here / "tree.pth").write_text(f"{made.root}\n{packages}\n", encoding="utf-8")
    (place / "bin").mkdir()
    for file in (known / "bin").iterdir():
        _copy_command(file, place / "bin" / file.name, known, place)
    shutil.copy2(known / "pyvenv.cfg", place)
    for other in known.iterdir():
        if not (place / other.name).exists():
            (place / other.name).symlink_to(other)


def _copy_command(file: Path, to: Path, known: Path, place: Path) -> None:
    """Scripts of Python begin with the path of their Python."""
    begin = f"#!{known}/bin/python".encode()
    if file.is_file() and file.read_bytes().startswith(begin):
        to.write_bytes(file.read_bytes().replace(begin, f"#!{place}/bin/python".encode(), 1))
        shutil.copymode(file, to)
    else:
        to.symlink_to(file.readlink() if file.is_symlink() else file)


def _check(made: Scratch) -> None:
    """Also a process that gets no variable, and begins elsewhere, must import the copy."""
    printed = "import airflow_nrt, pyspark; print(airflow_nrt.__file__)"
    for command in ((made.python, "-c", printed), (made.python, "-I", "-c", printed)):
        done = subprocess.run(command, cwd=made.root.parent, env={}, capture_output=True, text=True)
        if done.stdout.strip() != str(made.root / "airflow_nrt" / "__init__.py"):
            raise RuntimeError(f"Python would not import the copy {made.root}: {done.stdout}{done.stderr}")
