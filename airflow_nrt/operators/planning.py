"""The plan of a program, made in a process of its own: no task imports what the report's authors wrote."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.launch.environment import needed_environment
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.settings import Settings

if TYPE_CHECKING:
    from airflow_nrt.report.plan import Plan
    from airflow_nrt.report.program import Program

_PLAN = """
import pickle, sys
from dataclasses import replace
from pathlib import Path
from airflow_nrt.report.errors import NrtError
from airflow_nrt.table.load import load_report
out, sys.stdout = sys.stdout.buffer, sys.stderr
try:
    plan = load_report(sys.argv[1], pickle.load(sys.stdin.buffer), base=Path(sys.argv[2]))
except NrtError as wrong:
    found = str(wrong)
else:
    found = replace(plan, functions=tuple(replace(one, found=None) for one in plan.functions))
pickle.dump(found, out)
"""


def planned_apart(program: Program, settings: Mapping[str, str] | Settings, base: Path | None = None) -> Plan:
    """The plan, as `load_report` gives it, without the functions themselves. Raises InputError."""
    child = subprocess.run(
        [sys.executable, "-c", _PLAN, str(program), str(base or program.root)],
        input=pickle.dumps(Settings.of(settings)),
        capture_output=True,
        env=needed_environment(),
        check=False,
    )
    if child.returncode != 0:
        told = child.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputError(f"the program {program} can't be planned: {told}")
    found: Plan | str = pickle.loads(child.stdout)
    if isinstance(found, str):
        raise InputError(found)
    return found
