"""The launch records of a home: `launches/<n>.launch` says who launched.

Launches are numbered, and a record is created if absent: if two tasks launch at once, one gets the number and the other
waits for that launch.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.formats import Content, Format
from airflow_nrt.home.heartbeat import LAST_TIME, now_ms, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import launch_failure
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.launch.command_lines import launcher_of
from airflow_nrt.launch.processes import ProcessMark

_SUFFIX = ".launch"
_MOST_BYTES = 64 * 1024
_MOST_LETTERS = 2000


def _without_process_start(content: Content) -> Content:
    """Format 1 identified a launcher by host name, pid, and a time at which it ran."""
    launcher = {name: value for name, value in content["launcher"].items() if name != "seen"}
    return {**content, "launcher": launcher}


_FORMAT = Format("the launch record", (_without_process_start,))


@dataclass(frozen=True)
class Launch:
    """A driver that was launched at `time` (ms) and has `patience` (ms) for its first heartbeat.

    `by` names the task attempt that launched it. `output` is the position where its output begins in `driver.log`.
    """

    number: int
    launcher: ProcessMark
    time: int
    patience: int
    by: str
    output: int = 0

    def __post_init__(self) -> None:
        if self.number < 1 or self.output < 0 or not 0 <= self.time <= LAST_TIME:
            raise ValueError("it has a number or a time that no launch has")
        object.__setattr__(self, "by", shortened(self.by, _MOST_LETTERS))

    @property
    def id(self) -> str:
        """The value of `launch` in the driver's heartbeat."""
        return str(self.number)

    def is_overdue(self, now: int | None = None) -> bool:
        return (now_ms() if now is None else now) - self.time > self.patience

    def kill(self, home: Home) -> bool:
        """Kills the launcher of this launch of the home, and all that it has started. Returns whether it did."""
        return self.launcher.kill_group(launcher_of(home, self.number))


def put_launch(home: Home, launch: Launch) -> bool:
    """False if another launch has this number."""
    home.launches.make()
    return (home.launches / f"{launch.number}{_SUFFIX}").put_if_absent(record_bytes(_FORMAT, launch))


def last_launch(home: Home) -> Launch | None:
    """The newest launch, None if there was none. Raises HomeError if its record can't be read."""
    number = home.newest_launch()
    if not number:
        return None
    path = home.launches / f"{number}{_SUFFIX}"
    try:
        return read_record(path, _FORMAT, Launch, _MOST_BYTES)
    except (FileNotFoundError, LookupError, AttributeError, TypeError) as wrong:
        raise HomeError(f"the launch record {path} can't be read: {wrong}") from None


def pending_launch(home: Home) -> Launch | None:
    """The launch whose driver may still begin: it is not overdue, has not failed, and its launcher may be alive."""
    launch = last_launch(home)
    if (
        launch is None
        or launch.is_overdue()
        or launch.launcher.is_gone()
        or launch_failure(home, launch.id) is not None
    ):
        return None
    beat = read_heartbeat(home.heartbeats)
    has_begun = beat is not None and beat.launch == launch.id
    return None if has_begun else launch
