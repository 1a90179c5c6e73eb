"""The wheel, installed as a user does, without a lock."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import tarfile
from importlib.metadata import distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

from airflow_nrt.basics.spark_version import SPARK_VERSION
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.get_provider_info import get_provider_info
from tests.cli.place import REPORT, furnish
from tests.packages import ROOT, Tools, run

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel has, as an installer lays it down."""
    site = tmp_path_factory.mktemp("site")
    ZipFile(wheel).extractall(site)
    return site


@pytest.fixture(scope="module", params=["uv", "pip"])
def installed(
    request: pytest.FixtureRequest, wheel: Path, tools: Tools, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A new environment with the wheel and what is taken for it today, half a gigabyte."""
    environment = tmp_path_factory.mktemp("installed") / "env"
    run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    by_uv = (tools.place / "bin" / "uv", "pip", "install", "--quiet", "--python", python)
    by_pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-compile")
    run(*(by_uv if request.param == "uv" else by_pip), wheel)
    return environment


@pytest.mark.thorough
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


def test_the_license_and_the_notice_are_in_the_wheel(unpacked: Path) -> None:
    (package,) = distributions(name="airflow-nrt", path=[str(unpacked)])
    for name in ("LICENSE", "NOTICE", "airflow_nrt/page/static/uplot/LICENSE"):
        (file,) = [one for one in package.files or () if str(one).endswith(f".dist-info/licenses/{name}")]
        assert Path(str(file.locate())).read_bytes() == (ROOT / name).read_bytes()


def test_the_source_distribution_has_what_makes_the_wheel_and_no_more(
    sdist: Path, wheel: Path, tools: Tools, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert {one.name for one in unpacked.iterdir()} == {
        "airflow_nrt", "dags", "pyproject.toml", "PKG-INFO", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE",
        "NOTICE", ".gitignore",
    }  # fmt: skip
    assert [str(one) for one in unpacked.rglob("*") if one.suffix in (".pyc", ".jar", ".class")] == []
    again = tools.build("wheel", unpacked, "wheel-of-sdist")
    assert content_of(again) == content_of(wheel)


def content_of(wheel: Path) -> dict[str, int]:
    """The files of a wheel, each with the checksum of its content."""
    return {one.filename: one.CRC for one in ZipFile(wheel).infolist()}


def test_the_examples_are_in_the_wheel(unpacked: Path) -> None:
    examples = unpacked / "airflow_nrt" / "demo" / "dags"
    wanted = {
        file.relative_to(ROOT / "dags") for suffix in ("py", "sql") for file in (ROOT / "dags").rglob(f"*.{suffix}")
    }
    assert Path("reports", "orders_curve.sql") in wanted
    for name in wanted:
        assert (examples / name).read_bytes() == (ROOT / "dags" / name).read_bytes()
    where = (
        f"import sys; sys.path[:0] = [{str(unpacked)!r}]; from airflow_nrt.demo import example_dags as of; print(of())"
    )
    assert run(sys.executable, "-I", "-c", where).stdout.strip() == str(examples)


@pytest.mark.thorough
def test_airflow_shows_where_the_documentation_is(installed: Path, tmp_path: Path) -> None:
    asked = f"""
import os
os.environ["AIRFLOW_HOME"] = {str(tmp_path)!r}
from airflow.providers_manager import ProvidersManager
print(ProvidersManager().providers["airflow-nrt"].data["documentation-url"])
"""
    told = run(installed / "bin" / "python", "-I", "-c", asked).stdout.splitlines()[-1]
    assert told == get_provider_info()["integrations"][0]["external-doc-url"]


def test_the_files_of_the_page_are_in_the_wheel(unpacked: Path) -> None:
    static = Path("airflow_nrt", "page", "static")
    files = [one.relative_to(ROOT) for one in (ROOT / static).rglob("*") if one.is_file()]
    assert static / "index.html" in files and static / "uplot" / "uPlot.iife.min.js" in files
    assert [str(one) for one in files if not (unpacked / one).is_file()] == []


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


@pytest.mark.thorough
def test_a_query_runs_there(installed: Path, tmp_path: Path) -> None:
    ensure_java()
    answer = run(*question(installed, tmp_path))
    assert rows_of(answer.stdout) == {"a": 4, "b": 2}


@pytest.mark.thorough
def test_without_a_java_the_extra_brings_one(installed: Path, wheel: Path, tools: Tools, tmp_path: Path) -> None:
    asked = question(installed, tmp_path)
    lacking = {"JAVA_HOME": None, "PATH": str(path_without("java", tmp_path / "bin"))}
    refused = run(*asked, check=False, environment=lacking)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Spark needs Java 17 to 23" in refused.stderr and "pip install 'airflow-nrt[java]'" in refused.stderr
    run(
        tools.place / "bin" / "uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        installed / "bin" / "python",
        f"{wheel}[java]",
    )
    assert rows_of(run(*asked, environment=lacking).stdout) == {"a": 4, "b": 2}


def question(installed: Path, place: Path) -> list[object]:
    """The command of a small query, whose data are in this directory."""
    furnish(place)
    (place / "ddl.sql").write_text(REPORT.partition("CREATE TABLE curve")[0])
    (place / "query.sql").write_text("SELECT shop, COUNT(*) AS orders FROM orders GROUP BY shop")
    words = ("query", "--ddl", place / "ddl.sql", "--query", place / "query.sql", "--mode", "batch")
    return [installed / "bin" / "airflow-nrt", *words, "--master", "local[1]"]


def rows_of(output: str) -> dict[str, int]:
    return {row["shop"]: row["orders"] for row in map(json.loads, output.splitlines())}


def path_without(name: str, place: Path) -> Path:
    """A directory with all programs of the PATH but one."""
    place.mkdir()
    for directory in os.environ["PATH"].split(os.pathsep):
        for file in Path(directory).glob("*"):
            if file.name != name and not (place / file.name).exists():
                (place / file.name).symlink_to(file)
    return place
