"""By which command line a driver of a home, or the launcher of one, is known."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from airflow_nrt.home.home import Home

LAUNCHER = "airflow_nrt.launch.launcher"


@dataclass(frozen=True)
class CommandLine:
    """What a process was started with, and the directory in which it is."""

    arguments: tuple[str, ...]
    directory: str

    @classmethod
    def of(cls, pid: int) -> CommandLine:
        """Raises OSError."""
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            arguments = file.read().removesuffix(b"\0").split(b"\0")
        return cls(tuple(os.fsdecode(one) for one in arguments), os.readlink(f"/proc/{pid}/cwd"))

    def option(self, name: str) -> str | None:
        """The value of an option, None if it is not there."""
        found = None
        for at, argument in enumerate(self.arguments):
            if argument == name and at + 1 < len(self.arguments):
                found = self.arguments[at + 1]
            elif argument.startswith(f"{name}="):
                found = argument.removeprefix(f"{name}=")
        return found

    def after(self, words: tuple[str, str]) -> tuple[str, ...]:
        """The arguments after these two, none if they are not there."""
        for at in range(len(self.arguments) - 1):
            if self.arguments[at : at + 2] == words:
                return self.arguments[at + 2 :]
        return ()

    def names(self, location: str | None, home: Home) -> bool:
        """Whether this is the place of the home, as seen from the process's directory."""
        if location is None:
            return False
        place = os.path.join(self.directory, location.removeprefix("file://"))
        return os.path.realpath(place) == os.path.realpath(home.path)


Known = Callable[[CommandLine], bool]
"""Whether a command line is the one that is meant."""


def driver_of(home: Home, launch: str) -> Known:
    """That of a driver which was launched under this id, or where it is empty, by `airflow-nrt run`."""

    def is_it(line: CommandLine) -> bool:
        is_meant = line.option("--launch") == launch if launch else _runs(line)
        return is_meant and line.names(line.option("--home"), home)

    return is_it


def launcher_of(home: Home, number: int) -> Known:
    """That of the launcher which runs this launch."""

    def is_it(line: CommandLine) -> bool:
        *_, location, launch = ("", "", *line.after(("-m", LAUNCHER))[:2])
        return launch == str(number) and line.names(location, home)

    return is_it


def _runs(line: CommandLine) -> bool:
    return "run" in line.arguments and line.option("--launch") is None
