"""The masters that Spark knows."""

from __future__ import annotations

import re

from airflow_nrt.basics.errors import InputError

_MASTER = re.compile(r"local(\[([1-9]\d*|\*)(, *\d+)?\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+")


LOCAL_ADDRESS = "127.0.0.1"
"""The address on which a session listens whose tasks run in its own process."""


def is_local(master: str | None) -> bool:
    """Whether tasks run in the driver's JVM. None means the master of spark-submit, which may be any."""
    return master is not None and master.partition("[")[0] == "local"


def check_master(master: str) -> None:
    """Raises InputError for a text that is no master."""
    if not _MASTER.fullmatch(master):
        raise InputError(
            f"there is no Spark master {master!r}: give local[*], local[N], spark://HOST:PORT, yarn or k8s://…"
        )
