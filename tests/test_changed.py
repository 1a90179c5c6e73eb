"""`make test-changed`: what a change can reach runs, and what nobody knows runs everything."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.changed.__main__ import main
from tests.changed.files import changed_since
from tests.changed.graph import ROOT, Graph, of_clone
from tests.changed.selection import ALL, EDGES, Selection, select

UNIT, SPARK = frozenset({"unit"}), frozenset({"unit", "spark"})


@pytest.fixture(scope="module")
def graph() -> Graph:
    return of_clone()


def test_of_an_engine_file_its_room_runs_whole_and_the_unit_tests_that_reach_it(graph: Graph) -> None:
    selection = select(["airflow_nrt/engine/windows/hop.py"], graph)
    assert selection.of("tests/engine/windows/test_equivalence.py::test_x[1]") == ALL
    assert selection.of("tests/golden/test_golden.py::test_equals_flink_when_compiled[a]") == ALL
    assert selection.of("tests/golden/test_golden.py::test_equals_flink[a]") <= UNIT
    assert selection.of("tests/engine/driver/test_feed.py") == UNIT
    assert selection.of("tests/basics/test_durations.py") == frozenset()
    assert not selection.concerns("tests/basics/test_durations.py")


def test_who_imports_a_module_itself_runs_with_spark(graph: Graph) -> None:
    selection = select(["airflow_nrt/describe/lineage.py"], graph)
    assert selection.of("tests/describe/test_lineage.py") == ALL
    assert SPARK in selection.tiers.values()


def test_of_a_page_of_the_documentation_its_tests_run(graph: Graph) -> None:
    selection = select(["docs/reference/connectors/jdbc.md"], graph)
    assert selection.of("tests/docs/test_site.py") == ALL
    assert selection.of("tests/engine/sinks/jdbc/test_documentation.py") == ALL
    assert selection.of("tests/engine/sinks/jdbc/test_jdbc.py") == frozenset()


@pytest.mark.parametrize("path", ["nobody_knows.cfg", "another/folder.py"])
def test_an_unknown_file_runs_everything(graph: Graph, path: str) -> None:
    selection = select([path], graph)
    assert all(selection.of(test) == ALL for test in graph.imports if test.startswith("tests/"))


def test_of_java_its_rules_run_and_what_goes_through_everything(graph: Graph) -> None:
    selection = select(["airflow_nrt/engine/java/PlainCasts.java"], graph)
    assert selection.of("tests/engine/java/test_plan_rules.py") == ALL
    assert selection.of("tests/engine/test_backfill.py") == ALL


def test_of_a_helper_of_tests_those_that_use_it_run_whole(graph: Graph) -> None:
    selection = select(["tests/engine/windows/streamed.py"], graph)
    users = [test for test, text in texts(graph) if "\nfrom tests.engine.windows.streamed import" in text]
    assert users and all(selection.of(test) == ALL for test in users)
    assert selection.of("tests/sql/test_errors.py") == frozenset()


def texts(graph: Graph) -> list[tuple[str, str]]:
    return [(path, (ROOT / path).read_text(encoding="utf-8")) for path in graph.imports if "/test_" in path]


def test_fixtures_are_helpers_of_their_folder(graph: Graph) -> None:
    selection = select(["tests/page/browser/conftest.py"], graph)
    assert selection.of("tests/page/browser/test_list.py") == ALL
    assert selection.of("tests/page/test_grid.py") == frozenset()
    assert select(["tests/conftest.py"], graph).of("tests/page/test_grid.py") == ALL


def test_of_the_page_s_javascript_browsers_run(graph: Graph) -> None:
    selection = select(["airflow_nrt/page/static/js/charts/curve.js"], graph)
    assert selection.of("tests/page/browser/test_report.py") == ALL
    assert selection.of("tests/page/test_static.py") == ALL
    assert selection.of("tests/engine/test_backfill.py") == frozenset()


def test_of_a_golden_case_the_runs_of_cases_run(graph: Graph) -> None:
    assert select(["tests/golden/cases/late/hop/query.sql"], graph).of("tests/golden/test_golden.py") == ALL


def test_a_module_that_is_started_by_its_name_is_imported(graph: Graph) -> None:
    assert "tests/cli/conftest.py" in graph.importers("tests/cli/child.py")


def test_a_module_that_is_no_more_runs_its_room_and_all_unit_tests(graph: Graph) -> None:
    selection = select(["airflow_nrt/engine/windows/gone.py"], graph)
    assert selection.of("tests/engine/windows/test_equivalence.py") == ALL
    assert selection.of("tests/basics/test_durations.py") == UNIT


def test_what_edges_name_is_there() -> None:
    tables = [EDGES["also"], EDGES["beside"], dict.fromkeys(EDGES["through"]["files"], EDGES["through"]["tests"])]
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if ".venv" not in path.parts}
    for begin, tests in ((begin, tests) for table in tables for begin, tests in table.items()):
        assert any(file.startswith(begin) for file in files), begin
        for test in tests:
            path, _, function = test.partition("[")[0].partition("::")
            assert any(file.startswith(path) for file in files), test
            assert not function or f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_it_comes_back_from_a_file(tmp_path: Path) -> None:
    selection = Selection()
    selection.add(["tests/sql/"], UNIT, "a reason")
    selection.write(tmp_path / "selection.json")
    assert Selection.read(str(tmp_path / "selection.json")).of("tests/sql/test_errors.py") == UNIT


def test_the_list_says_what_runs_why_and_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["CONTRIBUTING.md", "--list"]) == 0
    printed = capsys.readouterr().out
    assert "1 changed: CONTRIBUTING.md" in printed
    assert "tests/docs/test_site.py: all, edges.toml has it for CONTRIBUTING.md" in printed
    assert "left out" in printed


@pytest.mark.process
def test_git_says_what_has_changed(tmp_path: Path) -> None:
    def git(*command: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True, capture_output=True)

    def write(**files: str) -> None:
        for name, text in files.items():
            (tmp_path / name).write_text(text)

    git("init", "--initial-branch=main")
    write(kept="1", edited="1", moved="a long enough text", gone="1")
    git("add", ".")
    git("commit", "-m", "first")
    write(committed="1")
    git("add", ".")
    git("mv", "moved", "there")
    git("commit", "-m", "second")
    write(edited="2", new="1")
    (tmp_path / "gone").unlink()
    assert changed_since(None, tmp_path) == ["edited", "gone", "new"]
    assert changed_since("HEAD~1", tmp_path) == ["committed", "edited", "gone", "moved", "new", "there"]
    with pytest.raises(subprocess.CalledProcessError):
        changed_since("nowhere", tmp_path)
