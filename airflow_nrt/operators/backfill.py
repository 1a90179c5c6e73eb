"""Computing windows in batch: the interval of a DAG run names them, so that Airflow's own backfill works with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk import Context

from airflow_nrt.basics.instants import iso_instant, parse_instant
from airflow_nrt.describe.mismatch import FAIL, ON_MISMATCH, REPAIR, REPORT
from airflow_nrt.home.notes.tasks import PUBLISHES, REPAIRS, VERIFIES
from airflow_nrt.model.zones import zone_rules
from airflow_nrt.operators.batch import NrtBatchOperator, fail_unless_proven, verdict_xcom
from airflow_nrt.operators.interval import interval_of_run, zone_of_clock
from airflow_nrt.operators.literal_parameters import check_literal, check_value, is_template, one_of
from airflow_nrt.usecases.requests.backfill import BackfillRequest, BackfillSummary
from airflow_nrt.usecases.requests.run_overrides import RunOverrides

_ON_MISMATCH = one_of(*ON_MISMATCH)


class NrtBackfillOperator(NrtBatchOperator):
    """Computes windows in batch and verifies or publishes them.

    The windows end within the first of these intervals that is given; a run without one fails:

    - `start` and `end`
    - those of the run's configuration, `{"nrt": {"start": …, "end": …}}`
    - the run's partition key: `START/END`, a date for its day, or a window's end. Midnight is a window's end only if an
      asset event brought the key
    - the run's data interval

    The log shows the progress of the task, and ends with the verdict.

    :param verify: compare with the published windows first, and publish only as a repair; False: publish all windows
    :param on_mismatch: (templated) what to do about a difference that no late row explains: `fail`, `repair` it by
        publishing the batch result, or `report` it in the return value; default: `on_mismatch` of the run's
        configuration (beside `start`), else `fail`
    :param unpin: publish also over windows that somebody has set by an undo; only without `verify`, or where
        `on_mismatch` is `repair`
    :param timezone: (templated) the zone of the report's clock, for data intervals; default: the report's own, or, for
        rowtimes without a zone, that of the DAG's timetable, so that its days are whole
    :xcom return_value: `start` and `end` (ISO, on the report's clock), `published_windows`, `unread_files`, `notes`,
        and the `verdict` (None without `verify`)
    :xcom verdict: with `verify`, as of `NrtVerifyOperator`; also if the task fails because of it
    """

    template_fields: Sequence[str] = (*NrtBatchOperator.template_fields, "on_mismatch", "timezone")

    def __init__(
        self,
        *,
        verify: bool = True,
        on_mismatch: str | None = None,
        unpin: bool = False,
        timezone: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_literal("on_mismatch", on_mismatch, _ON_MISMATCH)
        check_literal("timezone", timezone, zone_rules)
        self.verify = verify
        self.on_mismatch = on_mismatch
        self.unpin = unpin
        # Before rendering, because a template may depend on the run.
        self._is_template = is_template(on_mismatch)
        self._is_open = on_mismatch in (None, REPAIR) or self._is_template
        self.timezone = timezone

    def takes(self) -> tuple[str, ...]:
        verifies = ("verify",) if self.verify and self.on_mismatch != REPAIR else ()
        repairs = ("repair",) if self.verify and self._is_open else ()
        return (*super().takes(), *verifies, *repairs)

    def does(self) -> str:
        if not self.verify:
            return PUBLISHES
        if self._is_template:
            return ""
        return REPAIRS if self.on_mismatch == REPAIR else VERIFIES

    def execute(self, context: Context) -> dict[str, Any]:
        with self.at_work():
            asked = RunOverrides.of_run(context)
            on_mismatch = asked.mismatch(self.on_mismatch) or FAIL
            check_value("on_mismatch", on_mismatch, _ON_MISMATCH)
            report = self.planned()
            zone = self.timezone or zone_of_clock(report, context)
            check_value("timezone", zone, zone_rules)
            interval = interval_of_run(*asked.interval(self.start, self.end), context, zone)
            self.log.info("windows that end after %s and up to %s, on the clock of %s", *interval, zone)
            batch = self.batch_request(context, report, interval)
            outcome = self.run_batch(BackfillRequest(batch, on_mismatch if self.verify else None, self.unpin))
            done = BackfillSummary.from_json(report.name, outcome.result)
        verdict = None if done.verdict is None else verdict_xcom(done.verdict)
        if verdict:
            context["ti"].xcom_push("verdict", verdict)
        if verdict and on_mismatch != REPORT:
            fail_unless_proven(verdict)
        return {
            "start": iso_instant(parse_instant(interval[0])),
            "end": iso_instant(parse_instant(interval[1])),
            "published_windows": done.published_windows,
            "unread_files": done.unread_files,
            "notes": list(done.notes[:10]),
            "verdict": verdict,
        }
