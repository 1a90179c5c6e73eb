"""The text of a report as Airflow's UI shows it: with its placeholders, without what is named like a secret."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from airflow.sdk import conf

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.files.private_files import read_regular
from airflow_nrt.program.modules import file_of
from airflow_nrt.program.program import program_of

_SUFFIXES = (".sql", ".py")
"""Others are not shown: the name of a report may come from whoever triggers the DAG."""
_MOST_BYTES = 16 * 1024 * 1024


def shown_report(report: str, near: Path) -> str | None:
    """What a report's file holds, as `shown_text`; None where it can't be read: planning it says why."""
    with suppress(OSError, NrtError):
        path = _file(report, near)
        if path is not None and path.suffix in _SUFFIXES:
            content = read_regular(Path(os.path.realpath(path)), _MOST_BYTES)
            return shown_text(content.decode(errors="replace"), str(path))
    return None


def shown_text(text: str, where: str) -> str:
    """The text as far as Airflow shows a field; of a longer one its beginning, and `where` all of it is."""
    most = conf.getint("core", "max_templated_field_length", fallback=4096)
    masked = without_secrets(text.strip())
    if len(masked) > most:
        told = f"\n-- … ({len(masked)} characters: the rest is in {where})"
        masked = masked[: max(most - len(told), 0)] + told
    return shortened(masked, len(masked))


def _file(report: str, near: Path) -> Path | None:
    program = program_of(report, near)
    return near / report if program is None else file_of(program.module, program.root)
