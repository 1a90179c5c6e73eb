"""The text of a report for Airflow's UI: with its placeholders, without values with a name of a secret."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from airflow.providers.common.compat.sdk import conf

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.files.private_files import read_regular
from airflow_nrt.program.modules import file_of
from airflow_nrt.program.program import program_of

_SUFFIXES = (".sql", ".py")
"""Files of other kinds are not shown, because a run of the DAG may choose the name of the report."""
_MOST_BYTES = 16 * 1024 * 1024


def shown_report(report: str, near: Path) -> str | None:
    """The content of a report's file, as `shown_text`; None if it can't be read, and planning reports why."""
    with suppress(OSError, NrtError):
        path = _file(report, near)
        if path is not None and path.suffix in _SUFFIXES:
            content = read_regular(Path(os.path.realpath(path)), _MOST_BYTES)
            return shown_text(content.decode(errors="replace"), str(path))
    return None


def shown_text(text: str, where: str) -> str:
    """The text, cut to the length of a field in Airflow; the beginning of a longer text, with `where` to find all of
    it."""
    most = conf.getint("core", "max_templated_field_length", fallback=4096)
    masked = without_secrets(text.strip())
    if len(masked) > most:
        ending = f"\n-- … ({len(masked)} characters: the rest is in {where})"
        masked = masked[: max(most - len(ending), 0)] + ending
    return shortened(masked, len(masked))


def _file(report: str, near: Path) -> Path | None:
    program = program_of(report, near)
    return near / report if program is None else file_of(program.module, program.root)
