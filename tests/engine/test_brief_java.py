"""How Java compiles a process that ends with its work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from airflow_nrt.engine import brief_java
from airflow_nrt.engine.java import find_java
from airflow_nrt.report.java import DEFAULT_JAVA_OPTIONS

DRIVER = "spark.driver.defaultJavaOptions"


def test_java_takes_the_options_and_compiles_what_is_named_no_further() -> None:
    options = brief_java.brief_java()[DRIVER].split()
    assert options[0] == DEFAULT_JAVA_OPTIONS[DRIVER]
    home = find_java()
    java = str(Path(home) / "bin" / "java") if home else "java"
    shown = subprocess.run(
        [java, *options, "-XX:+CompilerDirectivesPrint", "-version"], capture_output=True, text=True, check=True
    )
    told = shown.stdout + shown.stderr
    assert "org/antlr/*.*" in told and "Exclude:true" in told
    # What rows go through is optimized.
    assert not [name for name in ("execution", "unsafe", "catalyst/expressions", "parquet") if f"/{name}" in told]


@pytest.mark.parametrize("place", ["engine.zip", "a path"])
def test_nothing_where_java_can_t_read_the_file(tmp_path: Path, monkeypatch, place: str) -> None:
    (tmp_path / "a path").mkdir()
    (tmp_path / "a path" / "brief.directives").touch()
    monkeypatch.setattr(brief_java, "__file__", str(tmp_path / place / "brief_java.py"))
    assert brief_java.brief_java() == {}
