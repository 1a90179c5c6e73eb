"""Processes that the demonstration starts, as its parts see them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import NrtError

Child = Callable[..., "subprocess.Popen[str]"]
"""Starts a command with streams, as `Scene.child` does."""


@dataclass(frozen=True)
class Verification:
    """`airflow-nrt verify --json` while it runs; what it says beside the verdict is in the file `log`."""

    process: subprocess.Popen[str]
    log: Path

    def verdict(self, patience: float) -> Any:
        """Raises NrtError if it has none within `patience` seconds."""
        try:
            output, _ = self.process.communicate(timeout=patience)
            return json.loads(output)
        except subprocess.TimeoutExpired:
            raise NrtError(f"waited {patience:g} s for a verification") from None
        except ValueError:
            said = self.log.read_text(errors="replace")[-2000:]
            raise NrtError(f"a verification ended {self.process.returncode} without a verdict:\n{said}") from None

    @property
    def status(self) -> int | None:
        """The exit status, once the verdict is there."""
        return self.process.returncode


Verify = Callable[..., AbstractContextManager[Verification]]
"""Starts a verification of the report with these arguments; it has ended afterwards."""
