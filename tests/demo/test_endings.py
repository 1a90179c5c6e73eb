"""Nothing of a demonstration is left, however often one asks it to end."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from airflow_nrt.demo.endings import kill_all_with

pytestmark = pytest.mark.process


def test_what_left_session_and_parent_is_killed(tmp_path) -> None:
    mark = {"ORDERS_HOME": str(tmp_path), "ORDERS_DATA": "x"}
    line = "setsid sleep 300 >/dev/null & echo $!"
    shell = subprocess.run(
        ["bash", "-c", line], env={**os.environ, **mark}, stdout=subprocess.PIPE, text=True, check=True
    )
    orphan = psutil.Process(int(shell.stdout))
    # While a process becomes another program it has no environment.
    while orphan.name() != "sleep":
        time.sleep(0.01)
    kill_all_with({**mark, "ORDERS_DATA": "another"})
    assert orphan.is_running() and orphan.status() != psutil.STATUS_ZOMBIE
    kill_all_with(mark)
    assert not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE


def test_a_second_ctrl_c_does_not_disturb() -> None:
    code = """
        import os, signal, time
        from airflow_nrt.demo.endings import SIGNALS, end_as_by_ctrl_c, undisturbed
        end_as_by_ctrl_c()
        try:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(10)
        except KeyboardInterrupt:
            with undisturbed():
                for number in SIGNALS:
                    os.kill(os.getpid(), number)
                time.sleep(0.1)
                print("tidy")
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "tidy\n", "")
