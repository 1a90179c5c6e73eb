"""The masters that Spark knows."""

from __future__ import annotations

import re

from airflow_nrt.report.errors import InputError

_MASTER = re.compile(r"local(\[([1-9]\d*|\*)(, *\d+)?\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+")


def check_master(master: str) -> None:
    """Raises InputError if it is none."""
    if not _MASTER.fullmatch(master):
        raise InputError(
            f"there is no Spark master {master!r}: give local[*], local[N], spark://HOST:PORT, yarn or k8s://…"
        )
