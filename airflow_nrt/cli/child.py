"""The child process of a batch task: one command of `airflow-nrt`, which ends when its task does.

    python -m airflow_nrt.cli.child COMMAND … < settings

The task writes the settings as one line of JSON to its standard input, where no other user can read them, and keeps the
pipe open: when a worker is killed the pipe closes, and the child ends.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence

from airflow_nrt.basics.errors import DataError, InputError, NrtError
from airflow_nrt.cli.main import module_of
from airflow_nrt.home.driver_log import MARK
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.usecases.requests.processes import WRONG_DATA, WRONG_INPUT


def main(arguments: Sequence[str]) -> int:
    """Returns the command's exit status, WRONG_INPUT, WRONG_DATA, or 1 for any other failure."""
    given = Settings.from_json(sys.stdin.readline())
    _keep_for_the_result(sys.stdout.fileno())
    threading.Thread(target=_end_with_the_task, daemon=True).start()
    command = module_of(arguments[0])
    parser = argparse.ArgumentParser(prog=f"airflow-nrt {arguments[0]}")
    command.add_arguments(parser)
    try:
        status: int = command.run(parser.parse_args(arguments[1:], argparse.Namespace(given=given, debug=False)))
    except Exception as wrong:
        message = str(wrong)
        if not isinstance(wrong, NrtError):
            traceback.print_exc()
            message = f"{type(wrong).__name__}: {str(wrong).strip().partition(chr(10))[0][:1000]}"
        print(f"{MARK}{message}", file=sys.stderr)
        if isinstance(wrong, DataError):
            return WRONG_DATA
        return WRONG_INPUT if isinstance(wrong, (InputError, ModuleNotFoundError)) else 1
    return status


def _keep_for_the_result(output: int) -> None:
    """Redirects file descriptor 1, to which a report may write, to standard error from now on."""
    result = os.dup(output)
    os.dup2(sys.stderr.fileno(), output)
    sys.stdout = os.fdopen(result, "w", encoding="utf-8", errors="surrogateescape")


def _end_with_the_task() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    # Spark's processes are in the same process group.
    os.killpg(0, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
