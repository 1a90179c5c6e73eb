"""How a report is watched, and who gets a notice of missing windows: from the operator to the trigger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.triggers import EARLIEST_SECONDS
from airflow_nrt.triggers.callbacks import Callback


@dataclass(frozen=True)
class Alarm:
    """Windows have `allowed` ms after their end. A notice goes to the task's log, and to the callbacks, if there are
    any: the first one is `path` with `kwargs`, as triggers of earlier versions have it."""

    allowed: int
    path: str | None = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    more: tuple[Callback, ...] = ()

    @classmethod
    def calling(cls, allowed: int, callbacks: Sequence[Callback]) -> Alarm:
        if not callbacks:
            return cls(allowed)
        first, *more = callbacks
        return cls(allowed, first.path, first.kwargs, tuple(more))

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Alarm:
        more = tuple(Callback(**one) for one in content.get("more", ()))
        return cls(**{**content, "more": more})

    def to_json(self) -> dict[str, Any]:
        """Without `more` if there are none, so that a triggerer of an earlier version can read it."""
        return {name: value for name, value in asdict(self).items() if name != "more" or value}

    @property
    def callbacks(self) -> tuple[Callback, ...]:
        return () if self.path is None else (Callback(self.path, self.kwargs), *self.more)


@dataclass(frozen=True)
class WatchSettings:
    """How a trigger watches the driver of a home. All are seconds.

    `silence` without a heartbeat makes a driver lost, `stall_timeout` without progress, while bytes wait to be read,
    makes it stalled (None: never). `poll_interval` is between looks at the home, `status_interval` between lines about
    the report in the task's log. A trigger never fires before `earliest`. The alarm `freshness` says when windows are
    missing.
    """

    stall_timeout: float | None = None
    silence: float = 15.0
    poll_interval: float = 2.0
    earliest: float = EARLIEST_SECONDS
    status_interval: float = 60.0
    freshness: Alarm | None = None

    def __post_init__(self) -> None:
        """Raises InputError for a time that makes no sense."""
        least = {"stall_timeout": self.stall_timeout, "silence": self.silence, "poll_interval": self.poll_interval}
        for name, seconds in least.items():
            if seconds is not None and not seconds > 0:
                raise InputError(f"{name} must be more than 0 seconds, not {seconds:g}")
        for name, seconds in {"earliest": self.earliest, "status_interval": self.status_interval}.items():
            if not seconds >= 0:
                raise InputError(f"{name} must be 0 seconds or more, not {seconds:g}")

    def to_json(self) -> dict[str, Any]:
        """One level of names, because a trigger's arguments are kept in Airflow's database beyond an upgrade.

        `{"stall_timeout": None, "silence": 15.0, …, "freshness": {"allowed": 900000, "path": None, "kwargs": {}}}`
        """
        return {**asdict(self), "freshness": None if self.freshness is None else self.freshness.to_json()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> WatchSettings:
        """Raises TypeError for an unknown name, InputError for a time that makes no sense."""
        freshness = content.get("freshness")
        return cls(**{**content, "freshness": None if freshness is None else Alarm.from_json(freshness)})
