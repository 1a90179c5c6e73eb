"""Shared code of backfill and verification: a Spark batch over windows of one report, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airflow.providers.common.compat.sdk import AirflowException, AirflowFailException

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import iso_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.verdict import BadWindow, Verdict, not_before, nothing_because
from airflow_nrt.operators.command import Outcome
from airflow_nrt.operators.command_task import NrtCommandOperator
from airflow_nrt.usecases.requests.backfill import BackfillRequest
from airflow_nrt.usecases.requests.batch import BatchRequest
from airflow_nrt.usecases.requests.verify import VerifyRequest

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_nrt.usecases.requests.facts import PlannedReport

_MOST_NAMED = 10


class NrtBatchOperator(NrtCommandOperator):
    """Runs a batch command over the windows of an interval.

    Parameters beyond those of all operators:

    :param start: (templated) windows that end after this time of the report's clock
    :param end: (templated) windows that end at or before it
    :param wait_for_stream: seconds to wait, before anything else, until the stream has read all files that had arrived
        when the task began; 0: do not wait, and count unread files in `unread_files`
    """

    template_fields: Sequence[str] = (*NrtCommandOperator.template_fields, "start", "end")

    def __init__(
        self, *, start: str | None = None, end: str | None = None, wait_for_stream: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if not 0 <= wait_for_stream < float("inf"):
            raise ValueError(f"wait_for_stream is a number of seconds, not {wait_for_stream}")
        self.start = start
        self.end = end
        self.wait_for_stream = wait_for_stream

    def batch_request(self, context: Context, planned: PlannedReport, interval: tuple[str, str] | None) -> BatchRequest:
        """A batch over the windows of an interval; None: over all complete ones. Raises InputError."""
        start, end = interval or (None, None)
        patience = int(self.wait_for_stream * 1000)
        return BatchRequest(self.report_in_home(context, planned), start, end, patience)

    def run_batch(self, request: VerifyRequest | BackfillRequest) -> Outcome:
        """Runs the command of the request, and notes this task in the home. Raises InputError, NrtError."""
        from airflow_nrt.home.home import Home

        outcome = self.run_child(request)
        try:
            self.note_in(Home.at(request.place.home, request.place.group), request.command)
        except HomeError as wrong:
            # The work of the task is done.
            self.log.warning("the home does not name this task, so the page offers no runs of it: %s", wrong)
        return outcome

    def takes(self) -> tuple[str, ...]:
        return () if self.start or self.end else ("interval",)


def verdict_xcom(verdict: Verdict) -> dict[str, Any]:
    """A verdict for XCom: all numbers, the verdict as `text`, and the first windows that differ.

    Times are ISO, on the report's clock.
    """
    names = "report home entry windows equal explained unexplained pending pinned unread_files late_rows".split()
    bad = [_named(one.insert, window) for one in verdict.inserts for window in one.bad]
    counts = ("insert", "windows", "equal", "explained", "unexplained", "pending", "rows")
    return {
        **{name: getattr(verdict, name) for name in names},
        "proven": verdict.is_proven,
        "unprovable": not_before(verdict.unprovable) if verdict.unprovable else None,
        "text": verdict.text,
        "start": iso_instant(verdict.start),
        "end": iso_instant(verdict.end),
        "inserts": [{name: getattr(one, name) for name in counts} for one in verdict.inserts],
        "unexplained_windows": bad[:_MOST_NAMED],
        "problems": [*verdict.problems, *_ledger_problems(verdict)][:_MOST_NAMED],
    }


def fail_unless_proven(verdict: Mapping[str, Any]) -> None:
    """Raises AirflowFailException with the windows that nothing explains: a retry would find them again.

    Raises AirflowException if nothing was verified, because nothing is proven then, but a retry may find complete
    windows.
    """
    if verdict["proven"] and not verdict["windows"] and not verdict["pinned"]:
        raise AirflowException(f"{verdict['report']}: {nothing_because(len(verdict['inserts']), verdict['pending'])}")
    if verdict["proven"]:
        return
    found = [*verdict["unexplained_windows"], *verdict["problems"]]
    listed = "".join(f"\n  {line}" for line in found)
    raise AirflowFailException(f"{verdict['report']}: not proven, {_why(verdict)}{':' if listed else ''}{listed}")


def _why(verdict: Mapping[str, Any]) -> str:
    unexplained = verdict["unexplained"]
    if verdict["unprovable"] and not unexplained and not verdict["problems"]:
        return f"as its windows {verdict['unprovable']}"
    if not unexplained:
        return "as the log says what does not follow from the rows"
    differ = "differs" if unexplained == 1 else "differ"
    windows = f"{unexplained:,} of {counted(verdict['windows'], 'window')}"
    return f"{windows} {differ} from the batch result and no late row explains it"


def _named(insert: str, window: BadWindow) -> str:
    since = "" if window.history is None else f"; {window.history.text}"
    return f"{insert}, {window}{since}"


def _ledger_problems(verdict: Verdict) -> list[str]:
    return [
        f"late rows of {one.operator}: {one.invented} in the ledger are not late in the source, "
        f"{one.lacking} are lacking"
        for one in verdict.ledgers
        if one.invented or one.lacking
    ]
