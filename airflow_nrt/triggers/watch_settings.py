"""How a report is watched, and who gets a notice of missing windows: from the operator to the trigger."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.triggers import EARLIEST_SECONDS


@dataclass(frozen=True)
class Alarm:
    """The callback: an async function or a notifier, by its import path, with these arguments. Without a path, notices
    go only to the task's log. Windows have `allowed` ms after their end."""

    allowed: int
    path: str | None = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    async def ring(self, context: Mapping[str, Any]) -> None:
        """Raises whatever the callback raises."""
        if self.path is None:
            return
        from airflow.sdk import BaseNotifier

        module, _, name = self.path.rpartition(".")
        callback = getattr(importlib.import_module(module), name)
        if inspect.isclass(callback) and issubclass(callback, BaseNotifier):
            notifier = callback(**self.kwargs)
            # Not all notifiers accept it as an argument.
            notifier.context = dict(context)  # type: ignore[assignment]
            await notifier
        else:
            await callback(**self.kwargs, context=dict(context))


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
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> WatchSettings:
        """Raises TypeError for an unknown name, InputError for a time that makes no sense."""
        freshness = content.get("freshness")
        return cls(**{**content, "freshness": None if freshness is None else Alarm(**freshness)})
