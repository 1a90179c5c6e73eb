"""The wheel, installed as a user does, without a lock."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from airflow_nrt.basics.spark_version import SPARK_VERSION
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.get_provider_info import get_provider_info
from tests.cli.place import REPORT, furnish

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module", params=["uv", pytest.param("pip", marks=pytest.mark.thorough)])
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel and what is taken for it today. What builds the wheel is that of the lock.

    uv has most of it already, pip fetches half a gigabyte.
    """
    place = tmp_path_factory.mktemp("installed")
    python, builder, wheels = place / "env" / "bin" / "python", place / "tools" / "bin" / "python", place / "wheels"
    for environment in ("env", "tools"):
        run(sys.executable, "-m", "venv", place / environment)
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
    probe = (*pip, "--timeout", "10", "--retries", "1", "download", "--no-deps", "--dest", place / "probe", "hatchling")
    if (answer := run(*probe, check=False)).returncode:
        pytest.skip(f"no package index can be reached: {answer.stderr.strip()[-200:]}")
    tools = (builder, *pip[1:])
    run(*tools, "install", "--no-compile", "--require-hashes", "-r", ROOT / "requirements" / "tools.lock")
    run(*tools, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, ROOT)
    by_uv = (place / "tools" / "bin" / "uv", "pip", "install", "--quiet", "--python", python)
    run(*(by_uv if request.param == "uv" else (*pip, "install", "--no-compile")), *wheels.iterdir())
    return place / "env"


def run(*command: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """A command that knows nothing of the environment of this test but its Java."""
    others = ("PYTHONPATH", "SPARK_HOME", "SPARK_SUBMIT_OPTS", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in others}
    words = [str(word) for word in command]
    answer = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert not check or answer.returncode == 0, f"{words}\n{answer.stdout}\n{answer.stderr}"
    return answer


def test_one_spark_is_taken_of_which_no_file_is_overwritten(installed: Path) -> None:
    """Proves what is chosen from the index of the day, and that each file of both packages is what they came with."""
    (site,) = installed.glob("lib/python*/site-packages")
    run(installed / "bin" / "python", "-m", "pip", "check")
    for name in ("pyspark", "pyspark-client"):
        (package,) = distributions(name=name, path=[str(site)])
        assert package.version == SPARK_VERSION
        hashed = [file for file in package.files or () if file.hash is not None]
        assert len(hashed) > 300
        assert [str(file) for file in hashed if file.hash.value != sha256(Path(str(file.locate())))] == []


def test_the_license_and_the_notice_are_in_the_wheel(installed: Path) -> None:
    (site,) = installed.glob("lib/python*/site-packages")
    (package,) = distributions(name="airflow-nrt", path=[str(site)])
    for name in ("LICENSE", "NOTICE", "airflow_nrt/page/static/uplot/LICENSE"):
        (file,) = [one for one in package.files or () if str(one).endswith(f".dist-info/licenses/{name}")]
        assert Path(str(file.locate())).read_bytes() == (ROOT / name).read_bytes()


def test_the_examples_are_in_the_wheel(installed: Path) -> None:
    (site,) = installed.glob("lib/python*/site-packages")
    examples = site / "airflow_nrt" / "demo" / "dags"
    wanted = {
        file.relative_to(ROOT / "dags") for suffix in ("py", "sql") for file in (ROOT / "dags").rglob(f"*.{suffix}")
    }
    assert Path("reports", "orders_curve.sql") in wanted
    for name in wanted:
        assert (examples / name).read_bytes() == (ROOT / "dags" / name).read_bytes()
    where = "from airflow_nrt.demo import example_dags; print(example_dags())"
    assert run(installed / "bin" / "python", "-I", "-c", where).stdout.strip() == str(examples)


def test_airflow_shows_where_the_documentation_is(installed: Path, tmp_path: Path) -> None:
    asked = f"""
import os
os.environ["AIRFLOW_HOME"] = {str(tmp_path)!r}
from airflow.providers_manager import ProvidersManager
print(ProvidersManager().providers["airflow-nrt"].data["documentation-url"])
"""
    told = run(installed / "bin" / "python", "-I", "-c", asked).stdout.splitlines()[-1]
    assert told == get_provider_info()["integrations"][0]["external-doc-url"]


def test_the_files_of_the_page_are_in_the_wheel(installed: Path) -> None:
    (site,) = installed.glob("lib/python*/site-packages")
    static = Path("airflow_nrt", "page", "static")
    files = [one.relative_to(ROOT) for one in (ROOT / static).rglob("*") if one.is_file()]
    assert static / "index.html" in files and static / "uplot" / "uPlot.iife.min.js" in files
    assert [str(one) for one in files if not (site / one).is_file()] == []


def sha256(file: Path) -> str:
    digest = hashlib.sha256(file.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@pytest.mark.thorough
def test_a_class_archive_is_made_once(installed: Path) -> None:
    told = run(installed / "bin" / "airflow-nrt", "prepare").stdout
    (file,) = (installed / "share" / "airflow-nrt").glob("*.jsa")
    assert told == f"class archive: {file}\n"
    made = file.stat().st_mtime_ns
    assert run(installed / "bin" / "airflow-nrt", "prepare").stdout == told
    assert file.stat().st_mtime_ns == made


def test_a_query_runs_there(installed: Path, tmp_path: Path) -> None:
    ensure_java()
    furnish(tmp_path)
    (tmp_path / "ddl.sql").write_text(REPORT.partition("CREATE TABLE curve")[0])
    (tmp_path / "query.sql").write_text("SELECT shop, COUNT(*) AS orders FROM orders GROUP BY shop")
    question = ("query", "--ddl", tmp_path / "ddl.sql", "--query", tmp_path / "query.sql", "--mode", "batch")
    answer = run(installed / "bin" / "airflow-nrt", *question, "--master", "local[1]")
    rows = {row["shop"]: row["orders"] for row in map(json.loads, answer.stdout.splitlines())}
    assert rows == {"a": 4, "b": 2}
