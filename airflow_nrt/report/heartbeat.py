"""The driver's sign of life: what it is doing, and when it last made progress.

Each epoch has a file of its own, and the newest counts: one that was frozen while it wrote can't speak over its
successor.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from airflow_nrt.report.durable import replace_file
from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.formats import Format
from airflow_nrt.report.private_files import make_private

STARTING, RUNNING, FINISHED, STOPPED, FAILED, FENCED = (
    "starting", "running", "finished", "stopped", "failed", "fenced",
)  # fmt: skip
_FORMAT = Format("the heartbeat")
ENDED = (FINISHED, STOPPED, FAILED, FENCED)


@dataclass(frozen=True)
class Heartbeat:
    """All times in milliseconds of the wall clock.

    `launch` is the id that the launcher gave, by which it knows its driver. `beat` is when this was written, `progress`
    when the last log entry was. `pending_bytes` have arrived and are not read, `unreadable_files` wait until they can
    be opened. `final` marks a failure that a restart would meet again.
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

    @property
    def is_over(self) -> bool:
        return self.state in ENDED

    def age(self, now: int | None = None) -> int:
        """Milliseconds since it was written."""
        return (now_ms() if now is None else now) - self.beat


def now_ms() -> int:
    return int(time.time() * 1000)


def write_heartbeat(directory: Path, heartbeat: Heartbeat) -> None:
    """Puts it in place of the epoch's last one, and takes those of older epochs away."""
    make_private(directory)
    stamped = replace(heartbeat, beat=now_ms())
    replace_file(directory / f"{heartbeat.epoch}.json", json.dumps(_FORMAT.stamped(asdict(stamped))).encode())
    for epoch, path in _written(directory).items():
        if epoch < heartbeat.epoch:
            path.unlink(missing_ok=True)


def read_heartbeat(directory: Path) -> Heartbeat | None:
    """The last one of the newest epoch, None if there was none. Raises HomeError if it can't be read."""
    path = directory
    try:
        written = _written(directory)
        if not written:
            return None
        path = written[max(written)]
        return Heartbeat(**_FORMAT.read(json.loads(path.read_bytes()), path))
    except FileNotFoundError:
        # A newer driver has shown its own, and took this one away.
        return read_heartbeat(directory)
    except (OSError, ValueError, TypeError) as wrong:
        raise HomeError(f"the heartbeat {path} can't be read: {wrong}") from None


def _written(directory: Path) -> dict[int, Path]:
    """The files by epoch."""
    names = os.listdir(directory) if directory.exists() else []
    stems = {name: name.removesuffix(".json") for name in names}
    return {int(stem): directory / name for name, stem in stems.items() if name != stem and stem.isdigit()}
