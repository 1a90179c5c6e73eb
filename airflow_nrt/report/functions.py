"""Python functions of a report: `CREATE FUNCTION name AS 'module.function' LANGUAGE PYTHON`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.report.errors import InputError
from airflow_nrt.report.types import DataType, Field


@dataclass(frozen=True)
class PythonFunction:
    """A declared function. `target` is `module.function`; the parameters behind the first `required` have defaults.

    A parameter whose type is NOT NULL is never NULL: where such an argument is, the result is NULL and nobody asks.
    """

    name: str
    target: str
    parameters: tuple[Field, ...]
    required: int
    result: DataType

    @property
    def spark_name(self) -> str:
        """Its name in a Spark session, which may serve several reports."""
        return f"_nrt_{self.name}_{self.target.replace('.', '_')}".lower()


def load_function(target: str, base: Path) -> Callable[..., Any]:
    """The function `module.function`; the module stands beside the report, in `base`, or is installed.

    Raises InputError if there is no such module or function, or if the module can't be imported.
    """
    module_name, _, name = target.rpartition(".")
    if not module_name:
        raise InputError(f"{target!r} names no function: write 'module.function'")
    if str(base) not in sys.path:
        # Behind all others: a module beside a report never stands in front of a library.
        sys.path.append(str(base))
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as failure:
        if isinstance(failure, ModuleNotFoundError) and module_name.startswith(failure.name or " "):
            where = f"put {module_name.partition('.')[0]}.py into {base}, or install it wherever the report runs"
            raise InputError(f"there is no Python module {failure.name!r}: {where}") from None
        wrong = f"{type(failure).__name__}: {failure}"
        raise InputError(f"the Python module {module_name!r} can't be imported: {wrong}") from None
    expected = file_of(module_name, base)
    if expected is not None and not expected.samefile(module.__file__ or "."):
        raise InputError(
            f"the Python module {module_name!r} is {module.__file__}, not {expected}: give yours another name"
        )
    function = getattr(module, name, None)
    if function is None:
        raise InputError(f"the Python module {module_name!r} has no function {name!r}")
    if not callable(function) or isinstance(function, type):
        raise InputError(f"{target!r} is no function: write def {name}(…)")
    found: Callable[..., Any] = function
    return found


def file_of(module: str, base: Path) -> Path | None:
    """The file of a module that stands in `base`, None if it does not."""
    path = base.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
