"""Fault points: places where a test kills or freezes the driver.

`NRT_FAULT=kill:NAME` kills it at a point, `NRT_FAULT=stop:NAME` freezes it; `NAME@3` means the third time that
the point is reached. Without the variable a point costs a dictionary look-up.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

POINTS = (
    "lease-before",
    "lease-after",
    "recover-rolled",
    "absorb-begin",
    "absorb-written",
    "absorb-ledger",
    "commit-before",
    "commit-after",
    "fire-closed",
    "fire-staged",
    "tick-before",
    "tick-after",
    "publish-before",
    "publish-visible",
    "publish-between",
    "publish-after",
    "clean-after",
)
FILLING = ("fill-accepted", "fill-staged", "fill-decided")
"""Points that only a driver reaches which fills an added table."""
REBUILDING = ("rebuild-begun", "rebuild-caught-up", "rebuild-decided")
"""Points that only drivers reach whose report has changed, in the order of what they do."""
TAKING_OVER = {
    "filesystem": ("takeover-moved", "takeover-removed", "takeover-claimed"),
    "jdbc": ("takeover-staged", "takeover-removed", "takeover-written", "takeover-claimed"),
    "delta": ("takeover-written", "takeover-claimed"),
    "iceberg": ("takeover-written", "takeover-claimed"),
}
"""Points that only a driver reaches that takes over a table of this connector."""
PUBLISHING = {
    "filesystem": ("file-moved",),
    "jdbc": ("jdbc-staged", "jdbc-locked", "jdbc-deleted", "jdbc-written", "jdbc-committed"),
    "kafka": ("kafka-sent",),
    "delta": ("lake-committed",),
    "iceberg": ("iceberg-branched", "iceberg-written", "lake-committed"),
}
"""Points that only a driver reaches which publishes into a sink of this connector, in their order."""
SKIPPING = ("skip-checked", "skip-asked")
"""Points of the command that has a home leave out rows."""
FORGETTING = ("forget-closed", "forget-released")
"""Points of the command that removes a home."""
VARIABLE = "NRT_FAULT"

_reached: Counter[str] = Counter()


def reach(point: str) -> None:
    """Marks a fault point: the driver dies or freezes here if a test asks for that."""
    wanted = os.environ.get(VARIABLE)
    if wanted is None:
        return
    what, _, place = wanted.partition(":")
    name, _, times = place.partition("@")
    _reached[point] += 1
    if name == point and _reached[point] == int(times or 1):
        os.kill(os.getpid(), signal.SIGSTOP if what == "stop" else signal.SIGKILL)
