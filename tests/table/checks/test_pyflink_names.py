"""Every public name of PyFlink 2.3 is here, or the documentation says what stands in its place.

`pyflink-names.json` holds `dir()` of its classes and the `__all__` of its modules, without what begins with `_`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import airflow_nrt.table as api
from airflow_nrt.basics.errors import InputError
from airflow_nrt.table.checks.elsewhere import ELSEWHERE, instead_of
from airflow_nrt.table.expressions.vocabulary import AGGREGATES, METHODS, PROPERTIES
from airflow_nrt.table.tables.aggregated import AggregatedTable
from airflow_nrt.table.tables.result import CloseableIterator

NAMES: dict[str, list[str]] = json.loads((Path(__file__).parent / "pyflink-names.json").read_text())
DOCS = Path(__file__).resolve().parents[3] / "docs"
DOCUMENTATION = (DOCS / "reference" / "table-api.md").read_text(encoding="utf-8")
OURS: dict[str, Any] = {
    "WindowGroupedTable": api.GroupedTable,
    "AggregatedTable": AggregatedTable,
    "FlatAggregateTable": AggregatedTable,
    "CloseableIterator": CloseableIterator,
}


def ours(of: str) -> set[str]:
    if of in ("expressions", "module"):
        return set(api.__all__)
    if of == "properties of Expression":
        found = {name for name, value in vars(api.Expression).items() if isinstance(value, property)}
        return found | {*PROPERTIES, *AGGREGATES}
    names = set(dir(OURS.get(of) or getattr(api, of)))
    return names | {*PROPERTIES, *METHODS, *AGGREGATES} if of == "Expression" else names


@pytest.mark.parametrize("of", NAMES)
def test_a_name_is_here_or_something_is_told_instead(of: str) -> None:
    assert [name for name in NAMES[of] if name not in ours(of) and instead_of(name) is None] == []


def test_what_has_no_parentheses_there_has_none_here() -> None:
    methods = set(NAMES["Expression"]) - set(NAMES["properties of Expression"])
    assert not methods & ours("properties of Expression")


def test_the_documentation_lists_what_is_missing() -> None:
    rows = [f"| {', '.join(f'`{name}`' for name in names.split())} | {instead} |" for names, instead in ELSEWHERE]
    assert "\n".join(rows) in DOCUMENTATION


def test_nothing_that_is_here_is_called_missing() -> None:
    missing = [name for of in NAMES for name in NAMES[of] if name not in ours(of)]
    assert [one for names, _ in ELSEWHERE for one in names.split() if "*" not in one and one not in missing] == []


def test_the_way_out_of_a_missing_name_is_told() -> None:
    environment = api.TableEnvironment(base=Path("/data"))
    with pytest.raises(AttributeError, match=r"a table environment has no 'from_elements': .*VALUES") as told:
        environment.from_elements
    assert isinstance(told.value, InputError) and "test_pyflink_names.py, line " in str(told.value)
    with pytest.raises(AttributeError, match="did you mean 'execute_sql'"):
        environment.executeSql
    with pytest.raises(AttributeError, match=r"an expression has no 'json_value': `call_sql"):
        api.col("a").json_value("$.b")
    with pytest.raises(AttributeError, match="a statement set has no 'compile_plan': "):
        environment.create_statement_set().compile_plan
    with pytest.raises(AttributeError, match="the configuration has no 'get_configuration': "):
        environment.get_config().get_configuration
    with pytest.raises(ImportError, match="there is no 'rand' in the Table API: refused"):
        from airflow_nrt.table import rand  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(environment, "nope") and not hasattr(api, "nope")
