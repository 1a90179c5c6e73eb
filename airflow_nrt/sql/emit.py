"""`SET 'table.exec.emit.…'`: when Flink's older windows emit. Windowing functions emit when a window is complete."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.report.options import REPORT_OPTIONS, read_option
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError

_FIRES = ("table.exec.emit.early-fire.enabled", "table.exec.emit.late-fire.enabled")


def check_emit(settings: Mapping[str, str], places: Mapping[str, Place], script: str, grouped: bool) -> None:
    """Raises SqlError at the setting that makes a windowing function emit earlier or again. Flink has it so.

    `grouped` says whether the report has windows of the older form, for which Flink knows these settings.
    """
    for key in _FIRES:
        if read_option(settings, REPORT_OPTIONS, key):
            if grouped:
                problem = NotThereYet(f"{key!r} for a window in GROUP BY", places[key])
                problem.script = script
                raise problem
            raise SqlError(
                "Currently, window table function based aggregate doesn't support early-fire and late-fire "
                f"configuration {_FIRES[0]!r} and {_FIRES[1]!r}: CUMULATE gives early results, and late rows are kept "
                "in the ledger",
                places[key],
                script,
            )
