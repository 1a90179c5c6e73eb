"""The plan of a report, which is a script of SQL or a program."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import FrameSummary, extract_tb
from types import ModuleType
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.functions import load_function
from airflow_nrt.program.modules import file_of, is_installed, name_of
from airflow_nrt.program.program import Program, program_of
from airflow_nrt.sql import load as scripts
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.filling.placeholders import shown

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home


def load_report(
    report: str | Path,
    settings: Mapping[str, str] | Settings | None = None,
    name: str | None = None,
    base: Path | None = None,
) -> Plan:
    """The plan of a script, as `sql.load` gives it, or of a program (see `program_of`).

    A program gets the settings that it reads, or has as `${KEY}` in its SQL. A setting of reports, and any that the
    program doesn't read, works as a SET after its own. Relative paths of tables start at `base`, by default the
    directory of its modules.

    Raises InputError if there is no such report, or if it is invalid (SqlError).
    """
    program = program_of(report, Path.cwd())
    if program is None:
        return scripts.load_report(report, settings, name, base)
    return plan_program(program, settings, name or program.name, base or program.root)


def plan_program(program: Program, settings: Mapping[str, str] | Settings | None, name: str, base: Path) -> Plan:
    """The plan of a program; see `load_report`."""
    from airflow_nrt.table.environment.report_environment import ReportEnvironment

    build = load_function(program.target, program.root)
    given = Settings.of(settings)
    environment = ReportEnvironment(given, base, program.root)
    try:
        build(environment)
        return environment.report(name, program)
    except (SqlError, SqlErrors) as refused:
        raise shown(refused, given) from None
    except NrtError:
        raise
    except (Exception, SystemExit) as failure:
        line = next((one.lineno for one in reversed(extract_tb(failure.__traceback__)) if _is_of(one, program)), 0)
        wrong = given.shown(f"{type(failure).__name__}: {failure}")
        raise InputError(f"the program {program} raised in line {line}: {wrong}") from failure


def _is_of(frame: FrameSummary, program: Program) -> bool:
    return Path(frame.filename) == file_of(program.module, program.root)


def plan_of_home(home: Home, current: Mapping[str, str] | Settings | None = None) -> Plan:
    """The plan of the report of a home, which may be another version of a report that is planned already.

    See `Identity.given` for the `current` settings.
    """
    identity = home.identity()
    if identity.program is None:
        return scripts.plan_of_home(home, current)
    program = program_of(identity.program, Path("/"))
    assert program is not None
    with imported_in_isolation(program):
        return plan_program(program, identity.given(Settings.of(current)), identity.name, Path(identity.base))


@contextmanager
def imported_in_isolation(program: Program) -> Iterator[None]:
    """Inside, the modules of a program are imported from its directory, even if other modules have their names."""
    if is_installed(program.root):
        yield
        return
    own = {name.partition(".")[0] for file in program.files if (name := name_of(file, program.root)) is not None}
    others = _taken_out(own)
    sys.path.insert(0, str(program.root))
    try:
        yield
    finally:
        sys.path.remove(str(program.root))
        _taken_out(own)
        sys.modules.update(others)


def _taken_out(packages: set[str]) -> dict[str, ModuleType]:
    """Removes these modules from those that are imported, and returns them."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in packages}
