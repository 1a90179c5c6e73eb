"""The demonstration: a day of orders, streamed, killed, backfilled and proven equal under a real Airflow."""

from __future__ import annotations

from pathlib import Path


def example_dags() -> Path:
    """The directory of the example DAGs: the wheel has them here, a clone beside the package."""
    here = Path(__file__).parent
    installed = here / "dags"
    return installed if installed.is_dir() else here.parents[1] / "dags"
