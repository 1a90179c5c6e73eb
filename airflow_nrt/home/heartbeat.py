"""The driver's sign of life: what it is doing, and when it last made progress.

Each epoch has a file of its own, and the newest counts: a driver that was frozen while it wrote can't overwrite the
heartbeat of its successor.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Content, Format
from airflow_nrt.files.process_start import HIGHEST_PID, ProcessStart
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

STARTING, RUNNING, FINISHED, STOPPED, FAILED, FENCED = (
    "starting", "running", "finished", "stopped", "failed", "fenced",
)  # fmt: skip
ENDED = (FINISHED, STOPPED, FAILED, FENCED)
_STATES = (STARTING, RUNNING, *ENDED)
LAST_TIME = 253_402_300_799_999
"""The end of the year 9999."""
_MOST_BYTES = 256 * 1024
"""Larger than any heartbeat: its error has the most characters, and JSON escapes each of them with twelve."""
_MOST_LETTERS_OF_NAMES = 255
_MOST_FILES = 1000
"""The most files in the directory: one for each epoch that is not removed yet, and those that writers left that
died."""
_TRIES = 10
_ADDRESS = re.compile(r"https?://[\w.:@%/\[\]-]{1,500}", re.ASCII)


def _without_process_start(content: Content) -> Content:
    """Format 1 identified a process by host name, pid, and a time near its start."""
    return {**content, "process_start": None}


def _without_ui(content: Content) -> Content:
    """Format 2 had no address of Spark's UI."""
    return {**content, "ui": ""}


def _without_owed(content: Content) -> Content:
    """In format 3 a driver waited for a sink before it went on."""
    return {**content, "owed": {}}


_FORMAT = Format("the heartbeat", (_without_process_start, _without_ui, _without_owed))


@dataclass(frozen=True)
class Heartbeat:
    """All times are milliseconds of the wall clock. Raises ValueError for values that no driver writes.

    `launch` is the id of the launch, by which the launcher recognizes its driver. `beat` is the time of this heartbeat,
    `progress` that of the last log entry. `pending_bytes` have arrived and are not read. `unreadable_files` wait until
    they can be opened. `final` marks a failure that a restart would meet again. `host` is a name, for people.
    `process_start` distinguishes the process from all others. It is None if the system or the version does not have it.
    `ui` is the address of Spark's UI, or empty. `owed` are the tables whose sinks do not answer, or that are being
    filled, each with the first entry whose results it lacks.
    """

    state: str
    epoch: int
    host: str
    pid: int
    started: int
    application: str
    launch: str = ""
    beat: int = 0
    progress: int = 0
    entry: int = -1
    pending_files: int = 0
    pending_bytes: int = 0
    error: str | None = None
    final: bool = False
    unreadable_files: int = 0
    process_start: ProcessStart | None = None
    ui: str = ""
    owed: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.state not in _STATES:
            raise ValueError(f"its state is {self.state[:100]!r}, which is unknown")
        if not 1 <= self.pid <= HIGHEST_PID:
            raise ValueError(f"its pid is {self.pid}, which no process has")
        if not all(0 <= time <= LAST_TIME for time in (self.started, self.beat, self.progress)):
            raise ValueError("it has a time before 1970 or after 9999")
        counts = (self.epoch, self.entry + 1, self.pending_files, self.pending_bytes, self.unreadable_files)
        if min(*counts, *self.owed.values()) < 0:
            raise ValueError("it has a number below 0")
        for name in (self.host, self.application, self.launch):
            if len(name) > _MOST_LETTERS_OF_NAMES or not name.isprintable():
                raise ValueError(f"it has the name {name[:100]!r}, which is invalid")
        if self.ui and _ADDRESS.fullmatch(self.ui) is None:
            # It becomes a link of Airflow.
            raise ValueError(f"its pages of Spark are at {self.ui[:100]!r}, which is no address")
        if self.error is not None:
            object.__setattr__(self, "error", shortened(self.error))

    @property
    def is_over(self) -> bool:
        return self.state in ENDED

    def age(self, now: int | None = None) -> int:
        """Milliseconds since it was written."""
        return (now_ms() if now is None else now) - self.beat


def now_ms() -> int:
    return int(time.time() * 1000)


def write_heartbeat(directory: StorePath, heartbeat: Heartbeat) -> None:
    """Replaces the epoch's last one, and removes those of older epochs. Raises OSError, HomeError."""
    directory.make()
    stamped = replace(heartbeat, beat=now_ms())
    (directory / f"{heartbeat.epoch}.json").replace(record_bytes(_FORMAT, stamped))
    for epoch, path in _written(directory).items():
        if epoch < heartbeat.epoch:
            path.delete()


def read_heartbeat(directory: StorePath) -> Heartbeat | None:
    """The last one of the newest epoch, None if there was none. Raises HomeError if it can't be read."""
    for _ in range(_TRIES):
        written = _written(directory)
        if not written:
            return None
        try:
            return read_record(written[max(written)], _FORMAT, Heartbeat, _MOST_BYTES)
        except FileNotFoundError:
            # A newer driver has written its own, and removed this one.
            continue
    raise HomeError(f"the heartbeat in {directory} can't be read: its file is gone each time that it is opened")


def _written(directory: StorePath) -> dict[int, StorePath]:
    """The files by epoch. Raises HomeError."""
    try:
        names = directory.names(_MOST_FILES + 1)
    except OSError as wrong:
        raise HomeError(f"the heartbeat {directory} can't be read: {wrong}") from None
    if len(names) > _MOST_FILES:
        raise HomeError(f"the heartbeat in {directory} can't be read: there are more than {_MOST_FILES} files")
    numbers = {name: number_of(name.removesuffix(".json")) for name in names if name.endswith(".json")}
    return {number: directory / name for name, number in numbers.items() if number is not None}
