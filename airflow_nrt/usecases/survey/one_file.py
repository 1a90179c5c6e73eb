"""Does a file of a directory run here? In a process that ends with the answer."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.cautions import cautions
from airflow_nrt.describe.overlaps import check_places
from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.model.options.known import is_setting
from airflow_nrt.model.options.settings import Settings, connection_settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.program import BUILD
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.filling.placeholders import placeholders
from airflow_nrt.table.reports.load import load_report
from airflow_nrt.usecases.problems import problem_lines
from airflow_nrt.usecases.requests.survey import FileRequest, FileVerdict, Outcome
from airflow_nrt.usecases.survey.files import PROGRAMS
from airflow_nrt.usecases.survey.pyflink import ROOT, PyFlink

_IMPORTS = "names are imported from `airflow_nrt.table`, not from `pyflink`"
_INSERTS = f"inserts belong into `def {BUILD}(t_env)`: a report is started by `airflow-nrt run` or an operator"


def verdict_of(request: FileRequest) -> FileVerdict:
    """In this process `pyflink` is this product's Table API from then on."""
    PyFlink().install()
    return _verdict(request.file, request.settings)


def _verdict(file: Path, given: Settings) -> FileVerdict:
    program = file if file.suffix == PROGRAMS else None
    try:
        differences = _of_script(file, given) if program is None else _of_program(file, given)
    except (SqlError, SqlErrors) as wrong:
        return FileVerdict(Outcome.FAILS.name, tuple(problem_lines(wrong, str(file), program)))
    except InputError as wrong:
        return FileVerdict(Outcome.FAILS.name, (f"{file}: {wrong}",))
    except (Exception, SystemExit) as failure:
        if program is None:
            raise
        return FileVerdict(Outcome.FAILS.name, (_place_of(failure, file),))
    if differences is None:
        return FileVerdict(Outcome.NO_REPORT.name)
    renamed = [_IMPORTS] if ROOT in sys.modules else []
    reasons = tuple(dict.fromkeys([*renamed, *differences]))
    return FileVerdict((Outcome.DIFFERS if reasons else Outcome.RUNS).name, reasons)


def _of_script(file: Path, given: Settings) -> list[str]:
    return _differences([load_report(file, _meant_for(file, given))])


def _of_program(file: Path, given: Settings) -> list[str] | None:
    """None for a module that only others import: it creates no tables."""
    if any(isinstance(one, ast.FunctionDef) and one.name == BUILD for one in ast.parse(file.read_bytes()).body):
        return _differences([load_report(file, _meant_for(file, given))])
    from airflow_nrt.usecases.survey.program import declared_by

    declared = declared_by(file)
    if not declared.plans:
        return None
    return [*([_INSERTS] if declared.written else []), *_differences(declared.plans)]


def _meant_for(file: Path, given: Settings) -> Settings:
    """The settings without the placeholders of other files of the directory."""
    try:
        script = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return given
    asked = placeholders(script) | connection_settings(script)
    kept = tuple((key, value) for key, value in given.values if key in asked or is_setting(key))
    return replace(given, values=kept)


def _differences(plans: Sequence[Plan]) -> list[str]:
    for plan in plans:
        check_places(plan)
    idle = [f"{what} has no effect here: {why}" for plan in plans for what, why in without_effect(plan).items()]
    return [*idle, *(caution for plan in plans for caution in cautions(plan))]


def _place_of(failure: BaseException, file: Path) -> str:
    """Where in the file a program failed, and why."""
    frames = [one for one in traceback.extract_tb(failure.__traceback__) if one.filename == str(file)]
    line = (frames[-1].lineno or 1) if frames else 1
    # A frame has its column from Python 3.11 on.
    column = (getattr(frames[-1], "colno", None) or 0) + 1 if frames else 1
    what = str(failure).strip().partition("\n")[0]
    kind = "" if type(failure) is ImportError else f"{type(failure).__name__}: "
    return f"{file}:{line}:{column}: {kind}{what}"
