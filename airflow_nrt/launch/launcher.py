"""The detached process that runs spark-submit, for as long as its driver runs.

    python -m airflow_nrt.launch.launcher HOME NUMBER [GROUP] < submission

It reads the submission to the end of its standard input before it does anything. So the starting process can write a
launch record first, and if that process dies before, nothing is submitted. If this host can't submit, the launcher
writes the reason to the home, as a driver does that can't begin. After a signal that stops the driver, the launcher
still takes the driver's output, and ends after it.

Settings go to the driver in files of the home, which nobody else can read (`settings_files.py`).
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.masters import LOCAL_ADDRESS, is_local
from airflow_nrt.basics.spark_properties import LOAD_DEFAULTS
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import note_launch_failure
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.launch.settings_files import settings_files
from airflow_nrt.launch.spark import SPARK_SUBMIT, spark_environment
from airflow_nrt.launch.submission import Submission

_CONN_ID = "nrt_launch"
_CONN_VARIABLE = f"AIRFLOW_CONN_{_CONN_ID.upper()}"
_BLOCKS = "SPARK_LOCAL_DIRS"
_READ_BY_THE_HOOK = ("spark.kubernetes.namespace",)
_RUNNING = ("SUBMITTED", "RUNNING", "RELAUNCHING", "UNKNOWN")
_POLL_SECONDS = 2.0
_UNREACHABLE_SECONDS = 600.0

log = logging.getLogger("airflow_nrt.launcher")


def main(home: str, number: str, group: str | None = None) -> int:
    """Returns the exit status: 0 if the driver ended well, else 1."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        submission = Submission.from_json(sys.stdin.read())
    except ValueError:
        print(
            "airflow-nrt: nothing was submitted: its task died first, or another launch came first",
            file=sys.stderr,
        )
        return 1
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    for stopping in (signal.SIGTERM, signal.SIGINT):
        # The signal is not ignored, because the driver would inherit that, and go on.
        signal.signal(stopping, lambda received, _: log.info("%s: waiting until the driver has stopped", received))
    try:
        submission = with_blocks(submission)
        with settings_files(Home.at(home, group), number, submission) as (properties, settings):
            return _submit(submission, properties, settings)
    except Exception as wrong:
        if isinstance(wrong, NrtError):
            note_launch_failure(home, number, wrong, group)
        print(f"airflow-nrt: {wrong}", file=sys.stderr)
        return 1


def with_blocks(submission: Submission) -> Submission:
    """Where blocks lie, as a setting: the driver makes private directories there, and the variable would win over
    them."""
    places = os.environ.get(_BLOCKS)
    if not places or submission.connection_extra("deploy-mode") == "cluster":
        return submission
    del os.environ[_BLOCKS]
    return replace(submission, conf={**submission.conf, "spark.local.dir": places})


def _submit(submission: Submission, properties: Path, settings: Path) -> int:
    os.environ.update(spark_environment(submission.connection_extra("spark-binary") or SPARK_SUBMIT))
    hook = _hook(submission, properties, settings)
    if submission.connection_extra("deploy-mode") != "cluster":
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    # The engine does not use Airflow: a driver must not have its secrets.
    needed = needed_environment(submission.environment)
    for variable in os.environ.keys() - needed.keys():
        del os.environ[variable]
    if is_local(submission.connection.get("host")):
        # Spark's UI is reachable from this host alone then.
        os.environ.setdefault("SPARK_LOCAL_IP", LOCAL_ADDRESS)
    driver = hook.submit(submission.application, stdin=subprocess.DEVNULL)
    return _follow(submission, driver) if driver else 0


def _hook(submission: Submission, properties: Path, settings: Path):  # type: ignore[no-untyped-def]
    os.environ[_CONN_VARIABLE] = json.dumps(submission.connection)
    import structlog
    from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

    # The hook logs what spark-submit prints; it goes to the file unchanged.
    structlog.configure(
        processors=[structlog.stdlib.PositionalArgumentsFormatter(), lambda logger, method, event: str(event["event"])],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )

    class Hook(SparkSubmitHook):
        def _build_spark_submit_command(self, application: str) -> list[str]:
            binary, *rest = super()._build_spark_submit_command(application)
            return [binary, LOAD_DEFAULTS, *rest]

    rest = {
        **submission.hook,
        "conf": {name: submission.conf[name] for name in _READ_BY_THE_HOOK if name in submission.conf},
        "properties_file": str(properties),
        "application_args": [*submission.hook.get("application_args", ()), "--settings", str(settings)],
    }
    return Hook(conn_id=_CONN_ID, **rest)


def _follow(submission: Submission, driver: str) -> int:
    """Waits until a driver that a standalone master started in the cluster has ended."""
    address = submission.rest_address()
    answered = time.monotonic()
    while time.monotonic() - answered < _UNREACHABLE_SECONDS:
        time.sleep(_POLL_SECONDS)
        try:
            with urllib.request.urlopen(f"{address}/v1/submissions/status/{driver}", timeout=10) as answer:
                # A master that was restarted without recovery does not know the driver, which ended with it.
                state = json.load(answer).get("driverState", "FORGOTTEN")
        except (OSError, ValueError) as wrong:
            log.warning("%s does not say how %s is doing: %s", address, driver, wrong)
            continue
        answered = time.monotonic()
        if state not in _RUNNING:
            print(f"airflow-nrt: {driver} ended: {state} (its output is on its worker)", file=sys.stderr)
            return 0 if state == "FINISHED" else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
