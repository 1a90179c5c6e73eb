"""`SET 'table.exec.emit.…'`: when windows in GROUP BY emit. Windowing functions emit when a window is complete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from airflow_nrt.model.options.known import REPORT_OPTIONS, read_option
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse import parsed

FIRES = ("table.exec.emit.early-fire.enabled", "table.exec.emit.late-fire.enabled")


def emits_again(statements: Iterable[parsed.Statement], overrides: Mapping[str, str]) -> bool:
    """Whether windows in GROUP BY emit before they are complete, or again for late rows."""
    settings = {one.key: one.value for one in statements if isinstance(one, parsed.SetOption)}
    return any({**settings, **overrides}.get(key, "").strip().lower() == "true" for key in FIRES)


def check_emit(settings: Mapping[str, str], places: Mapping[str, Place], script: str) -> None:
    """Raises SqlError at a setting of early or late fire if there is a windowing function, as Flink does."""
    for key in FIRES:
        if read_option(settings, REPORT_OPTIONS, key):
            raise SqlError(
                "Currently, window table function based aggregate doesn't support early-fire and late-fire "
                f"configuration {FIRES[0]!r} and {FIRES[1]!r}: leave it out, and write INSERT INTO t /*+ OPTIONS("
                "'first-result' = '-15 min') */ for early results, or OPTIONS('late-updates' = 'on', 'last-result' = "
                "'+15 min') for those of late rows",
                places[key],
                script,
            )
