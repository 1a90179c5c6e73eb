"""Proving that the stream published what the batch computes."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Context

from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.operators.batch import NrtBatchOperator, fail_unless_proven, verdict_xcom
from airflow_nrt.operators.interval import named_interval, zone_of_clock
from airflow_nrt.usecases.requests.run_overrides import RunOverrides
from airflow_nrt.usecases.requests.verify import VerifyRequest


class NrtVerifyOperator(NrtBatchOperator):
    """Compares the published windows with the batch result. If late rows don't explain all differences, the task fails
    and names the windows.

    The interval is chosen as for `NrtBackfillOperator`. If the run names none, all complete windows are verified. The
    XCom `verdict` has:

    - `report`, `home`, `start` and `end` (ISO, on the report's clock), and the verdict as a `text`
    - `proven`, and `entry`: the last entry of the log that it holds for
    - `windows`, `equal`, `explained`, `unexplained`, `pending`, `unread_files`, `late_rows`
    - `inserts`: these numbers for each insert, and `rows` by class
    - `unexplained_windows` (the first ten, as text) and `problems`

    :xcom verdict: the values above; also if the task fails because of it
    :xcom return_value: the same, if the task succeeds
    """

    def execute(self, context: Context) -> dict[str, Any]:
        with self.at_work():
            report = self.planned()
            bounds = RunOverrides.of_run(context).interval(self.start, self.end)
            interval = named_interval(*bounds, context, zone_of_clock(report, context))
            if interval is not None:
                self.log.info("windows that end after %s and up to %s", *interval)
            request = VerifyRequest(self.batch_request(context, report, interval))
            verdict = verdict_xcom(Verdict.from_json(self.run_batch(request).result))
        context["ti"].xcom_push("verdict", verdict)
        fail_unless_proven(verdict)
        return verdict
