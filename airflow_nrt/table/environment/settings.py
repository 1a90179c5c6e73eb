"""How results are computed, and the settings of a program: `EnvironmentSettings` and `TableConfig`, as in PyFlink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from airflow_nrt.table.checks.arguments import Complete, checked, checked_name
from airflow_nrt.table.checks.call_site import here

if TYPE_CHECKING:
    from airflow_nrt.sql.parse import parsed


class Configured(Protocol):
    """An object with settings."""

    def add(self, statement: parsed.Statement) -> None: ...
    def setting(self, key: str) -> str | None: ...


@dataclass(frozen=True)
class EnvironmentSettings:
    """How a result that is requested at once is computed: `mode` is `stream` or `batch`."""

    mode: str = "stream"

    @classmethod
    def new_instance(cls) -> EnvironmentSettings:
        """`EnvironmentSettings.new_instance().in_batch_mode().build()` is `EnvironmentSettings.in_batch_mode()`."""
        return cls()

    def build(self) -> EnvironmentSettings:
        return self

    @classmethod
    def in_streaming_mode(cls) -> EnvironmentSettings:
        return cls("stream")

    @classmethod
    def in_batch_mode(cls) -> EnvironmentSettings:
        return cls("batch")

    def is_streaming_mode(self) -> bool:
        return self.mode == "stream"


class TableConfig(Complete):
    """The settings of a program, which SQL sets with SET."""

    called = "the configuration"

    def __init__(self, environment: Configured) -> None:
        self._environment = environment

    def set(self, key: str, value: str) -> TableConfig:
        from airflow_nrt.sql.parse import parsed

        checked("set takes two texts, as in set('table.local-time-zone', 'UTC')", key, str)
        checked(f"the value of {key!r} is a text, as in set({key!r}, '10')", value, str)
        self._environment.add(parsed.SetOption(key, value, here()))
        return self

    def get(self, key: str, default: str) -> str:
        """A setting of the run (`--set KEY=VALUE`), else of the program, else the default."""
        found = self._environment.setting(checked_name("get takes the name of a setting", key))
        return default if found is None else found

    def get_local_timezone(self) -> str:
        return self.get("table.local-time-zone", "UTC")

    def set_local_timezone(self, zone: str) -> None:
        self.set("table.local-time-zone", zone)
