"""Running a command of `airflow-nrt` as a child of the task: progress to the task's log, JSON as the result."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from airflow_nrt.basics.errors import DataError, InputError, NrtError
from airflow_nrt.home.driver_log import MARK
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings
from airflow_nrt.usecases.requests.processes import PROGRAM, WRONG_DATA, WRONG_INPUT

_KINDS = {WRONG_INPUT: InputError, WRONG_DATA: DataError}
_TAIL_LINES = 40
_GRACE_SECONDS = 3.0


@dataclass(frozen=True)
class Outcome:
    """The exit status (0 done, 1 not proven) and the JSON that the command printed."""

    status: int
    result: Mapping[str, Any]


class Command:
    """One run of a command, in a process group of its own, which ends when this process ends for any reason."""

    def __init__(
        self,
        arguments: Sequence[str],
        say: Callable[[str], None],
        settings: Settings = NO_SETTINGS,
        environment: Sequence[str] = (),
    ) -> None:
        """`environment` names variables that this command needs besides those that all commands need."""
        self._settings = settings
        self._environment = needed_environment(environment)
        self._arguments = [sys.executable, "-m", PROGRAM, *arguments]
        self._say: Callable[[str], None] = lambda line: say(settings.shown(line))
        self._process: subprocess.Popen[str] | None = None

    def run(self) -> Outcome:
        """Raises InputError and DataError if a retry would fail again, NrtError if the command failed."""
        self._say(f"running airflow-nrt {shlex.join(self._arguments[3:])}")
        self._process = subprocess.Popen(
            self._arguments, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin and self._process.stdout and self._process.stderr
        # A command that ended at once has printed why.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{self._settings.to_json()}\n")
            self._process.stdin.flush()
        tail: deque[str] = deque(maxlen=_TAIL_LINES)
        reading = threading.Thread(target=self._follow, args=(self._process.stderr, tail), daemon=True)
        reading.start()
        printed = self._process.stdout.read()
        status = self._process.wait()
        reading.join(_GRACE_SECONDS)
        with contextlib.suppress(ValueError):
            return Outcome(status, json.loads(printed))
        complaint = _complaint(tail) or f"it ended with {status} and printed no result"
        raise _KINDS.get(status, NrtError)(self._settings.shown(complaint))

    def kill(self) -> None:
        """Ends the command and all that it started."""
        if self._process is None or self._process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _follow(self, lines: IO[str], tail: deque[str]) -> None:
        for line in lines:
            tail.append(line.rstrip())
            self._say(line.rstrip())


def _complaint(tail: Sequence[str]) -> str:
    """The last paragraph of the command; without one, its last line."""
    lines = list(tail)
    starts = [number for number, line in enumerate(lines) if line.startswith(MARK)]
    return "\n".join(lines[starts[-1] :]).removeprefix(MARK).strip() if starts else "\n".join(lines[-10:]).strip()
