"""Reproducing windows in batch: a DAG run's interval names them, so that Airflow's own backfill drives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk import Context

from airflow_nrt.operators.batch import NrtBatchOperator, fail_unless_proven, verdict_xcom
from airflow_nrt.operators.interval import interval_of_run

ON_MISMATCH = ("fail", "repair", "report")


class NrtBackfillOperator(NrtBatchOperator):
    """Computes windows in batch and verifies or publishes them.

    The windows are those that end within `start` and `end`, else within the run's partition key (`START/END`, a date
    for its day, or a window's end, but not midnight), else within its data interval; a run that names none fails.

    The return value has `start`, `end`, `published_windows`, `unread_files`, `notes` and the `verdict` (None without
    `verify`). The XCom `verdict` is there also where the task fails for it.

    :param verify: compare with what is published first, and publish only what is asked for; else publish over it
    :param on_mismatch: (templated) about a difference that no late row explains: `fail`, `repair` it by publishing the
        batch result, or `report` it in the return value
    :param timezone: the zone of the report's clock, for data intervals
    """

    template_fields: Sequence[str] = (*NrtBatchOperator.template_fields, "on_mismatch")

    def __init__(self, *, verify: bool = True, on_mismatch: str = "fail", timezone: str = "UTC", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.verify = verify
        self.on_mismatch = on_mismatch
        self.timezone = timezone

    def execute(self, context: Context) -> dict[str, Any]:
        with self.at_work():
            interval = interval_of_run(self.start, self.end, context, self.timezone)
            options = ["--verify", "--on-mismatch", self.on_mismatch] if self.verify else []
            outcome = self.run_command("backfill", interval, *options)
        verdict = outcome.result["verdict"] and verdict_xcom(outcome.result["verdict"])
        if verdict:
            context["ti"].xcom_push("verdict", verdict)
        if verdict and self.on_mismatch != "report":
            fail_unless_proven(verdict)
        return {
            "start": interval[0],
            "end": interval[1],
            "published_windows": outcome.result["published_windows"],
            "unread_files": outcome.result["unread_files"],
            "notes": outcome.result["notes"][:10],
            "verdict": verdict,
        }
