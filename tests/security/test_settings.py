"""Values that nobody may read: in command lines, in the home, in logs and in errors there are none."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pyspark
import pytest

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.basics.spark_properties import spark_properties
from airflow_nrt.cli.common import settings_of
from airflow_nrt.describe.description import describe
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.directories import make_directories
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import launch_failure
from airflow_nrt.hooks.nrt import NrtHook
from airflow_nrt.launch.settings_files import settings_files
from airflow_nrt.launch.start import LaunchFailedError
from airflow_nrt.launch.submission import Submission
from airflow_nrt.model.options.harmless_spark import HARMLESS
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.operators.command import Command, Outcome
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.supervision.supervision import Supervision
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.table.reports.load import load_report, plan_of_home
from airflow_nrt.triggers.driver import NrtDriverTrigger
from airflow_nrt.usecases.requests.verify import VerifyRequest

SCRIPT = """
CREATE TABLE orders (shop STRING, price DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders',
  'format' = 'json');
CREATE TABLE cheap (shop STRING, price DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = '${DATA}/cheap',
  'format' = 'json');
SET 'spark.hadoop.fs.s3a.secret.key' = '${STORE_SECRET}';
INSERT INTO cheap SELECT shop, price FROM orders WHERE shop = '${SHOP_PASSWORD}' AND shop <> '${NAMED}';
"""
SECRET, NAMED = "hunter'22,\nx", "nobody-reads-this"
HIDDEN = ("hunter", NAMED, "stored-away")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    (tmp_path / "cheap.sql").write_text(SCRIPT)
    return tmp_path / "cheap.sql"


def given(report: Path, **others: str) -> Settings:
    values = {"DATA": str(report.parent), "SHOP_PASSWORD": SECRET, "NAMED": NAMED, "STORE_SECRET": "stored-away"}
    return Settings(tuple({**values, **others}.items()), masked=("NAMED",))


def plan(report: Path, **others: str) -> Plan:
    return load_report(report, given(report, **others))


def texts_in(home: Home) -> str:
    return "".join(file.read_text() for file in home.path.rglob("*") if file.is_file())


def test_a_home_keeps_none(report: Path) -> None:
    home = Home.create(report.parent / "home", plan(report))
    kept = home.report_file.local.read_text()
    assert not any(hidden in texts_in(home) for hidden in HIDDEN)
    assert "${SHOP_PASSWORD}" in json.loads(kept)["script"]
    assert json.loads(kept)["settings"] == {"DATA": str(report.parent)}
    again = Home.create(report.parent / "other", plan(report)).report_file.local.read_text()
    assert json.loads(kept)["masks"]["hashes"] != json.loads(again)["masks"]["hashes"], "the salt is a home's own"


def test_masking_changes_nothing_of_what_a_home_is_made_for(report: Path) -> None:
    home = Home.create(report.parent / "home", plan(report))
    home.check_report(plan(report), plan_of_home)
    assert plan_of_home(home, given(report)).inserts == plan(report).inserts
    assert plan_of_home(home).inserts[0].name == "cheap", "a command that reads has no settings"


def test_another_value_is_a_change_and_not_told(report: Path) -> None:
    home = Home.create(report.parent / "home", plan(report))
    for name, value in (("SHOP_PASSWORD", "hunter23"), ("NAMED", "another-one")):
        with pytest.raises(InputError, match=f"the setting {name} has another value") as refused:
            home.check_report(plan(report, **{name: value}), plan_of_home)
        assert value not in str(refused.value) and not any(hidden in str(refused.value) for hidden in HIDDEN)


def test_a_password_that_no_result_depends_on_may_change(report: Path) -> None:
    home = Home.create(report.parent / "home", plan(report))
    home.check_report(plan(report, STORE_SECRET="renewed"), plan_of_home)


def test_changes_are_told_without_values(report: Path) -> None:
    home = Home.create(report.parent / "home", plan(report))
    report.write_text(SCRIPT.replace("AND shop <>", "OR shop <>"))
    with pytest.raises(InputError, match="computes something else") as refused:
        home.check_report(plan(report), plan_of_home)
    assert "'${SHOP_PASSWORD}') OR" in str(refused.value) and not any(hidden in str(refused.value) for hidden in HIDDEN)


def test_a_plan_is_described_without_values(report: Path) -> None:
    told = json.dumps(describe(plan(report, DATA="/of/nobody-reads-this")))
    assert "/of/${NAMED}/orders" in told and "shop <> '${NAMED}'" in told
    assert not any(hidden in told for hidden in HIDDEN)


def test_errors_in_a_report_are_told_without_values(report: Path) -> None:
    report.write_text(SCRIPT.replace("shop = '${SHOP_PASSWORD}'", "CAST('${SHOP_PASSWORD}' AS INTERVAL) = shop"))
    with pytest.raises(InputError) as wrong:
        plan(report)
    assert not any(hidden in str(wrong.value) for hidden in HIDDEN)


def test_homes_of_an_older_format_open_and_go_on(report: Path) -> None:
    """As format 2 had it: the script filled, all settings as they are."""
    home = Home.create(report.parent / "home", plan(report, SHOP_PASSWORD="plain"))
    content = json.loads(home.report_file.local.read_text())
    del content["masks"], content["unsafe"]
    filled = SCRIPT.replace("${DATA}", str(report.parent)).replace("${SHOP_PASSWORD}", "plain")
    content |= {"format": 2, "script": filled.replace("${NAMED}", NAMED).replace("${STORE_SECRET}", "stored-away")}
    content["fingerprint"] = {"insert into cheap, SELECT 1": "in other words"}
    content["settings"] = {"spark.hadoop.fs.s3a.secret.key": "stored-away"}
    home.report_file.local.write_text(json.dumps(content))
    home.check_report(plan(report, SHOP_PASSWORD="plain"), plan_of_home)
    with pytest.raises(InputError, match="WHERE: ") as refused:
        home.check_report(plan(report, SHOP_PASSWORD="hunter22"), plan_of_home)
    assert "hunter22" not in str(refused.value)


@pytest.mark.parametrize("masks", [{"salt": 1}, {"salt": "x"}, {"hashes": {"A": 1}}, {"hashes": []}, []])
def test_masks_that_are_none_are_unreadable(report: Path, masks: object) -> None:
    home = Home.create(report.parent / "home", plan(report))
    home.report_file.local.write_text(json.dumps({**json.loads(home.report_file.local.read_text()), "masks": masks}))
    with pytest.raises(HomeError, match="can't be read"):
        Home.open(home.path)


# ---------------------------------------------------------------------------------------------------- command lines

_SUBMIT = """#!/bin/sh
umask 0
for argument do
  case "$last" in --settings|--properties-file) stat -c "mode %a" "$argument"; cat "$argument"; echo;; esac
  last="$argument"
done
echo "line $*"
env | sed 's/^/variable /'
"""


@pytest.mark.process
def test_a_launch_has_none_in_a_command_line_and_no_file_of_it_stays(tmp_path: Path) -> None:
    """`spark-submit` is a stub, which says what it was given, and by whom it can be read. A group shares the home."""
    binary = tmp_path / "bin" / "spark-submit"
    binary.parent.mkdir()
    binary.write_text(_SUBMIT)
    binary.chmod(0o755)
    home = Home.at(tmp_path / "home", str(os.getegid()))
    make_directories(home.path, home.group)
    make_private(home.launches.local)
    (home.launches.local / "2.settings").write_text("of a launcher that was killed")
    settings = Settings((("SHOP_PASSWORD", SECRET),)).to_json()
    submission = Submission(
        {"conn_type": "spark", "host": "local[1]", "extra": {}}, "driver.py",
        {"name": "x", "application_args": ["--report", "x.sql"]}, {"spark.hadoop.a.secret": "stored-away"}, settings,
    )  # fmt: skip
    here = {**os.environ, "VAULT_TOKEN": "of-the-worker", "AIRFLOW__CORE__FERNET_KEY": "of-airflow"}
    ended = subprocess.run(
        [sys.executable, "-c", _LAUNCH.format(path=str(binary.parent)), str(home.path), "3", str(os.getegid())],
        input=submission.to_json(), env=here, text=True, capture_output=True, check=False,
    )  # fmt: skip
    told = ended.stderr
    (line,) = [one for one in told.splitlines() if one.startswith("line ")]
    assert "--load-spark-defaults" in line and "3.settings" in line and not any(hidden in line for hidden in HIDDEN)
    assert [told.count(f"mode {mode}\n") for mode in (600, 660)] == [1, 1]
    assert "spark.hadoop.a.secret=stored-away" in told and settings in told
    assert "variable SPARK_LOCAL_IP=127.0.0.1" in told
    assert "of-the-worker" not in told and "of-airflow" not in told
    assert list(home.launches.local.iterdir()) == []


_LAUNCH = """
import shutil, sys
from airflow_nrt.launch import launcher
launcher.spark_environment = lambda binary: {{"PATH": "{path}:/usr/bin:/bin"}}
sys.exit(launcher.main(*sys.argv[1:]))
"""


def test_files_of_a_launch_are_their_owner_s_whatever_stands_there(tmp_path: Path) -> None:
    home, target = Home.at(tmp_path), tmp_path / "target"
    home.launches.local.mkdir()
    target.write_text("untouched")
    (home.launches.local / "1.settings").symlink_to(target)
    with settings_files(home, "1", Submission({}, "x", {}, {"spark.a": "b"}, "{}")) as files:
        assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]
    assert target.read_text() == "untouched"
    assert not any(file.exists() for file in files)


def test_a_cluster_may_start_its_driver_anew_and_the_next_launch_takes_the_file_away(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    elsewhere = Submission({"extra": {"deploy-mode": "cluster"}}, "x", {}, {"spark.a": "b"}, "{}")
    for number in ("1", "2"):
        with settings_files(home, number, elsewhere):
            pass
    assert [file.name for file in home.launches.local.iterdir()] == ["2.settings"]


@pytest.mark.process
def test_a_batch_task_has_none_in_its_command_line_or_its_log(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[Command] = []

    def run(command: Command) -> Outcome:
        commands.append(command)
        return Outcome(0, {})

    monkeypatch.setattr(Command, "run", run)
    conf = {"conn_type": "nrt", "extra": {"conf": '{"spark.hadoop.b.token": "of-the-connection"}'}}
    monkeypatch.setenv("AIRFLOW_CONN_SECRETIVE", json.dumps(conf))
    operator = NrtVerifyOperator(
        task_id="verify", report=str(report), home=str(report.parent / "home"), settings=dict(given(report).values),
        masked_settings=["NAMED"], nrt_conn_id="secretive",
    )  # fmt: skip
    about: Any = {"ti": SimpleNamespace(xcom_push={}.__setitem__)}
    operator.run_batch(VerifyRequest(operator.batch_request(about, operator.planned(), None)))
    (command,) = commands
    assert not any(hidden in " ".join(command._arguments) for hidden in (*HIDDEN, "of-the-connection"))
    handed = Settings.from_json(command._settings.to_json())
    assert dict(handed.values).items() >= {"NAMED": NAMED, "spark.hadoop.b.token": "of-the-connection"}.items()
    assert handed.shown(f"it says {NAMED}") == "it says ${NAMED}"


@pytest.mark.process
def test_a_command_is_given_its_settings_by_its_pipe(report: Path) -> None:
    lines: list[str] = []
    found = Command(["plan", str(report), "--json"], lines.append, given(report)).run().result
    assert str(report.parent / "orders") in json.dumps(found)
    assert not any(hidden in json.dumps([found["settings"], lines]) for hidden in HIDDEN)


# ---------------------------------------------------------------------------------------------------- errors


@pytest.mark.process
def test_a_driver_that_can_t_begin_says_so_without_values(tmp_path: Path) -> None:
    """The note is read by the task, whose trigger's reason is kept in Airflow's database."""
    (tmp_path / "report.sql").write_text(SCRIPT.replace("${DATA}/orders", "/nowhere/${NAMED}"))
    (tmp_path / "settings").write_text(given(tmp_path / "report.sql").to_json())
    ended = subprocess.run(
        [sys.executable, "-m", "airflow_nrt.engine.main", "--report", str(tmp_path / "report.sql"), "--launch", "1",
         "--home", str(tmp_path / "home"), "--settings", str(tmp_path / "settings")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    note = launch_failure(Home.at(tmp_path / "home"), "1")
    assert note is not None and "/nowhere/${NAMED}" in note.error
    assert "/nowhere/${NAMED}" in ended.stderr and NAMED not in ended.stderr


def test_a_launch_that_failed_is_kept_without_values(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Supervision) -> None:
        raise LaunchFailedError(f"Java has printed {NAMED}", False)

    class Deferred(Exception):
        pass

    def defer(trigger: NrtDriverTrigger, **_: Any) -> None:
        raise Deferred(trigger.lost)

    operator = NrtStreamOperator(
        task_id="stream", report=str(report), settings={"NAMED": NAMED}, masked_settings=["NAMED"]
    )
    monkeypatch.setattr(NrtStreamOperator, "defer", staticmethod(defer))
    monkeypatch.setattr(Supervision, "_ensure_driver", fail)
    with pytest.raises(Deferred, match=r"^Java has printed \$\{NAMED\}$"):
        Supervision(operator, {}, Home.at(report.parent / "home"), True).ensure([])  # type: ignore[typeddict-item]


def test_a_malformed_conf_does_not_print_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_BAD", json.dumps({"conn_type": "nrt", "extra": {"conf": '{"a": "hunter22"'}}))
    with pytest.raises(InputError, match="conf must be a JSON object") as wrong:
        NrtHook("bad").cluster()
    assert "hunter22" not in str(wrong.value)


def test_an_argument_that_is_no_setting_does_not_print_itself() -> None:
    class Options:
        set, unsafe_set = ("A=1", "hunter22"), ()

    with pytest.raises(InputError, match=r"--set wants K=V: there is no '=' in its argument number 2") as wrong:
        settings_of(Options())  # type: ignore[arg-type]
    assert "hunter22" not in str(wrong.value)


def test_settings_travel_whole_after_they_were_shown(report: Path) -> None:
    """Plans are made in processes of their own."""
    settings = given(report)
    assert settings.shown(f"'{NAMED}'") == "'${NAMED}'"
    assert pickle.loads(pickle.dumps(settings)) == settings == Settings.from_json(settings.to_json())


def test_settings_do_not_print_themselves(report: Path) -> None:
    assert not any(hidden in repr(given(report)) for hidden in HIDDEN)
    with pytest.raises(ValueError, match="no settings") as wrong:
        Settings.from_json('{"values": "hunter22"}')
    assert "hunter22" not in str(wrong.value)


# ---------------------------------------------------------------------------------------------------- Spark's own

CHOOSING = (
    *(
        "spark.driver.extraJavaOptions",
        "spark.executor.defaultJavaOptions",
        "spark.driver.extraClassPath",
        "spark.jars",
        "spark.sql.adaptive.customCostEvaluatorClass",
        "spark.sql.adaptive.optimizer.excludedRules",
    ),
    *("spark.jars", "spark.jars.packages", "spark.plugins", "spark.sql.extensions", "spark.files", "spark.archives"),
    *("spark.submit.pyFiles", "spark.pyspark.python", "spark.local.dir", "spark.eventLog.dir", "spark.driver.host"),
    *("spark.memory.mine", "spark.speculation.mine", "spark.sql.join.x\nspark.plugins", "spark.driver.memoryOverhead "),
    *("spark.hadoop.fs.file.impl", "spark.authenticate", "spark.master", "spark.driver.port", "spark.unknown.yet"),
)


@pytest.mark.parametrize("name", CHOOSING)
def test_what_chooses_code_or_paths_is_not_taken_from_a_task_s_settings(report: Path, name: str) -> None:
    operator = NrtVerifyOperator(task_id="verify", report=str(report), settings={name: "evil"})
    with pytest.raises(
        InputError, match=f"the setting {re.escape(repr(name))} is not taken from a task's settings.*`conf` of the"
    ):
        operator.report_settings()


def test_no_name_of_spark_s_own_that_is_harmless_says_that_it_chooses_code_or_a_place() -> None:
    choosing = re.compile("(Class|Rule|Extension|Plugin|Option|Path|Dir|Command|Script|Jar|Host|Uri|Url)s?$", re.I)
    jars = Path(pyspark.__file__).parent.glob("jars/spark-[csu]*.jar")
    classes = (content.read(name) for jar in jars for content in [ZipFile(jar)] for name in _of_settings(content))
    names = {found.decode() for code in classes for found in re.findall(rb"spark\.[A-Za-z0-9_.]+", code)}
    assert "spark.sql.adaptive.customCostEvaluatorClass" in names and len(names) > 500
    assert not [name for name in HARMLESS if choosing.search(name)]
    # Some are made of parts of names, or in a jar of their own.
    assert HARMLESS - names <= {"spark.sql.ansi.enabled", "spark.sql.caseSensitive", "spark.sql.session.timeZone"}


def _of_settings(jar: ZipFile) -> list[str]:
    return [one for one in jar.namelist() if one.endswith(".class") and ("/config/" in one or "/SQLConf" in one)]


def test_sizes_are_taken_and_nothing_that_looks_otherwise(report: Path) -> None:
    def settings(**values: Any) -> Settings:
        named = {f"spark.{name.replace('_', '.')}": value for name, value in values.items()}
        return NrtVerifyOperator(task_id="verify", report=str(report), settings=named).report_settings()

    assert dict(settings(driver_memory="2g", sql_shuffle_partitions=8).values)["spark.sql.shuffle.partitions"] == "8"
    with pytest.raises(InputError, match=r"the setting 'spark\.driver\.memory' has a value that is not a number"):
        settings(driver_memory="2g -agentpath:/tmp/evil.so")


def test_properties_are_read_by_java_as_they_are() -> None:
    told = spark_properties({"spark.a b=c:d": " x\n#y=\\z", "spark.ü": "é"})
    assert told.decode() == "spark.a\\ b\\=c\\:d=\\ x\\n#y=\\\\z\nspark.ü=é\n"


def test_the_fixture_of_the_first_format_still_opens(tmp_path: Path) -> None:
    archive = Path(__file__).parents[1] / "home" / "homes" / "format-1.tar.gz"
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as content:
        content.extractall(tmp_path, filter="data")
    identity = Home.open(tmp_path / "home").identity()
    assert identity.masks.hashes == {} and identity.given(Settings()).masked == ()


def test_airflow_is_told_what_to_hide(report: Path) -> None:
    """Before it shows the rendered fields, and in whatever the task logs."""
    from airflow.sdk.log import redact

    operator = NrtVerifyOperator(
        task_id="verify", report=str(report), settings={"NAMED": "{{ value }}"}, masked_settings=["NAMED"]
    )
    operator.render_template_fields({"value": "rendered-and-hidden"})  # type: ignore[typeddict-unknown-key]
    assert "rendered-and-hidden" not in str(redact("it is rendered-and-hidden"))


def test_airflow_is_told_what_a_connection_masks_before_it_shows_rendered_fields(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airflow.sdk.log import redact

    monkeypatch.setenv("AIRFLOW_CONN_MASKING", '{"conn_type": "nrt", "extra": {"masked_settings": "A, PIN"}}')
    operator = NrtVerifyOperator(
        task_id="verify", report=str(report), settings={"PIN": "{{ value }}"}, nrt_conn_id="masking"
    )
    operator.render_template_fields({"value": "masked-by-connection"})  # type: ignore[typeddict-unknown-key]
    assert "masked-by-connection" not in str(redact("it is masked-by-connection"))


@pytest.mark.parametrize("parameter", ["masked_settings", "unsafe_settings"])
def test_names_are_a_list(report: Path, parameter: str) -> None:
    with pytest.raises(ValueError, match=rf"{parameter} is a list of names: write {parameter}=\['PIN'\]"):
        NrtVerifyOperator(task_id="verify", report=str(report), **{parameter: "PIN"})
