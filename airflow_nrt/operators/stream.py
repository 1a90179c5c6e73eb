"""Running a report's stream: exactly one driver, which outlives the worker and the triggerer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperatorLink, Context

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.links.report import NrtDriverLogLink, NrtReportLink, NrtSparkLink
from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.operators.literal_parameters import check_value
from airflow_nrt.operators.supervision.restarts import RestartPolicy
from airflow_nrt.operators.supervision.supervised import SupervisedOperator
from airflow_nrt.triggers import EARLIEST_SECONDS
from airflow_nrt.triggers.callbacks import callbacks_of
from airflow_nrt.triggers.watch_settings import Alarm, WatchSettings

if TYPE_CHECKING:
    from airflow.providers.openlineage.extractors import OperatorLineage
    from airflow.sdk import BaseNotifier
    from airflow.sdk.definitions.callback import AsyncCallback

    from airflow_nrt.home.home import Home
    from airflow_nrt.operators.supervision.supervision import Supervision

FAIL, RESTART = ON_STALL = ("fail", "restart")


class NrtStreamOperator(SupervisedOperator):
    """Ensures that one driver runs a report, and ends when that driver does.

    The task adopts a running driver or a launch that is under way, or it launches a driver. Then it waits in the
    triggerer. A lost driver is restarted with back-off, also one that stopped without a request because its host went
    down. After a driver was fenced, the task follows its successor. Data errors and wrong input fail the task for good.

    Marking the task failed, skipped or successful asks the driver to stop after its batch. If no triggerer watches at
    that moment, no request is made: the driver goes on until the next run adopts it, or until `NrtStopOperator` or
    `airflow-nrt stop`. Clearing the task does not stop the driver: the new attempt adopts it. If several tasks
    supervise one driver, their logs say so, and it stops with the last of them.

    While the task waits, its log gets a line each minute, and the XCom `status` is updated. The log of a failed task
    ends with the last output of the driver, and with the cause. The XCom `status` has:

    - `report`, `home`, `zone` (of the report's clock), `at` (UTC), and all of it as a `text`
    - `driver`, `epoch`, `restarts`, and `error`: what ended the driver, what it waits for, or why the last start failed
    - `entry` (the last one of the log), `watermark`, `lag_seconds`
    - `windows`: how many are published; `last_window`: all windows up to it are complete, and published in all tables
    - `decided_windows`, `decided_until`: the same of windows that the log has decided; some may wait for a sink
    - `tables`: by name `decided`, `published`, `decided_entry`, `published_entry`
    - `rows`, `late`, `dropped`, `rejected`

    :param available_now: end when all data that has arrived is absorbed
    :param on_change: if the report is another one than that of its home: `fail`, or `rebuild`: a driver computes its
        past beside the stream that runs, and then lets it take that one's place
    :param startup_timeout: seconds until the first heartbeat of a launched driver
    :param max_restarts: restarts within `restart_window` seconds before the task fails
    :param restart_window: seconds after which a restart no longer counts
    :param restart_delay: seconds before the first restart; each further one within the window waits twice as long
    :param max_restart_delay: the longest such wait, in seconds
    :param stall_timeout: seconds without progress, while bytes wait to be read, after which a driver counts as stalled;
        None: never
    :param on_stall: `restart` the driver, or `fail`: end it, and fail the task
    :param silence_timeout: seconds without a heartbeat after which a driver counts as lost
    :param poll_interval: seconds between looks at the home
    :param earliest_event: seconds before which the trigger never fires, because Airflow may record a task that resumes
        sooner as failed
    :param status_interval: seconds between lines about the stream in the task's log, and versions of the XCom `status`
    :param freshness: a duration after the end of each window (`15 min`) within which it must be published. Otherwise
        the task's log says so, once for each such window, and once when the report is fresh again. For reports that
        follow the clock
    :param freshness_callback: the callback for these notices, in the triggerer: any notifier of Airflow, as
        `SmtpNotifier(to="…", subject="{{ nrt.text }}")`, or `AsyncCallback(FUNCTION)` for a function with a parameter
        `context`, or a list of these; `context["nrt"]` has the values that `NrtNotifier` lists
    :xcom status: the state of the report, with the values above
    :xcom return_value: the `status` at the end, with `restatements`: how many backfills and repairs restated windows
    :xcom missed_windows: with `freshness`: by table, the end of the newest missing window
    """

    operator_extra_links: Collection[BaseOperatorLink] = (NrtReportLink(), NrtDriverLogLink(), NrtSparkLink())

    def __init__(
        self,
        *,
        available_now: bool = False,
        on_change: str = str(OnChange.FAIL),
        startup_timeout: float = 180.0,
        max_restarts: int = 5,
        restart_window: float = 3600.0,
        restart_delay: float = 2.0,
        max_restart_delay: float = 300.0,
        stall_timeout: float | None = None,
        on_stall: str = RESTART,
        silence_timeout: float = 15.0,
        poll_interval: float = 2.0,
        status_interval: float = 60.0,
        freshness: str | None = None,
        freshness_callback: BaseNotifier | AsyncCallback | Sequence[BaseNotifier | AsyncCallback] | None = None,
        earliest_event: float = EARLIEST_SECONDS,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if on_stall not in ON_STALL:
            raise ValueError(f"on_stall must be {FAIL!r} or {RESTART!r}, not {on_stall!r}")
        self.available_now = available_now
        if on_change not in [*map(str, OnChange)]:
            raise ValueError(f"on_change must be 'fail' or 'rebuild', not {on_change!r}")
        self.on_change = OnChange(on_change)
        self.startup_timeout = startup_timeout
        self.restarts = RestartPolicy(max_restarts, restart_window, restart_delay, max_restart_delay)
        alarm = _alarm(freshness, freshness_callback)
        self.watch = WatchSettings(
            stall_timeout, silence_timeout, poll_interval, earliest_event, status_interval, alarm
        )
        self.on_stall = on_stall
        self._supervision: Supervision | None = None

    def execute(self, context: Context) -> Any:
        with self.at_work():
            report = self.planned()
            home, outdated = self._open_home(report.name)
            endless = not self.available_now and not report.ends
            return self._supervise(context, home, endless, outdated).ensure([])

    def resume(
        self,
        context: Context,
        event: dict[str, Any],
        restarts: Sequence[float],
        home: str,
        endless: bool,
        group: str | None = None,
    ) -> Any:
        """Goes on after the trigger: ends, fails, or restarts. Changes of the DAG since matter only to a restart."""
        from airflow_nrt.home.home import Home

        with self.at_work():
            return self._supervise(context, Home.open(home, group), endless).answer(event, restarts)

    def _open_home(self, report: str) -> tuple[Home, int]:
        """The home of the report of this name, created only if a driver could be launched into it; and the epoch up to
        which drivers work on another report.

        Raises InputError.
        """
        from airflow_nrt.home.next_generation import is_computed
        from airflow_nrt.home.notes.tasks import STREAM, tasks_of
        from airflow_nrt.launch.spark import SPARK_SUBMIT, spark_environment

        cluster, home = self.hook.cluster(), self.hook.home(self.home, report)
        if not home.report_file.exists():
            spark_environment((cluster.connection.get("extra") or {}).get("spark-binary") or SPARK_SUBMIT)
        found = self.planned(home, self.on_change)
        if STREAM not in tasks_of(home):
            self.note_in(home, STREAM)
        is_right = not found.is_changed or (found.is_begun and is_computed(home))
        return home, 0 if is_right else home.log().epoch()

    def _supervise(self, context: Context, home: Home, endless: bool, outdated: int = 0) -> Supervision:
        # Imported here, because a DAG file does not need it.
        from airflow_nrt.operators.supervision.supervision import Supervision

        self._supervision = Supervision(self, context, home, endless, outdated)
        return self._supervision

    def get_openlineage_facets_on_start(self) -> OperatorLineage[Any, Any] | None:
        """As `get_openlineage_facets_on_complete`, because a stream ends long after it has begun."""
        return self.get_openlineage_facets_on_complete(None)

    def on_kill(self) -> None:
        if self._supervision is not None:
            self._supervision.give_up()


def _alarm(freshness: str | None, callback: Any) -> Alarm | None:
    """Raises InputError for a text that is no duration above 0, or what can't be called in the triggerer; ValueError
    for a callback without a duration."""
    if freshness is None:
        if callback is not None:
            raise ValueError("freshness_callback is called for windows that miss `freshness`: give that too")
        return None
    check_value("freshness", freshness, _positive_duration)
    return Alarm.calling(parse_duration(freshness), callbacks_of(callback))


def _positive_duration(text: str) -> None:
    """Raises ValueError for a text that is no duration above 0."""
    if parse_duration(text) <= 0:
        raise ValueError(f"{text!r} is no duration above 0 for freshness: write for example '15 min'")
