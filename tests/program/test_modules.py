"""Which modules belong to a report: beside it, by any way of importing them."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.program.modules import files_with, name_of
from airflow_nrt.program.program import Program


def written(base: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(text)
    return base


@pytest.mark.parametrize(
    "text",
    [
        "from .helpers import mul",
        "from . import helpers",
        "from .sub.deep import mul",
        "from pk.helpers import mul",
        "import pk.helpers as h",
        "def f():\n    from .helpers import mul\n    return mul",
    ],
)
def test_all_ways_of_importing(tmp_path: Path, text: str) -> None:
    sub = {"pk/sub/__init__.py": "", "pk/sub/deep.py": "from ..helpers import mul"}
    packages = {"pk/__init__.py": "from pk.setup_stuff import A", "pk/setup_stuff.py": "A = 1"}
    base = written(tmp_path, {"pk/rep.py": text, "pk/helpers.py": "", "pk/unused.py": "", **packages, **sub})
    found = {str(file.relative_to(base)) for file in Program(base, "pk.rep", "build").files}
    assert found >= {"pk/rep.py", "pk/helpers.py", "pk/__init__.py", "pk/setup_stuff.py"}
    assert ("pk/sub/__init__.py" in found) == ("sub" in text)
    assert "pk/unused.py" not in found


def test_an_import_that_climbs_out_leads_nowhere(tmp_path: Path) -> None:
    base = written(tmp_path, {"rep.py": "from ..other import x\nfrom . import other", "other.py": ""})
    assert files_with(base / "rep.py", base) == [base / "rep.py"]


def test_libraries_do_not_belong_to_a_report(tmp_path: Path) -> None:
    """Neither those of an environment beside it, nor this product, if it stands in its own repository."""
    files = {"rep.py": "import airflow_nrt.table, pandas", "airflow_nrt/__init__.py": "", "airflow_nrt/table.py": ""}
    base = written(tmp_path, {**files, "site-packages/pandas/__init__.py": ""})
    assert files_with(base / "rep.py", base) == [base / "rep.py"]


def test_an_installed_program_is_its_own_package(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    files = {"pandas/__init__.py": "", "pk/__init__.py": "", "pk/rep.py": "import pandas\nfrom . import helpers"}
    base = written(site, {**files, "pk/helpers.py": "import other", "other.py": ""})
    program = Program(base, "pk.rep", "build")
    assert {file.relative_to(base).as_posix() for file in program.files} == {
        "pk/rep.py",
        "pk/__init__.py",
        "pk/helpers.py",
    }


def test_the_name_of_a_module(tmp_path: Path) -> None:
    assert name_of(tmp_path / "pk" / "rep.py", tmp_path) == "pk.rep"
    assert name_of(tmp_path / "pk" / "__init__.py", tmp_path) == "pk"
    assert name_of(tmp_path / "__init__.py", tmp_path) is None
    assert name_of(Path("/elsewhere/rep.py"), tmp_path) is None
