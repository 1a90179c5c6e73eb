"""Parts of Spark of different versions are found before a session starts, and the way out is named."""

from __future__ import annotations

import re
from pathlib import Path

import pyspark
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spark_version import REINSTALL, SPARK_VERSION
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.engine.spark.spark_parts import check_parts


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages lie, with a pyspark that has neither jars nor metadata."""
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    return tmp_path


def install(site: Path, name: str, version: str) -> None:
    metadata = site / f"{name}-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n")


def place_jars(spark_home: Path, version: str) -> None:
    (spark_home / "jars").mkdir(parents=True)
    (spark_home / "jars" / f"spark-core_2.13-{version}.jar").touch()


def test_the_environment_of_the_tests_is_of_one_version() -> None:
    check_parts()


def test_packages_that_overwrite_each_other(site: Path) -> None:
    install(site, "pyspark", "4.1.4")
    install(site, "pyspark_client", "4.1.3")
    with pytest.raises(InputError, match=re.escape("pyspark 4.1.4 and pyspark-client 4.1.3")) as wrong:
        start_session("never", "local[1]", {})
    assert f"`{REINSTALL}`" in str(wrong.value)


@pytest.mark.parametrize("names", [("pyspark",), ("pyspark_client",), ("pyspark", "pyspark_client"), ()])
def test_one_version_whatever_it_is(site: Path, names: tuple[str, ...]) -> None:
    for name in names:
        install(site, name, "4.2.0")
    check_parts()


def test_jars_of_another_version_in_the_package(site: Path) -> None:
    place_jars(site / "pyspark", "4.1.4")
    with pytest.raises(
        InputError, match=re.escape(f"pyspark is of version {pyspark.__version__}, and the jars")
    ) as wrong:
        check_parts()
    assert str(wrong.value).endswith(f"are of 4.1.4: run `{REINSTALL}`")


def test_a_spark_home_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place_jars(tmp_path, "4.0.1")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(InputError, match=f"unset SPARK_HOME, or let it name a Spark {pyspark.__version__}"):
        check_parts()


def test_a_vendor_s_build_of_the_version_is_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place_jars(tmp_path, f"{pyspark.__version__}-vendor-1")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    check_parts()


def test_the_version_is_that_which_is_required() -> None:
    text = (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text()
    named = set(re.findall(r'"(pyspark.*)==(.*)"', text))
    assert named == {("pyspark", SPARK_VERSION), ("pyspark-client", SPARK_VERSION)}
