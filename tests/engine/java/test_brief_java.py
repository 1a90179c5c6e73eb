"""How Java compiles a process that ends with its work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.engine.java import brief_java
from airflow_nrt.engine.java.finding import find_java

DRIVER, EXECUTOR = DEFAULT_JAVA_OPTIONS
LATER = "-XX:Tier4InvocationThreshold=15000 -XX:Tier4MinInvocationThreshold=2000 -XX:Tier4CompileThreshold=30000"


def version(*more: str) -> str:
    """What Java prints about itself on standard output, which is nothing."""
    home = find_java()
    java = str(Path(home) / "bin" / "java") if home else "java"
    options = brief_java.brief_java()[DRIVER].split()
    return subprocess.run([java, *options, *more, "-version"], stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.process
def test_java_takes_the_options_and_compiles_what_is_named_no_further() -> None:
    assert brief_java.brief_java()[DRIVER].startswith(DEFAULT_JAVA_OPTIONS[DRIVER])
    told = version("-XX:+CompilerDirectivesPrint", "-XX:+DisplayVMOutput")
    assert "org/antlr/*.*" in told and "Exclude:true" in told
    # What rows go through is optimized.
    assert not [name for name in ("execution", "unsafe", "catalyst/expressions", "parquet") if f"/{name}" in told]


@pytest.mark.process
def test_standard_output_is_the_command_s() -> None:
    assert version() == ""


@pytest.mark.parametrize("place", ["engine.zip", "a path"])
def test_nothing_where_java_can_t_read_the_file(tmp_path: Path, monkeypatch, place: str) -> None:
    (tmp_path / "a path").mkdir()
    (tmp_path / "a path" / "brief.directives").touch()
    monkeypatch.setattr(brief_java, "__file__", str(tmp_path / place / "brief_java.py"))
    (executors,) = brief_java.brief_java().items()
    assert executors == (EXECUTOR, f"{DEFAULT_JAVA_OPTIONS[EXECUTOR]} {LATER}")
