"""Can reports run on this machine? One finding for each thing that they need, with a way out of what is wrong."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from airflow_nrt import __version__
from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.jars import JARS, fetched
from airflow_nrt.files.durable import put_if_absent
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint
from airflow_nrt.home.log.past.past import check_past
from airflow_nrt.launch.living import living_status
from airflow_nrt.usecases.asking import Inquiry, answered
from airflow_nrt.usecases.requests.check import CheckRequest, Findings
from airflow_nrt.usecases.requests.doctor import DoctorRequest, Finding, Judgement
from airflow_nrt.usecases.sessions import needing_spark

_GIGABYTE = 1 << 30
_LEAST_FREE, _LITTLE_FREE = _GIGABYTE // 2, 5 * _GIGABYTE
_CLOCKS_APART = 2.0
"""Seconds between the clocks of this machine and of a file system from which on they are no accident."""


def doctor(request: DoctorRequest, inquiry: Inquiry | None = None) -> Iterator[Finding]:
    """The findings, as they are made. `inquiry` says how the report is asked about."""
    checks: dict[str, Callable[[], Finding]] = {
        "versions": _versions,
        "Java": _java,
        "Spark": _spark,
        "class archive": _class_archive,
        "jars": _jars,
        "scratch": _scratch,
    }
    if request.home is not None:
        checks["home"] = partial(_place, request.home, request.group)
        checks["driver"] = partial(_driver, request.home, request.group)
        checks["checkpoint"] = partial(_checkpoint, request.home, request.group)
    if request.report is not None and inquiry is not None:
        asked = CheckRequest(request.report, request.home, request.group, deep=True)
        checks["report"] = partial(_report, asked, inquiry)
    for what, check in checks.items():
        try:
            yield check()
        except (NrtError, OSError) as wrong:
            yield Finding(what, Judgement.WRONG, str(wrong))


def _versions() -> Finding:
    try:
        airflow = f"Airflow {version('apache-airflow')}"
    except PackageNotFoundError:
        airflow = "no Airflow here, so only the command line"
    return Finding(
        "versions", Judgement.FINE, f"airflow-nrt {__version__}, Python {platform.python_version()}, {airflow}"
    )


def _java() -> Finding:
    from airflow_nrt.engine.java.finding import find_java, java_version

    home = find_java() or os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else Path(shutil.which("java") or "java")
    return Finding("Java", Judgement.FINE, f"Java {java_version(java)}, {java}")


def _spark() -> Finding:
    with needing_spark():
        from airflow_nrt.engine.spark.spark_parts import check_parts

        check_parts()
    where = os.environ.get("SPARK_HOME")
    return Finding("Spark", Judgement.FINE, f"Spark {version('pyspark')}" + (f", SPARK_HOME {where}" if where else ""))


def _class_archive() -> Finding:
    from airflow_nrt.engine.java.class_archive import lacking
    from airflow_nrt.engine.java.finding import find_java

    if lacking(find_java() or os.environ.get("JAVA_HOME")) is None:
        return Finding("class archive", Judgement.FINE, "drivers start fast")
    return Finding("class archive", Judgement.NOTE, "there is none, and drivers start slower", "airflow-nrt prepare")


def _jars() -> Finding:
    there = [name for name in JARS if fetched(name)]
    missing = [name for name in JARS if name not in there]
    said = f"there: {', '.join(there) or 'none'}"
    if not missing:
        return Finding("jars", Judgement.FINE, said)
    way_out = f"airflow-nrt prepare {' '.join(missing)}"
    return Finding("jars", Judgement.NOTE, f"{said}; not there: {', '.join(missing)}", way_out)


def _scratch() -> Finding:
    named = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    return _space("scratch", Path(named or tempfile.gettempdir()), "set SPARK_LOCAL_DIRS to a directory with room")


def _space(what: str, directory: Path, way_out: str) -> Finding:
    if not directory.is_dir():
        return Finding(what, Judgement.WRONG, f"there is no directory {directory}", way_out)
    free = shutil.disk_usage(directory).free
    said = f"{free / _GIGABYTE:.1f} GB free in {directory}"
    if free >= _LITTLE_FREE:
        return Finding(what, Judgement.FINE, said)
    return Finding(what, Judgement.WRONG if free < _LEAST_FREE else Judgement.NOTE, said, way_out)


def _place(location: str, group: str | None) -> Finding:
    """Creates and renames files there as a driver does, and removes them."""
    home = Home.at(location, group)
    directory = next(one for one in (home.path, *home.path.parents) if one.is_dir())
    probe = directory / f".nrt-probe-{uuid.uuid4().hex}"
    try:
        began = time.time()
        if not put_if_absent(probe, b"first") or put_if_absent(probe, b"second"):
            return Finding(
                "home", Judgement.WRONG, f"{directory} lets two writers create one file", "use a POSIX file system"
            )
        apart = abs(probe.stat().st_mtime - began)
        renamed = probe.with_name(f"{probe.name}-renamed")
        probe.rename(renamed)
        renamed.unlink()
    except PermissionError:
        return Finding(
            "home", Judgement.WRONG, f"this user can't write {directory}", "choose another --home, or the right user"
        )
    finally:
        probe.unlink(missing_ok=True)
    if apart > _CLOCKS_APART:
        said = f"the clock of {directory} is {apart:.0f} s away from that of this machine"
        return Finding("home", Judgement.NOTE, said, "let both follow one time server")
    return _space("home", directory, "make room there, or choose another --home")


def _driver(location: str, group: str | None) -> Finding:
    home = Home.at(location, group)
    if not home.report_file.exists():
        return Finding("driver", Judgement.FINE, "there is no home yet: the first start makes it")
    status = living_status(home)
    said = f"{status.driver}, report {status.report}, {status.entry + 1} log entries"
    if status.error is None:
        return Finding("driver", Judgement.FINE, said)
    return Finding("driver", Judgement.WRONG, f"{said}: {status.error}", f"airflow-nrt status --home {home.path}")


def _checkpoint(location: str, group: str | None) -> Finding:
    home = Home.at(location, group)
    entry = None
    if home.report_file.exists():
        entry = check_checkpoint(home.log())
        check_past(home.log())
    said = "there is none yet" if entry is None else f"after entry {entry}, as the log has it"
    return Finding("checkpoint", Judgement.FINE, said)


def _report(asked: CheckRequest, inquiry: Inquiry) -> Finding:
    found = answered(asked, Findings, inquiry)
    if found.problems:
        return Finding("report", Judgement.WRONG, "; ".join(found.problems))
    # The last line says that it is fine, those before are cautions.
    return Finding("report", Judgement.NOTE if found.lines[1:] else Judgement.FINE, "; ".join(found.lines))
