"""Proving that the stream published what the batch computes."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Context

from airflow_nrt.operators.batch import NrtBatchOperator, fail_unless_proven, verdict_xcom
from airflow_nrt.operators.wishes import Wishes
from airflow_nrt.report.errors import InputError


class NrtVerifyOperator(NrtBatchOperator):
    """Compares what is published with the batch result; fails, naming the windows, if late rows don't explain it all.

    Without `start` and `end`, of the task or of the run's configuration (`{"nrt": {"start": …, "end": …}}`), it covers
    everything that is complete: it reads neither the run's partition key nor its data interval.

    :xcom verdict: `report`, `home`, `entry` (of the log, up to which it holds), `start` and `end` (ISO, on the report's
        clock), `windows`, `equal`, `explained`, `unexplained`, `pending`, `unread_files`, `late_rows`, `proven`, the
        `text` that says it, `inserts` (these numbers of each, and `rows` by class), `unexplained_windows` (the first
        ten, as text) and `problems`; also where the task fails because of it
    :xcom return_value: the same, of a task that succeeds
    """

    def execute(self, context: Context) -> dict[str, Any]:
        with self.at_work():
            start, end = Wishes.of_run(context).interval(self.start, self.end)
            if bool(start) != bool(end):
                raise InputError(f"start and end belong together: only {'start' if start else 'end'} is given")
            interval = (start, end) if start and end else None
            verdict = verdict_xcom(self.run_command(context, "verify", self.planned(), interval).result)
        context["ti"].xcom_push("verdict", verdict)
        fail_unless_proven(verdict)
        return verdict
