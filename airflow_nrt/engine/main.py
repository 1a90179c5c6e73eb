"""The program for spark-submit: one report's stream in one driver.

    spark-submit … airflow_nrt/engine/main.py --report FILE --home DIR [--group GROUP] [--launch ID] [--settings FILE] …

Its settings are in a file that only its user can read; `--set K=V` is for starting it by hand.

It takes over the home even from a running driver: its launcher has checked for one (`usecases/run.py`, and
`operators/supervision/supervision.py`). A driver that fails before it holds the lease writes the reason to
`launches/<ID>.json` of the home, for its launcher; afterwards the reason is in the heartbeat.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import traceback
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import ChangedReportError, HomeError, NrtError
from airflow_nrt.describe.cautions import cautions
from airflow_nrt.describe.overlaps import check_sources
from airflow_nrt.engine.driver.stopping import StopSignals, stop_signals
from airflow_nrt.engine.java.brief_java import brief_java
from airflow_nrt.engine.java.class_archive import lacking
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.publish.withdrawal import withdraw
from airflow_nrt.engine.rebuild import Change, change_of, run_both
from airflow_nrt.engine.spark.masters import check_master
from airflow_nrt.engine.spark.quick_session import end_session
from airflow_nrt.engine.spark.report_settings import session_settings
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.engine.spark.spark_parts import check_parts
from airflow_nrt.files.private_files import read_private
from airflow_nrt.home.heartbeat import STOPPED
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import note_launch_failure
from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import load_report, plan_of_home

log = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Gives the exit status: 0 done, 1 failed, 2 wrong input."""
    options = _parse(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    settings = NO_SETTINGS
    try:
        with stop_signals() as stop:
            settings = _settings(options)
            for handler in logging.getLogger().handlers:
                handler.addFilter(partial(_masked, settings))
            plan = load_report(options.report, settings, options.name, options.base)
            state = run_report(
                plan, options.home, stop, options.master, options.available_now, options.launch, options.group,
                OnChange(options.on_change),
            )  # fmt: skip
    except NrtError as wrong:
        if options.launch:
            note_launch_failure(options.home, options.launch, wrong, options.group, settings)
        print(f"airflow-nrt: {settings.shown(str(wrong))}", file=sys.stderr)
        return wrong.exit_status
    except Exception:
        # Not raised: this process must end, whatever threads a broken JVM gateway has left.
        print(settings.shown(traceback.format_exc()), file=sys.stderr)
        return 1
    print(f"airflow-nrt: {plan.name} {state}", file=sys.stderr)
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", required=True, help="the report: a file, or [DIR/]module:function")
    parser.add_argument("--home", required=True, help="the report's home")
    parser.add_argument("--group", help="the group that shares the home, by name or id (default: nobody does)")
    parser.add_argument("--name", help="the report's name (default: the file's)")
    parser.add_argument("--base", type=Path, help="where relative paths start (default: the file's directory)")
    parser.add_argument("--master", help="the Spark master (default: spark-submit's)")
    parser.add_argument("--launch", default="", help="the launcher's id of this driver")
    parser.add_argument("--settings", type=Path, metavar="FILE", help="a file of settings (Settings.to_json)")
    parser.add_argument("--set", action="append", default=[], metavar="K=V", help="a setting, or a placeholder's value")
    parser.add_argument("--on-change", choices=[*map(str, OnChange)], default="fail", help="if the report has changed")
    parser.add_argument("--available-now", action="store_true", help="end when all that has arrived is absorbed")
    return parser.parse_args(arguments)


def _masked(given: Settings, record: logging.LogRecord) -> bool:
    record.msg, record.args = given.shown(record.getMessage()), ()
    return True


def _settings(options: argparse.Namespace) -> Settings:
    """The settings of the command line. Raises HomeError if their file can't be read: the next launch has another."""
    given = Settings()
    if options.settings is not None:
        try:
            given = Settings.from_json(read_private(options.settings))
        except (OSError, ValueError) as wrong:
            raise HomeError(f"the settings in {options.settings} can't be read: {wrong}") from None
    beside = (tuple(pair.split("=", 1)) for pair in options.set)
    return replace(given, values=tuple({**dict(given.values), **dict(beside)}.items()))


def check_start(plan: Plan, master: str | None) -> None:
    """Raises InputError if a source is not there, or if Spark can't start for this report on this master."""
    check_sources(plan)
    ensure_java()
    check_parts()
    if master is not None:
        check_master(master, plan.spark_settings)


def checked_change(location: str, plan: Plan, group: str | None, on_change: OnChange) -> Change | None:
    """None if a driver may begin with this report in this home, or go on. Raises InputError as `Home.checked`, and if
    the report is another one and can't take the place of the home's."""
    try:
        Home.checked(location, plan, plan_of_home, group)
    except ChangedReportError:
        if on_change is OnChange.FAIL:
            raise
        return change_of(Home.open(location, group), plan, plan_of_home)
    return None


def run_report(
    plan: Plan,
    location: str,
    stop: StopSignals,
    master: str | None,
    available_now: bool = False,
    launch: str = "",
    group: str | None = None,
    on_change: OnChange = OnChange.FAIL,
) -> str:
    """Runs a report's stream until it ends; gives the state that it ended in. Signals stop it after its batch.

    Raises InputError, before anything starts, for a report that can't run here.
    """
    change = checked_change(location, plan, group, on_change)
    check_start(plan, master)
    for caution in cautions(plan):
        log.warning("%s", caution)
    if lacking(os.environ.get("JAVA_HOME")):
        log.info("no class archive of this Java and Spark: `airflow-nrt prepare` makes it, and drivers start faster")
    settings = brief_java() if available_now or plan.ends else {}
    settings |= {**(session_settings(change.made_for) if change else {}), **session_settings(plan)}
    parallelism = plan.setting("parallelism.default")
    if parallelism is not None:
        settings.setdefault("spark.sql.shuffle.partitions", parallelism)
    # Its imports take as long as a part of the start of Java, which runs meanwhile.
    Thread(target=import_module, args=("airflow_nrt.engine.driver.run",), daemon=True).start()
    try:
        spark = start_session(plan.name, master, settings, partial(_load_clients, plan))
        stop.listen_in_java(spark)
        spark.sparkContext.setLogLevel("WARN")
    except (Exception, KeyboardInterrupt) as failure:
        # Java got the signal, too, and could not pass it on yet.
        if stop.asked.is_set() or isinstance(failure, KeyboardInterrupt):
            return STOPPED
        raise
    try:
        if change is not None:
            return run_both(spark, change, plan_of_home, available_now, launch, stop.asked)
        is_new = not Home.at(location, group).report_file.exists()
        home = Home.create(location, plan, plan_of_home, group)
        from airflow_nrt.engine.driver.run import Runner

        try:
            plan = home.as_it_runs(plan)
            return Runner(spark, plan, home, available_now, launch, stop.asked, plan_of_home).run()
        except NrtError:
            if is_new:
                withdraw(spark, plan, home)
            raise
    finally:
        end_session(spark)


def _load_clients(plan: Plan, spark: SparkSession) -> None:
    """Java loads their classes in a second, while it compiles the rules of the session."""
    from airflow_nrt.engine.sources import source_of

    # The runner asks again, and says what is wrong.
    with suppress(Exception):
        for source in plan.sources:
            source_of(source.table).load_client(spark, source.table)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of a broken JVM gateway must not keep a finished driver alive.
    os._exit(status)
