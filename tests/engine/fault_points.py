"""Fault points in this process: a test sees each point that the engine reaches, and may raise there."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from airflow_nrt.engine import faults


def watch_points(patch: pytest.MonkeyPatch, reach: Callable[[str], None]) -> None:
    """Calls this in place of `faults.reach`, in all modules of the engine that reach points."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith("airflow_nrt.engine.") and module is not faults and hasattr(module, "reach"):
            patch.setattr(module, "reach", reach)
