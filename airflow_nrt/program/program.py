"""A report that is a Python program: the function that builds it, and the modules that are shipped with it."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.files.durable import put_same
from airflow_nrt.files.private_files import make_private
from airflow_nrt.program.modules import file_of, files_with, is_installed

BUILD = "build"
"""The name of the function in a `.py` file."""


@dataclass(frozen=True)
class Program:
    """`root` is the directory in which its modules are looked up.

    Raises InputError if the module is not there.
    """

    root: Path
    module: str
    function: str

    def __post_init__(self) -> None:
        if file_of(self.module, self.root) is None:
            raise InputError(f"there is no Python module {self.module!r} in {self.root}")

    def __str__(self) -> str:
        return f"{self.root}/{self.module}:{self.function}"

    @property
    def name(self) -> str:
        """The report's name, where no other is given."""
        last = self.module.rpartition(".")[2]
        return last if self.function == BUILD else self.function

    @property
    def target(self) -> str:
        return f"{self.module}.{self.function}"

    @property
    def files(self) -> tuple[Path, ...]:
        """Its module and all modules that this one imports from `root`, with the packages that contain them."""
        file = file_of(self.module, self.root)
        assert file is not None
        return tuple(files_with(file, self.root))

    def copied_to(self, directory: Path) -> Program:
        """A copy with its modules, in a directory named by their content: a driver's host may not have the original.

        An installed program is not copied, because it is imported where it is installed. Raises HomeError where the
        directory has other content.
        """
        if is_installed(self.root):
            return self
        contents = {file.relative_to(self.root): file.read_bytes() for file in self.files}
        digest = hashlib.sha256(repr(sorted(contents.items())).encode()).hexdigest()[:16]
        root = directory / f"report-{digest}"
        for path, content in contents.items():
            make_private((root / path).parent)
            put_same(root / path, content)
        return replace(self, root=root)


@dataclass(frozen=True)
class Built:
    """How a plan was built: the program, and the directory `base` at which relative paths start."""

    program: Program
    base: Path


def program_of(report: str | Path, near: Path) -> Program | None:
    """The program that `DIR/report.py`, `DIR/report.py:function` or `[DIR/]package.module:function` means.

    None for anything else, which is a script. A relative DIR starts at `near`; without one a module is looked up there,
    then where Python looks. Raises InputError if there is no such module.
    """
    path, _, function = str(report).rpartition(":") if ":" in str(report) else (str(report), "", BUILD)
    directory, _, name = path.rpartition("/")
    root = near / directory if directory or not path.startswith("/") else Path("/")
    if name.endswith(".py"):
        return Program(root.absolute(), name.removesuffix(".py"), function)
    if ":" not in str(report) or not all(part.isidentifier() for part in (function, *name.split("."))):
        return None
    if not directory:
        root = next((one for one in (near, *map(Path, sys.path)) if file_of(name, one) is not None), near)
    return Program(root.absolute(), name, function)
