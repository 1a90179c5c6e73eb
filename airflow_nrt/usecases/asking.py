"""A question to a process of its own: nothing that it imports, prints or breaks reaches the process that asks.

The answer comes through a descriptor that has no other use, as one line of JSON. The imported code could write such a
line itself. It is the code of the report in question, and so can only misreport itself: the asking process checks the
types, and makes neither objects nor code from an answer.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.decoding import decoded
from airflow_nrt.usecases.requests.processes import KINDS, Question

Result = TypeVar("Result")

# The working directory, which `-c` puts first on the path, is left out.
_CHILD = "import sys; sys.path[:] = filter(None, sys.path); from airflow_nrt.usecases.answering import main; main()"
_MOST_BYTES = 16 << 20
_MOST_PRINTED = 64 << 10
_LONGEST_LINE = 1000
_GRACE_SECONDS = 10


@dataclass(frozen=True)
class Inquiry:
    """The subject of the question (`about`), for errors; the limit in `seconds`, and the `way_out` if they are too few.

    Output of the process goes to `say` line by line, up to 64 KiB.
    """

    about: str
    seconds: float
    way_out: str
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        """Raises InputError for an invalid time."""
        if not 0 < self.seconds < 1e9:
            raise InputError(f"{self.seconds:g} seconds are no time to plan {self.about} in: {self.way_out}")


def ask(request: Question, inquiry: Inquiry, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The answer to a request, as JSON, from a process of its own. What that has started in its session ends with it.

    Raises the NrtError that it raised; InputError if it ended without an answer; NrtError if it took too long.
    """
    receiving, sending = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(sending), str(math.ceil(inquiry.seconds) + _GRACE_SECONDS),
             request.question],
            pass_fds=(sending,), env=environment, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except BaseException:
        os.close(receiving)
        raise
    finally:
        os.close(sending)
    assert process.stdin is not None and process.stdout is not None
    answer, printed = _Stream(receiving, _MOST_BYTES), _Stream(process.stdout.fileno(), _MOST_PRINTED)
    try:
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(json.dumps(request.to_json()).encode())
        in_time = _listen(answer, printed, inquiry.seconds)
    finally:
        # Before the process is waited for: until then no other process group has its number.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        printed.take()
        os.close(receiving)
        process.stdout.close()
    for line in printed.lines():
        inquiry.say(line)
    if not in_time:
        raise NrtError(
            f"{inquiry.about} was not planned within {format_duration(int(inquiry.seconds * 1000))}: what it "
            f"imports or builds has not finished; {inquiry.way_out}"
        )
    return _read(answer, inquiry, status, printed)


def answered(
    request: Question, kind: type[Result], inquiry: Inquiry, environment: Mapping[str, str] | None = None
) -> Result:
    """The answer as its dataclass. Raises InputError if a field is missing, or of another type, and as `ask`."""
    answer = ask(request, inquiry, environment)
    try:
        return decoded(answer, kind)
    except TypeError as wrong:
        raise InputError(f"the process that plans the report gave a wrong answer: {wrong}") from None


@dataclass
class _Stream:
    """The content read from a descriptor; what exceeds `most` bytes is dropped."""

    descriptor: int
    most: int
    content: bytearray = field(default_factory=bytearray)
    is_open: bool = True
    is_cut: bool = False

    def __post_init__(self) -> None:
        os.set_blocking(self.descriptor, False)

    def take(self) -> None:
        """Reads what is available."""
        try:
            some = os.read(self.descriptor, 1 << 20)
        except BlockingIOError:
            return
        self.is_open = bool(some)
        room = self.most - len(self.content)
        self.is_cut = self.is_cut or len(some) > room
        self.content += some[:room]

    @property
    def has_line(self) -> bool:
        return self.content.endswith(b"\n")

    def lines(self) -> list[str]:
        lines = [shortened(line, _LONGEST_LINE) for line in self.content.decode(errors="replace").splitlines()]
        return [*lines, f"… (it printed more than {self.most >> 10} KiB)"] if self.is_cut else lines


def _listen(answer: _Stream, printed: _Stream, seconds: float) -> bool:
    """Reads until there is an answer, or none can come any more; False if the time was over before."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for stream in (answer, printed):
            selector.register(stream.descriptor, selectors.EVENT_READ, stream)
        while answer.is_open and not answer.has_line and not answer.is_cut:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(left):
                key.data.take()
                if not key.data.is_open:
                    selector.unregister(key.fd)
    return True


def _read(answer: _Stream, inquiry: Inquiry, status: int, printed: _Stream) -> dict[str, Any]:
    if answer.is_cut:
        raise InputError(f"{inquiry.about} can't be planned: the answer has more than {_MOST_BYTES >> 20} MiB")
    if not answer.content:
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        last = next((f": {line}" for line in reversed(printed.lines()) if line.strip()), "")
        raise InputError(f"{inquiry.about} can't be planned: its process {how} and gave no answer{last}")
    try:
        reply = json.loads(answer.content)
        if "error" in reply:
            wrong = KINDS[reply["error"]](shortened(str(reply["text"])))
        elif isinstance(reply["answer"], dict):
            return dict(reply["answer"])
        else:
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(f"{inquiry.about} can't be planned: what its process answered is no answer") from None
    raise wrong
