"""A report's code runs beside the task that asks for its plan, never in it, and does no harm from there.

Each attack stands in a module that planning imports: of a program, and of a Python function of SQL.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.demo.airflow_client import wait_until
from airflow_nrt.home.home import Home
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.command import Command
from airflow_nrt.operators.planning import Planner
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.usecases.requests.facts import FactsRequest, PlannedReport
from airflow_nrt.usecases.requests.report import ReportRequest
from tests.cli.conftest import Command as Cli
from tests.cli.conftest import command_line
from tests.security.hostile import NOTES_ITS_PROCESS, hostile

pytestmark = pytest.mark.process

KINDS = ("program", "sql")
FORGED = '{"answer": {"name": "forged", "ends": true, "base": "/", "clock": null}}'
ANSWERS = """
import os, sys
with open(int(sys.argv[1]), "wb", closefd=False) as answer:
    answer.write({content})
os._exit(0)
"""
PICKLE = r"""
import pickle, sys
class Planted:
    def __reduce__(self):
        return (open, ({marker!r}, "w"))
sys.__stdout__.buffer.write(pickle.dumps(Planted()))
sys.__stdout__.flush()
"""


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process, which may start others."""
    return command_line(capsys)


@pytest.fixture(params=KINDS)
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a report of either kind of an attack."""
    return lambda attack: hostile(tmp_path / "dags", request.param, attack)


@pytest.fixture
def sql(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a report of SQL of an attack, where the kinds do not differ."""
    return lambda attack: hostile(tmp_path / "dags", "sql", attack)


def planned(file: Path, seconds: float = 60.0, say: Callable[[str], None] = lambda line: None) -> PlannedReport:
    return Planner(needed_environment(), seconds, say).facts(FactsRequest(ReportRequest(str(file))))


# ---------------------------------------------------------------------------------------------------- who imports


def stream(task: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A start, up to the launch, where there is no Spark."""
    monkeypatch.setattr("airflow_nrt.launch.spark.spark_environment", lambda *_: {})

    def no_driver(*_: object, **__: object) -> None:
        raise AirflowFailException("launched")

    monkeypatch.setattr("airflow_nrt.operators.supervision.supervision.start_launch", no_driver)
    about = SimpleNamespace(dag_id="d", task_id="t", run_id="r", map_index=-1, try_number=1)
    with pytest.raises(AirflowFailException, match="launched"):
        NrtStreamOperator(**task).execute({"ti": about})  # type: ignore[typeddict-item, arg-type]


def batch(kind: type[Any], task: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def ran(self: object) -> None:
        raise NrtError("ran")

    monkeypatch.setattr(Command, "run", ran)
    with pytest.raises(AirflowException, match="ran"):
        kind(**task, start="2024-06-18 10:00", end="2024-06-18 11:00").execute(
            {"ti": SimpleNamespace(xcom_push={}.__setitem__)}  # type: ignore[typeddict-item]
        )


@pytest.mark.parametrize("operator", ["stream", "backfill", "verify"])
def test_no_task_imports_what_the_authors_wrote(
    report: Callable[[str], Path], operator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "imported"
    file = report(NOTES_ITS_PROCESS.format(marker=str(marker)))
    task = {"task_id": "task", "report": str(file), "home": str(tmp_path / "home")}
    if operator == "stream":
        stream(task, monkeypatch)
    else:
        batch(NrtBackfillOperator if operator == "backfill" else NrtVerifyOperator, task, monkeypatch)
    processes = marker.read_text().split()
    assert processes and str(os.getpid()) not in processes
    assert not [name for name in sys.modules if name.startswith("hostile_")]


def test_check_and_plan_import_nothing_either(
    command: Cli,
    report: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    marker = tmp_path / "imported"
    file = report(NOTES_ITS_PROCESS.format(marker=str(marker)))
    assert command("check", file).out.endswith("fine (1 source, 1 window operator → totals)\n")
    assert command("plan", file).status == 0
    assert len(marker.read_text().split()) == 2 and str(os.getpid()) not in marker.read_text().split()
    assert not [name for name in sys.modules if name.startswith("hostile_")]


# ---------------------------------------------------------------------------------------------------- what it does


def test_a_pickle_on_its_standard_output_is_only_printed(report: Callable[[str], Path], tmp_path: Path) -> None:
    marker = tmp_path / "planted"
    assert planned(report(PICKLE.format(marker=str(marker)))).ends
    assert not marker.exists()


def test_what_it_prints_is_no_answer_and_is_told(sql: Callable[[str], Path]) -> None:
    told: list[str] = []
    attack = f"import sys\nprint({FORGED!r})\nprint('\\x1b[2J gone', file=sys.stderr)\n"
    assert planned(sql(attack), say=told.append).name != "forged"
    assert FORGED in told and "?[2J gone" in told


@pytest.mark.parametrize("attack", ["import os\nos._exit(0)", f"import os\nprint({FORGED!r}, flush=True)\nos._exit(0)"])
def test_an_end_is_no_answer(report: Callable[[str], Path], attack: str) -> None:
    with pytest.raises(InputError, match="its process ended with status 0 and gave no answer"):
        planned(report(attack))


def test_sys_exit_and_a_crash_are_told(sql: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match="SystemExit: 0"):
        planned(sql("raise SystemExit(0)"))


def test_a_crash_is_one_of_its_own_process(sql: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match=f"was ended by signal {signal.SIGSEGV:d}"):
        planned(sql("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"))


def test_a_closed_descriptor_is_no_answer(sql: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match="gave no answer"):
        planned(sql("import os\nos.closerange(3, 4096)"))


def test_what_has_no_end_is_ended(sql: Callable[[str], Path], tmp_path: Path) -> None:
    marker = tmp_path / "process"
    attack = f"{NOTES_ITS_PROCESS.format(marker=str(marker))}\nimport time\ntime.sleep(3600)"
    with pytest.raises(NrtError, match=r"not planned within 5 seconds.*give the task a longer `planning_timeout`"):
        planned(sql(attack), seconds=5)
    pid = int(marker.read_text())
    wait_until(lambda: not is_alive(pid), 30, "its end")


def test_a_task_says_so_and_may_be_retried(sql: Callable[[str], Path], tmp_path: Path) -> None:
    file = sql("while True: pass")
    task = NrtVerifyOperator(task_id="v", report=str(file), home=str(tmp_path / "home"), planning_timeout=1)
    with pytest.raises(AirflowException, match="not planned within 1 second") as failed:
        task.execute({})  # type: ignore[typeddict-item]
    assert not isinstance(failed.value, AirflowFailException)


def test_what_it_started_ends_with_it(report: Callable[[str], Path], tmp_path: Path) -> None:
    """One that keeps the descriptor open delays nobody."""
    marker = tmp_path / "process"
    attack = f"""
import os, time
if os.fork() == 0:
    {NOTES_ITS_PROCESS.format(marker=str(marker)).strip().replace(chr(10), chr(10) + "    ")}
    time.sleep(3600)
while not os.path.exists({str(marker)!r}) or not os.path.getsize({str(marker)!r}):
    time.sleep(0.01)
"""
    started = time.monotonic()
    assert planned(report(attack), seconds=300).ends
    assert time.monotonic() - started < 100
    pid = int(marker.read_text())
    wait_until(lambda: not is_alive(pid), 30, "its end")


def test_a_flood_is_cut(sql: Callable[[str], Path]) -> None:
    told: list[str] = []
    assert planned(sql("print(('x' * 99 + '\\n') * 1_000_000)"), say=told.append).ends
    assert sum(map(len, told)) < 70_000 and told[-1] == "… (it printed more than 64 KiB)"


@pytest.mark.parametrize("text", ["'x' * 20_000_000", "chr(0xD800) + chr(27) + '[2J'"], ids=["long", "unseen"])
def test_an_error_of_its_own_can_be_stored_and_printed(sql: Callable[[str], Path], text: str) -> None:
    with pytest.raises(InputError, match=r"can't be imported: ValueError: [x?]") as wrong:
        planned(sql(f"raise ValueError({text})"))
    assert len(str(wrong.value).encode()) < 11_000 and "\x1b" not in str(wrong.value)


FLOODS = {
    "of bytes": ("b'x' * (40 << 20)", "the answer has more than 16 MiB"),
    "of brackets": ("b'[' * 1_000_000 + b'\\n'", "is no answer"),
    "of another type": (b'{"answer": {"name": 1, "ends": 2}}\n', "wrong answer: its field 'name'"),
    "of another kind": (b'{"error": "KeyboardInterrupt", "text": ""}\n', "is no answer"),
    "that is none": (b"7\n", "is no answer"),
}


@pytest.mark.parametrize("what", FLOODS)
def test_an_answer_that_it_wrote_itself(sql: Callable[[str], Path], what: str) -> None:
    """It may find the descriptor: then what it says is read as facts of the right types, or refused."""
    content, message = FLOODS[what]
    with pytest.raises(InputError, match=re.escape(message)):
        planned(sql(ANSWERS.format(content=content)))


def test_a_module_in_the_working_directory_is_not_taken_for_a_library(
    sql: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "planted"
    (tmp_path / "anywhere").mkdir()
    (tmp_path / "anywhere" / "selectors.py").write_text(f"open({str(marker)!r}, 'w')")
    (tmp_path / "anywhere" / "json.py").write_text(f"open({str(marker)!r}, 'w')")
    monkeypatch.chdir(tmp_path / "anywhere")
    assert planned(sql("")).ends
    assert not marker.exists()


# ---------------------------------------------------------------------------------------------------- check


CHECKED = {
    "prints": (f"print('report.sql: fine')\nprint({FORGED!r})\nimport os\nos._exit(0)", 2, "gave no answer"),
    "ends": ("import sys\nsys.exit(0)", 2, "SystemExit: 0"),
    "hangs": ("while True: pass", 1, "not planned within 2 seconds"),
    "says half of it": (ANSWERS.format(content=b'{"answer": {"status": 0}}\n'), 2, "wrong answer"),
}


@pytest.mark.parametrize("what", CHECKED)
def test_check_does_not_call_it_fine(
    command: Cli,
    sql: Callable[[str], Path],
    what: str,
) -> None:
    attack, status, message = CHECKED[what]
    answer = command("check", sql(attack), "--time-limit", "2" if what == "hangs" else "60")
    assert (answer.status, answer.out) == (status, "")
    assert message in answer.err


def test_a_home_is_made_by_the_process_that_plans(report: Callable[[str], Path], tmp_path: Path) -> None:
    file = report("")
    said: list[str] = []
    planner = Planner(needed_environment(), say=said.append)
    request = FactsRequest(ReportRequest(str(file)), str(tmp_path / "home"))
    known = planner.facts(request)
    assert Home.open(tmp_path / "home").identity().name == known.name
    file.write_text(file.read_text().replace("'1' HOUR", "'2' HOURS"))
    with pytest.raises(InputError, match="computes something else than when its home"):
        planner.facts(request)
    # The log of the task gets what `airflow-nrt plan --against` prints.
    assert any(": recomputed from the first row on, no rows yet" in line for line in said)
    assert said[-1].startswith("the next driver refuses this report in this home. Ways out: give up this home")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
