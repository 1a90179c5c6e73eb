"""What an installation gets once, and the files that it has then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import JARS
from airflow_nrt.basics.nearest import nearest


@dataclass(frozen=True)
class PrepareRequest:
    """`names` are keys of `JARS`: what their connectors need beside Spark. `repository` is a Maven repository that is
    asked before Maven Central.
    """

    names: tuple[str, ...] = ()
    repository: str | None = None

    def __post_init__(self) -> None:
        """Raises InputError for an unknown name."""
        unknown = next((one for one in self.names if one not in JARS), None)
        if unknown is not None:
            known = ", ".join(JARS)
            raise InputError(f"nothing is called {unknown!r}{nearest(unknown, JARS)}; there are {known}")


@dataclass(frozen=True)
class PrepareResult:
    """The class archive, None if this Java makes none; and the jars, by name."""

    archive: Path | None
    jars: Mapping[str, tuple[Path, ...]]
