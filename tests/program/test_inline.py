"""The text that a function becomes: what a report needs of its file, at the same lines, and nothing else."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.program.inline import inline_report

OUTSIDE = 5


def named(path: Path, name: str, text: str) -> Callable[..., Any]:
    """The function of a module with this text."""
    file = path / f"{path.name}.py"
    file.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = getattr(module, name)
    return found


def test_the_body_is_kept_byte_by_byte_at_its_lines(tmp_path: Path) -> None:
    file = """\
    DATA = "elsewhere"

    def task(**given):
        return lambda function: function

    with open(__file__):
        if True:
            @task(
                home="über",
            )
            def sales(
                t_env: DATA = DATA,
            ) -> None:
                '''Sales.'''
                # Ein Kommentar.
                text = '''
    at the margin
    '''
                def shout(s: str) -> str: return s.upper() + "é"
                t_env.append((shout(text), len(__name__) > 0, sales))

    after = 1
    """
    report = inline_report(named(tmp_path, "sales", file))
    lines, text = textwrap.dedent(file).splitlines(), report.text.splitlines()
    assert text[13:] == lines[13:20]
    assert text[:12] == [""] * 12 and text[12] == "def sales(t_env):"
    program = report.write(tmp_path, tmp_path)
    assert program.name == "sales"
    got: list[Any] = []
    written: dict[str, Any] = {"__name__": program.module}
    exec(program.files[0].read_text(), written)
    written["sales"](got)
    assert got == [("\nAT THE MARGIN\né", True, written["sales"])]


@pytest.mark.parametrize(
    "text",
    ["def sales(t_env): t_env.append(1); t_env.append(2)", "def sales(t_env):\n\tt_env.append(1)\n\tt_env.append(2)"],
)
def test_any_layout_will_do(tmp_path: Path, text: str) -> None:
    got: list[int] = []
    written: dict[str, Any] = {}
    exec(inline_report(named(tmp_path, "sales", text)).text, written)
    written["sales"](got)
    assert got == [1, 2]


def test_the_modules_beside_the_file_come_along(tmp_path: Path) -> None:
    near, to = tmp_path / "near", tmp_path / "to"
    (near / "shop").mkdir(parents=True)
    to.mkdir()
    (near / "shop" / "__init__.py").write_text("")
    (near / "shop" / "prices.py").write_text("import rates")
    (near / "rates.py").write_text("")
    (near / "other.py").write_text("")
    text = "import os as other\ndef sales(t_env):\n    from shop.prices import x\n    import json"
    program = inline_report(named(near, "sales", text)).write(near, to)
    names = {str(file.relative_to(to)) for file in program.files}
    assert names == {"nrt_report_sales.py", "shop/__init__.py", "shop/prices.py", "rates.py"}
    (near / "rates.py").write_text("def")
    with pytest.raises(InputError, match="a module that the report 'sales' imports is no Python"):
        inline_report(named(near, "sales", text)).write(near, to)


def test_what_stands_outside_is_told() -> None:
    around = 1

    def sales(t_env: Any) -> None:
        class Inside:
            def use(self) -> int:
                return around + OUTSIDE + len(self.__class__.__name__)

        t_env.append([around for around in (Inside, named) if around])

    with pytest.raises(
        InputError, match=r"'sales' .* outside of it: OUTSIDE, around, named; import or define it inside"
    ):
        inline_report(sales)


def test_a_function_may_be_called_top() -> None:
    def top(t_env: Any) -> None:
        def top(given: int) -> int:
            inside = [given]
            return len(inside)

        t_env.append(top)

    assert inline_report(top).name == "top"


def test_a_global_of_its_own_is_inside() -> None:
    def sales(t_env: Any) -> None:
        global _made
        _made = 1
        t_env.append(_made)

    assert inline_report(sales).name == "sales"


def test_only_a_plain_function_of_one_parameter_is_a_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"write def two\(t_env\), and give other values as settings"):
        inline_report(named(tmp_path, "two", "def two(t_env, size): ..."))
    with pytest.raises(InputError, match=r"write def none\(t_env\)"):
        inline_report(named(tmp_path, "none", "def none(): ..."))
    with pytest.raises(InputError, match="'build' says nothing, rename it"):
        inline_report(named(tmp_path, "build", "def build(t_env): ..."))
    with pytest.raises(InputError, match=r"must be a plain function: write def later\(t_env\)"):
        inline_report(named(tmp_path, "later", "async def later(t_env): ..."))
    with pytest.raises(InputError, match="must be a plain function"):
        inline_report(lambda t_env: None)
    with pytest.raises(InputError, match="without decorators but those of its task"):
        text = "from functools import wraps\ndef o(f):\n    return wraps(f)(lambda t: 1)\n@o\ndef sales(t): ..."
        inline_report(named(tmp_path, "sales", text))
    written: dict[str, Any] = {}
    exec("def sales(t_env): ...", written)
    with pytest.raises(InputError, match="the text of the report 'sales' can't be read"):
        inline_report(written["sales"])
