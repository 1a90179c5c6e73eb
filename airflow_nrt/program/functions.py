"""Python functions of a report: what the planner knows about each, and where its text is."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import inspect
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import DataType
from airflow_nrt.program.closure_digest import captured
from airflow_nrt.program.modules import file_of, files_with


@dataclass(frozen=True)
class Parameter:
    """`type` is None where the function takes any type. A function is not called with NULL for a NOT NULL parameter."""

    name: str
    type: DataType | None


@dataclass(frozen=True)
class PythonFunction:
    """A function that a report calls by `name`; `found` is the object that `target`, `module.name`, means.

    `kind` is udf, udtf, udaf or udtaf. The parameters after the first `required` have defaults; `variadic` says that
    the last one may be given any number of times. For udtf and udtaf `result` is the ROW of one result row.

    `accumulator` is the type of the accumulators that an aggregate merges; None if it does not merge, so that its rows
    are kept. `source` is a fingerprint of the text and of what the function captures: it identifies the function.
    `modules` are names and texts of the modules beside the report, which are not installed where the function runs.
    """

    name: str
    target: str
    kind: str
    parameters: tuple[Parameter, ...]
    required: int
    result: DataType
    source: str
    variadic: bool = False
    accumulator: DataType | None = None
    is_pandas: bool = False
    found: Any = field(default=None, compare=False, repr=False, metadata=METADATA)
    modules: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False, metadata=METADATA)

    @property
    def is_aggregate(self) -> bool:
        return self.kind in ("udaf", "udtaf")

    @property
    def is_table(self) -> bool:
        """Whether it gives any number of rows."""
        return self.kind in ("udtf", "udtaf")

    @property
    def value_type(self) -> DataType:
        """The type of a call as an expression: an array where it gives several rows."""
        if not self.is_table:
            return self.result
        return DataType("ARRAY", nullable=False, children=(("element", self.result),))

    @property
    def spark_name(self) -> str:
        """Its name in a Spark session, which may serve several reports."""
        return f"_nrt_{self.name}_{self.source}".lower()

    def parameter(self, position: int) -> Parameter:
        """The parameter that takes the argument at this position."""
        return self.parameters[min(position, len(self.parameters) - 1)]

    def asks_not(self, count: int) -> list[int]:
        """The positions, of `count` arguments, at which NULL is never passed to the function."""
        types = [self.parameter(n).type for n in range(count)]
        return [n for n, kind in enumerate(types) if kind is not None and not kind.nullable]


def load_function(target: str, base: Path) -> Any:
    """The object `module.name`; the module is beside the report, in `base`, or is installed.

    Raises InputError if there is no such module or name, or if the module can't be imported.
    """
    module_name, _, name = target.rpartition(".")
    if not module_name:
        raise InputError(f"{target!r} names no function: write 'module.function'")
    if str(base) not in sys.path:
        # Last: a module beside a report never hides a library.
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
    found = getattr(module, name, None)
    if found is None:
        raise InputError(f"the Python module {module_name!r} has no function {name!r}")
    return found


def fingerprint(function: Any, types: tuple[Any, ...], base: Path) -> str:
    """A fingerprint of a function's types, what it captures, its module, and the modules in `base` that this one
    imports.

    Comments and layout don't count. Raises ValueError for captured values that can't be moved to another process.
    """
    try:
        files = files_with(Path(inspect.getfile(code_of(function))), base)
        parts = [ast.dump(ast.parse(file.read_text(encoding="utf-8"))) for file in files]
    except (OSError, TypeError, SyntaxError):
        parts = []
    return hashlib.sha256("\n".join([captured((function, types)), *parts]).encode()).hexdigest()[:12]


def code_of(function: Any) -> Any:
    """The named definition in a file: a function, or the class of a callable object."""
    found = inspect.unwrap(function)
    if isinstance(found, functools.partial):
        return code_of(found.func)
    return found if hasattr(found, "__qualname__") else type(found)
