"""What a command line leaves out: flags before variables, variables before files, the file beside the report first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.cli.config.config_files import read_config
from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish
from tests.docs.pages import DOCS, examples_of

PLACEHOLDER = REPORT.replace("'path' = 'orders'", "'path' = '${DATA}/orders'")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own file, which is not there yet. The working directory is empty."""
    for name in ("HOME", "MASTER", "GROUP", "SETTINGS"):
        monkeypatch.delenv(f"AIRFLOW_NRT_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    file = tmp_path / "config" / "airflow-nrt" / "airflow_nrt.toml"
    file.parent.mkdir(parents=True)
    return file


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """The file beside the report `curve.sql`, which is not there yet."""
    furnish(tmp_path, PLACEHOLDER)
    return tmp_path / "airflow_nrt.toml"


def planned_path(command: Command, beside: Path, *options: str) -> str:
    """Where the plan of the report reads, which the setting DATA decides."""
    answer = command("plan", beside.with_name("curve.sql"), "--json", *options)
    assert answer.status == 0, answer.err
    path: str = json.loads(answer.out)["sources"][0]["path"]
    return path


def test_settings(command: Command, user: Path, beside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write_text('[settings]\nDATA = "/of/user"\n')
    assert planned_path(command, beside) == "/of/user/orders"
    beside.write_text('[settings]\nDATA = "/of/report"\n"table.local-time-zone" = "Asia/Shanghai"\n')
    assert planned_path(command, beside) == "/of/report/orders"
    monkeypatch.setenv("AIRFLOW_NRT_SETTINGS", '{"DATA": "/of/variable"}')
    assert planned_path(command, beside) == "/of/variable/orders"
    assert planned_path(command, beside, "--set", "DATA=/of/flag") == "/of/flag/orders"


def chosen_home(command: Command, *arguments: object) -> str:
    """The home that a command looks for in vain."""
    answer = command(*arguments)
    assert answer.status == 2
    return answer.err.removeprefix("airflow-nrt: ").partition(" is no home of a report")[0]


def test_the_home_of_a_command_without_a_report(command: Command, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write_text('home = "of-user"\n')
    assert chosen_home(command, "status") == str(user.parent / "of-user")
    Path("airflow_nrt.toml").write_text('home = "of-directory"\n')
    assert chosen_home(command, "windows") == str(Path.cwd() / "of-directory")
    monkeypatch.setenv("AIRFLOW_NRT_HOME", "/of/variable")
    assert chosen_home(command, "status") == "/of/variable"
    assert chosen_home(command, "status", "--home", "/of/flag") == "/of/flag"


@pytest.mark.process
def test_a_home_for_each_report(command: Command, user: Path, beside: Path) -> None:
    beside.write_text(f'home = "homes/{{report}}"\nmaster = "none"\n[settings]\nDATA = "{beside.parent}"\n')
    report = beside.with_name("curve.sql")
    assert "there is no Spark master 'none'" in command("run", report).err
    other = beside.parent / "homes" / "curve" / "notes.txt"
    other.parent.mkdir(parents=True)
    other.touch()
    assert f"{other.parent} is not empty and no home of a report" in command("run", report).err
    Path("airflow_nrt.toml").write_text('home = "/homes/{report}"\n')
    answer = command("status")
    assert answer.status == 2
    assert "the home /homes/{report} belongs to many reports: choose one with --home" in answer.err


def test_no_home(command: Command, user: Path) -> None:
    answer = command("status")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == (
        'airflow-nrt: no home: give --home DIR, set AIRFLOW_NRT_HOME, or write `home = "DIR"` into airflow_nrt.toml\n'
    )


def test_check_looks_at_no_home_that_it_is_not_given(command: Command, user: Path, beside: Path) -> None:
    beside.write_text('home = "orders/inside"\n[settings]\nDATA = "/data"\n')
    assert command("check", beside.with_name("curve.sql")).status == 0


WRONG = {
    "a key": ('hom = "x"', "there is no key 'hom'; did you mean 'home'?"),
    "a far key": ("colour = 1", "there is no key 'colour': there are home, master, group, settings"),
    "a type": ("master = 3", 'master is a text, as in master = "…"'),
    "settings": ('settings = "x"', "`settings` is a table"),
    "a setting": ("[settings]\ntable.zone = 'x'", "the setting 'table' is a text: write it between quotes"),
    "no TOML": ("home = ", "can't read "),
    "no text": ("\0", "can't read "),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_a_file_can_not_say(command: Command, user: Path, what: str) -> None:
    text, message = WRONG[what]
    user.write_text(text)
    answer = command("status")
    assert (answer.status, answer.out) == (2, "") and str(user) in answer.err and message in answer.err


def test_settings_that_are_none(command: Command, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("DATA=/x", "[]", '{"DATA": 1}'):
        monkeypatch.setenv("AIRFLOW_NRT_SETTINGS", text)
        answer = command("status")
        assert answer.status == 2 and "AIRFLOW_NRT_SETTINGS is an object of JSON whose values are texts" in answer.err


def test_a_file_that_others_can_write_is_not_trusted(command: Command, user: Path) -> None:
    user.write_text('home = "/of/somebody"\n')
    user.chmod(0o666)
    answer = command("status")
    assert answer.status != 0 and f"{user} can be written by everybody, so it is not trusted" in answer.err


def test_a_link_is_not_followed(command: Command, user: Path) -> None:
    user.symlink_to(user.with_name("other.toml"))
    answer = command("status")
    assert answer.status != 0 and f"{user} is a link, which is not followed" in answer.err


def test_the_documented_file(tmp_path: Path) -> None:
    (example,) = [one for one in examples_of(DOCS / "reference" / "configuration.md") if one.title]
    (tmp_path / example.title).write_text(example.text)
    config = read_config(tmp_path / example.title)
    assert (config.home, config.master) == (str(tmp_path / "homes" / "{report}"), "local[2]")
    assert config.settings == {"DATA": "/data", "table.local-time-zone": "Europe/Berlin"}
