"""A program of the Table API in Flink, as `flink.py` runs the report. The settings fill its placeholders ${KEY}.

python flink_program.py PROGRAM.py KEY=VALUE ...
"""

from __future__ import annotations

import runpy
import sys
from string import Template
from typing import Any

from flink import environment


class Filled:
    """The environment in which a program is built, with its placeholders filled."""

    def __init__(self, values: dict[str, str]) -> None:
        self.values = values
        self.tables = environment({})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tables, name)

    def execute_sql(self, text: str) -> Any:
        return self.tables.execute_sql(Template(text).substitute(self.values))


def main() -> None:
    program, *settings = sys.argv[1:]
    values = dict(setting.split("=", 1) for setting in settings)
    runpy.run_path(program)["build"](Filled(values)).wait()


if __name__ == "__main__":
    main()
