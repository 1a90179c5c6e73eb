"""Shared code of backfill and verification: a Spark batch over windows of one report, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import format_instant, iso_instant
from airflow_nrt.operators.command import Outcome
from airflow_nrt.operators.command_task import NrtCommandOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_nrt.operators.planning import PlannedReport

_MOST_NAMED = 10


class NrtBatchOperator(NrtCommandOperator):
    """Runs a batch command over the windows of an interval.

    Parameters beyond those of all operators:

    :param start: (templated) windows that end after this time of the report's clock
    :param end: (templated) windows that end at or before it
    :param wait_for_stream: seconds to wait, before anything else, until the stream has read what had arrived when the
    task began; 0: do not wait, and count unread files in `unread_files`
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

    def run_command(
        self, context: Context, name: str, planned: PlannedReport, interval: tuple[str, str] | None, *options: str
    ) -> Outcome:
        """Runs `airflow-nrt NAME` over the windows of an interval. Raises InputError, NrtError."""
        waiting = ("--wait-for-stream", f"{int(self.wait_for_stream * 1000)}ms") if self.wait_for_stream else ()
        windows = ("--start", interval[0], "--end", interval[1]) if interval is not None else ()
        outcome = self.run_child(context, name, planned, *waiting, *windows, *options)
        try:
            self.note_in(self.hook.home(self.home, planned.name), name)
        except HomeError as wrong:
            # The work of the task is done.
            self.log.warning("the home does not name this task, so the page offers no runs of it: %s", wrong)
        return outcome

    def takes(self) -> tuple[str, ...]:
        return () if self.start or self.end else ("interval",)


def verdict_xcom(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict (`Verdict.to_json`) for XCom: all numbers, the verdict as `text`, and the first windows that differ.

    Times are ISO, on the report's clock.
    """
    names = "report home entry windows equal explained unexplained pending unread_files late_rows proven text"
    bad = [_named(one["insert"], window) for one in verdict["inserts"] for window in one["bad"]]
    counts = ("insert", "windows", "equal", "explained", "unexplained", "pending", "rows")
    return {
        **{name: verdict[name] for name in names.split()},
        "start": iso_instant(verdict["start"]),
        "end": iso_instant(verdict["end"]),
        "inserts": [{name: one[name] for name in counts} for one in verdict["inserts"]],
        "unexplained_windows": bad[:_MOST_NAMED],
        "problems": [*verdict["problems"], *_ledger_problems(verdict)][:_MOST_NAMED],
    }


def fail_unless_proven(verdict: Mapping[str, Any]) -> None:
    """Raises AirflowFailException with the windows that nothing explains: a retry would find them again.

    Raises AirflowException if nothing was verified, because nothing is proven then, but a retry may find complete
    windows.
    """
    if verdict["proven"] and not verdict["windows"]:
        nothing = f"{verdict['report']}: nothing was verified, no window of the interval is complete"
        raise AirflowException(f"{nothing} ({verdict['pending']} are pending)")
    if verdict["proven"]:
        return
    found = [*verdict["unexplained_windows"], *verdict["problems"]]
    listed = "".join(f"\n  {line}" for line in found)
    raise AirflowFailException(
        f"{verdict['report']}: not proven, {verdict['unexplained']} of {verdict['windows']} windows differ from the "
        f"batch result and no late row explains it{':' if listed else ''}{listed}"
    )


def _named(insert: str, window: Mapping[str, Any]) -> str:
    from airflow_nrt.describe.verdict import UNEXPLAINED

    counts = ", ".join(f"{window[kind]} {kind}" for kind in UNEXPLAINED if window[kind])
    since = "" if window["history"] is None else f"; {window['history']['text']}"
    if window["end"] is None:
        return f"{insert}, outside of any window: {counts} rows{since}"
    return (
        f"{insert}, window [{format_instant(window['start'])}, {format_instant(window['end'])}): {counts} rows{since}"
    )


def _ledger_problems(verdict: Mapping[str, Any]) -> list[str]:
    return [
        f"late rows of {one['operator']}: {one['invented']} in the ledger are not late in the source, "
        f"{one['lacking']} are lacking"
        for one in verdict["ledgers"]
        if one["invented"] or one["lacking"]
    ]
