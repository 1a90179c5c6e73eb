"""How a driver is submitted: by master and deploy mode."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.home.home import Home
from airflow_nrt.launch.engine import PARTS, place_engine, place_report
from airflow_nrt.launch.submission import Cluster, Submission, driver_submission
from airflow_nrt.sql.load import load_report
from tests.launch.homes import REPORT, new_home

ARGUMENTS = ["--report", "/reports/orders.sql"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def submit(home: Home, master: str, mode: str | None = None) -> Submission:
    return driver_submission(Cluster({"host": master}, master, mode), home, "orders", ARGUMENTS)


def test_local_and_client_mode_run_the_driver_file_with_the_engine_beside_it(home: Home) -> None:
    driver, package = place_engine(home)
    for master in ("local[*]", "spark://h:7077"):
        submission = submit(home, master, "client")
        assert submission.application == str(driver)
        assert submission.hook["py_files"] == str(package)
        assert submission.hook["application_args"][:4] == [*ARGUMENTS, "--home", str(home.path)]


def test_cluster_mode_runs_spark_s_runner_of_python_files(home: Home) -> None:
    driver, package = place_engine(home)
    submission = submit(home, "spark://h:7077", "cluster")
    assert Path(submission.application).name.startswith("spark-core_")
    assert submission.hook["java_class"] == "org.apache.spark.deploy.PythonRunner"
    assert submission.hook["application_args"][:4] == [str(driver), str(package), *ARGUMENTS]
    assert submission.conf["spark.submit.pyFiles"] == str(package)
    assert submission.rest_address() == "http://h:6066"


def test_java_options_are_spark_s_defaults_which_a_user_can_change(home: Home) -> None:
    assert submit(home, "yarn").conf == DEFAULT_JAVA_OPTIONS
    (driver, executor) = DEFAULT_JAVA_OPTIONS
    chosen = Cluster({"host": "yarn"}, "yarn", conf={executor: "-Xss8m"})
    assert driver_submission(chosen, home, "orders", ARGUMENTS).conf == {
        driver: DEFAULT_JAVA_OPTIONS[driver],
        executor: "-Xss8m",
    }


def test_the_engine_is_packed_once_and_always_the_same(home: Home) -> None:
    first = place_engine(home)
    content = first[1].read_bytes()
    assert place_engine(home) == first
    assert first[1].read_bytes() == content
    assert len(list(home.launches.local.iterdir())) == 2


@pytest.mark.process
def test_the_packed_engine_holds_what_a_driver_needs_and_nothing_of_airflow(home: Home) -> None:
    _, package = place_engine(home)
    with zipfile.ZipFile(package) as archive:
        names = archive.namelist()
    folders = {name.split("/")[1] for name in names}
    assert folders <= {"__init__.py", "__init__.pyc", *PARTS}
    assert {"airflow_nrt/engine/main.py", "airflow_nrt/engine/main.pyc"} <= {*names}
    imports = "import airflow_nrt, airflow_nrt.engine.java.java_class as java, airflow_nrt.engine.driver.run as run"
    probe = f"{imports}; assert java.source('LocalFiles'); print(airflow_nrt.__file__)"
    run = subprocess.run(
        [sys.executable, "-c", probe],
        env={"PYTHONPATH": str(package)},
        cwd=home.path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith(str(package))


@pytest.mark.process
def test_errors_of_the_packed_engine_name_lines_of_the_program(home: Home, tmp_path: Path) -> None:
    _, package = place_engine(home)
    program = tmp_path / "report.py"
    program.write_text("def build(t_env):\n    t_env.from_path(3)\n")
    probe = "import sys; from airflow_nrt.table.reports.load import load_report; load_report(sys.argv[1])"
    run = subprocess.run(
        [sys.executable, "-c", probe, str(program)],
        env={"PYTHONPATH": str(package)},
        cwd=home.path,
        capture_output=True,
        text=True,
    )
    assert "SqlError: report.py, line 2: " in run.stderr


def test_a_submission_travels_whole_or_not_at_all(home: Home) -> None:
    submission = submit(home, "local[2]")
    text = submission.to_json()
    assert Submission.from_json(text) == submission
    for part in ("", text[: len(text) // 2], "{}"):
        with pytest.raises(ValueError):
            Submission.from_json(part)


def test_a_secret_of_the_connection_never_reaches_the_disk(home: Home) -> None:
    cluster = Cluster({"host": "local[1]", "password": "s3cret-of-spark"}, "local[1]")
    driver_submission(cluster, home, "orders", ARGUMENTS)
    assert not [file for file in home.path.rglob("*") if file.is_file() and b"s3cret-of-spark" in file.read_bytes()]


def test_a_report_s_copy_in_the_home_is_the_same_report(home: Home, tmp_path: Path) -> None:
    report = tmp_path / "dags" / "orders_curve.sql"
    report.parent.mkdir()
    report.write_text(REPORT.read_text().replace("${DATA}", "data"))
    copy = place_report(home, report)
    assert copy.parent == home.launches.local and copy == place_report(home, report)
    assert load_report(copy, name=report.stem, base=report.parent) == load_report(report)
    report.unlink()
    assert (
        load_report(copy, name="orders_curve", base=report.parent)
        .source("orders")
        .table.path.startswith(str(tmp_path / "dags" / "data"))
    )
