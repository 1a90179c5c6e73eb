"""Bytecode that lies in a zip beside its source."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import traceback
import zipfile
from importlib.machinery import ModuleSpec
from pathlib import Path
from zipimport import zipimporter

import pytest

from airflow_nrt.launch.bytecode import bytecode

SOURCE = """
WORDS = {"one", "two", "three", "four"}

def known(word):
    return word in {"five", "six", "seven", "eight"} or word in WORDS

class Counter:
    def count(self, words):
        return sum(1 / known(word) for word in words)  # divides by False
"""
SHOWN = "engine.zip/counting.py"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "counting.py"
    file.write_text(SOURCE)
    return file


def packed(module: Path, code: bytes) -> zipimporter:
    path = module.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(module, "counting.py")
        archive.writestr("counting.pyc", code)
    return zipimporter(str(path))


def test_python_takes_it_from_the_zip(module: Path) -> None:
    assert packed(module, bytecode(module, SHOWN)).get_code("counting").co_filename == SHOWN


def test_another_python_compiles_the_source(module: Path) -> None:
    of_another = b"\0\0\r\n" + bytecode(module, SHOWN)[len(importlib.util.MAGIC_NUMBER) :]
    file = packed(module, of_another).get_code("counting").co_filename
    assert file == str(module.with_suffix(".zip") / "counting.py")


def test_tracebacks_have_lines(module: Path) -> None:
    loader = packed(module, bytecode(module, SHOWN))
    made = importlib.util.module_from_spec(ModuleSpec("counting", loader))
    loader.exec_module(made)
    try:
        made.Counter().count(["five", "one", "nine"])
    except ZeroDivisionError:
        shown = traceback.format_exc()
    place = f'File "{SHOWN}", line 9, in count'
    assert place in shown and shown.count("1 / known(word) for word in words)  # divides by False") == 2


@pytest.mark.process
def test_equal_sources_give_equal_bytes(module: Path) -> None:
    """Whether compiled or read from a cache, wherever the source lies, and in whatever order a process has its sets."""
    other = module.parent / "elsewhere" / module.name
    other.parent.mkdir()
    other.write_text(SOURCE)
    probe = "import sys; from airflow_nrt.launch.bytecode import *; print(bytecode(Path(sys.argv[1]), 'a.py').hex())"
    said = {
        subprocess.check_output(
            [sys.executable, "-c", probe, str(file)], env={**os.environ, "PYTHONHASHSEED": seed}, text=True
        )
        for file, seed in ((module, "1"), (module, "2"), (other, "3"))
    }
    assert said == {bytecode(module, "a.py").hex() + "\n"}
