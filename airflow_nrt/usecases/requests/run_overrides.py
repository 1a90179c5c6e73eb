"""What a DAG run asks of a backfill or a verification: `conf={"nrt": {"start": …, "end": …, "on_mismatch": "repair"}}`.

The page's buttons write it, and so may anybody who triggers the DAG. It names windows and may ask for a repair, if the
task leaves these open; nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from airflow_nrt.basics.errors import InputError

CONF = "nrt"


@dataclass(frozen=True)
class RunOverrides:
    """Start and end are times of the report's clock; None where the run does not name them."""

    start: str | None = None
    end: str | None = None
    on_mismatch: str | None = None

    @classmethod
    def of_run(cls, context: Mapping[str, Any]) -> RunOverrides:
        """Raises InputError if they are malformed."""
        conf = getattr(context.get("dag_run"), "conf", None) or {}
        asked = conf.get(CONF) if isinstance(conf, Mapping) else None
        if asked is None:
            return cls()
        names = [field.name for field in fields(cls)]
        if not isinstance(asked, Mapping) or not all(isinstance(value, str) for value in asked.values()):
            raise InputError(f"the run's conf {CONF!r} must be an object of texts: {', '.join(names)}")
        unknown = [str(name) for name in asked if name not in names]
        if unknown:
            raise InputError(f"the run's conf {CONF!r} has {unknown[0]!r:.100}: there are {', '.join(names)}")
        return cls(**asked)

    def named(self) -> dict[str, str]:
        """Those that the run names."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def to_conf(self) -> dict[str, Any]:
        """The configuration of a run that asks for it."""
        return {CONF: self.named()}

    def interval(self, start: str | None, end: str | None) -> tuple[str | None, str | None]:
        """The bounds of the task, or, if it has none, those of the run. Raises InputError if both have bounds."""
        return _open(start, self.start, "start"), _open(end, self.end, "end")

    def mismatch(self, on_mismatch: str | None) -> str | None:
        """What to do about a difference: as the task says, or as the run asks. Raises InputError if these differ."""
        return _open(on_mismatch, self.on_mismatch, "on_mismatch")


def _open(given: str | None, asked: str | None, name: str) -> str | None:
    if given and asked and given != asked:
        raise InputError(
            f"the run asks for {name} {asked!r:.100}, and the task says {given!r:.100}: leave {name} out of the task"
        )
    return given or asked
