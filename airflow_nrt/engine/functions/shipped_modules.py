"""Modules beside the report, which executors don't have: a function is shipped with the parts of them that it uses.

Objects that a function refers to are pickled with it, by Spark's own cloudpickle and only from a driver to its
executors: the product itself reads no pickles. Modules that a function imports when it is called are loaded from their
text, after all installed modules.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle

from airflow_nrt.model.plan import Plan
from airflow_nrt.program.functions import PythonFunction, code_of
from airflow_nrt.program.modules import belongs, files_with, name_of


def travelling(plan: Plan) -> tuple[PythonFunction, ...]:
    """The plan's functions with the texts of their modules, ready to be pickled."""
    if not plan.functions:
        return ()
    base = Path(plan.base)
    for module in list(sys.modules.values()):
        # Not by getattr, which makes some libraries import themselves.
        file = vars(module).get("__file__") if isinstance(module, ModuleType) else None
        if file is not None and belongs(Path(file), base) and sys.modules.get(module.__name__) is module:
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    texts = _texts([one.found.function for one in plan.functions], base)
    return tuple(replace(one, modules=texts) for one in plan.functions)


def _texts(functions: Sequence[Any], base: Path) -> tuple[tuple[str, str], ...]:
    texts: dict[str, str] = {}
    for function in functions:
        try:
            files = files_with(Path(inspect.getfile(code_of(function))), base)
        except (OSError, TypeError, SyntaxError):
            continue
        for file in files:
            name = name_of(file, base)
            if name is not None and belongs(file, base):
                texts[name] = file.read_text(encoding="utf-8")
    folders = {name[:n]: "" for name in texts for n, letter in enumerate(name) if letter == "."}
    return tuple(sorted((folders | texts).items()))


class _Texts(MetaPathFinder, InspectLoader):
    def __init__(self, modules: tuple[tuple[str, str], ...]) -> None:
        self.modules, self._texts = modules, dict(modules)

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        return spec_from_loader(fullname, self) if fullname in self._texts else None

    def get_source(self, fullname: str) -> str:
        return self._texts[fullname]

    def is_package(self, fullname: str) -> bool:
        return any(name.startswith(f"{fullname}.") for name in self._texts)


def find_by_text(modules: tuple[tuple[str, str], ...]) -> None:
    """Makes these modules importable in this process, and removes those of another report that it served before."""
    if any(isinstance(one, _Texts) and one.modules == modules for one in sys.meta_path):
        return
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, _Texts)]
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and isinstance(vars(module).get("__loader__"), _Texts):
            del sys.modules[name]
    sys.meta_path.append(_Texts(modules))
