"""Command lines, by which a driver of a home and its launcher are recognised."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from airflow_nrt.home.home import Home

LAUNCHER = "airflow_nrt.launch.launcher"


@dataclass(frozen=True)
class CommandLine:
    """The arguments of a process, and its working directory."""

    arguments: tuple[str, ...]
    directory: str

    @classmethod
    def of(cls, pid: int) -> CommandLine:
        """Raises OSError."""
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            arguments = file.read().removesuffix(b"\0").split(b"\0")
        return cls(tuple(os.fsdecode(one) for one in arguments), os.readlink(f"/proc/{pid}/cwd"))

    def option(self, name: str) -> str | None:
        """The value of an option, None if it is not given."""
        found = None
        for at, argument in enumerate(self.arguments):
            if argument == name and at + 1 < len(self.arguments):
                found = self.arguments[at + 1]
            elif argument.startswith(f"{name}="):
                found = argument.removeprefix(f"{name}=")
        return found

    def after(self, words: tuple[str, str]) -> tuple[str, ...]:
        """The arguments after these two, empty if they are not there."""
        for at in range(len(self.arguments) - 1):
            if self.arguments[at : at + 2] == words:
                return self.arguments[at + 2 :]
        return ()

    def names(self, location: str | None, home: Home) -> bool:
        """Whether this is the location of the home, relative to the process's directory."""
        if location is None:
            return False
        path = os.path.join(self.directory, location.removeprefix("file://"))
        return os.path.realpath(path) == os.path.realpath(home.path)


Known = Callable[[CommandLine], bool]
"""Whether a command line is the expected one."""


def driver_of(home: Home, launch: str) -> Known:
    """Recognises a driver that was launched under this id; an empty id means `airflow-nrt run`."""

    def is_it(line: CommandLine) -> bool:
        is_meant = line.option("--launch") == launch if launch else _runs(line)
        return is_meant and line.names(line.option("--home"), home)

    return is_it


def launcher_of(home: Home, number: int) -> Known:
    """Recognises the launcher of this launch."""

    def is_it(line: CommandLine) -> bool:
        *_, location, launch = ("", "", *line.after(("-m", LAUNCHER))[:2])
        return launch == str(number) and line.names(location, home)

    return is_it


def _runs(line: CommandLine) -> bool:
    return "run" in line.arguments and line.option("--launch") is None
