"""`pyflink` for a program under check: its modules have the names of this product's Table API, and no others.

It replaces an installed one. A name that this product lacks is an ImportError that says what to use instead.
"""

from __future__ import annotations

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from airflow_nrt.table.checks.elsewhere import instead_of

ROOT = "pyflink"
_TABLE_API = "airflow_nrt.table"
_NO_STREAMS = "a report is made of tables, `TableEnvironment`: data streams have no place in it"
_PACKAGES = frozenset({ROOT, "pyflink.table", "pyflink.common", "pyflink.datastream", "pyflink.util"})
_MODULES = frozenset(
    f"pyflink.table.{name}"
    for name in (
        "catalog changelog_mode data_view environment_settings explain_detail expression expressions result_kind "
        "schema sinks sql_dialect statement_set table table_config table_descriptor table_environment table_pipeline "
        "table_result table_schema types udf utils window"
    ).split()
)


class PyFlink(MetaPathFinder, Loader):
    """Finds PyFlink's modules. `install` makes it the first finder."""

    def install(self) -> None:
        for name in [one for one in sys.modules if one.partition(".")[0] == ROOT]:
            del sys.modules[name]
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != ROOT:
            return None
        if fullname.startswith("pyflink.datastream"):
            raise ImportError(f"there is no {fullname}: {_NO_STREAMS}")
        if fullname not in _PACKAGES | _MODULES:
            raise ImportError(f"there is no {fullname} here: the names of the Table API are those of {_TABLE_API}")
        return ModuleSpec(fullname, self, is_package=fullname in _PACKAGES)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Names(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ != ROOT:
            vars(module)["__all__"] = list(importlib.import_module(_TABLE_API).__all__)


class _Names(ModuleType):
    def __getattr__(self, name: str) -> Any:
        whole = f"{self.__name__}.{name}"
        if name.startswith("__") or whole in _PACKAGES | _MODULES:
            # Python then imports the module.
            raise AttributeError(name)
        table = importlib.import_module(_TABLE_API)
        if name in table.__all__:
            return getattr(table, name)
        instead = instead_of(name)
        raise ImportError(f"there is no {name!r} in the Table API" + (f": {instead}" if instead else ""))
