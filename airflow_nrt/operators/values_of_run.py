"""Which settings of a task have values that a run has chosen: who triggers it, or a task before this one.

A setting is written in the DAG, and its author has chosen the value, unless that is a template. A template is the
administrator's if all it names are variables, connections and the times of the run: these have the form of times.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator
    from jinja2 import Environment

_NOT_OF_RUN = frozenset(
    (
        *("var", "conn", "macros", "ds", "ds_nodash", "ts", "ts_nodash", "ts_nodash_with_tz", "logical_date"),
        *("data_interval_start", "data_interval_end", "prev_data_interval_start_success"),
        *("prev_data_interval_end_success", "prev_start_date_success", "prev_end_date_success"),
    )
)
_PLAIN = (int, float, os.PathLike, type(None))


def names_of_run(written: Iterable[Any], rendered: Iterable[str], environment: Environment) -> set[str]:
    """The names of settings with values of a run.

    `written` are the settings as they are in the DAG, for each map index; `rendered` are the names that the task has
    now, all of which a run has chosen where the settings themselves are no mapping.
    """
    found: set[str] = set()
    for one in written:
        if isinstance(one, Mapping):
            found.update(str(name) for name, value in one.items() if _is_of_run(value, environment))
        elif one is not None:
            found.update(rendered)
    return found


def _is_of_run(value: Any, environment: Environment) -> bool:
    from jinja2 import TemplateError, meta

    if not isinstance(value, str):
        return not isinstance(value, _PLAIN)
    try:
        template = environment.parse(value)
        others = any(True for _ in meta.find_referenced_templates(template))
        return others or not meta.find_undeclared_variables(template) <= _NOT_OF_RUN
    except TemplateError:
        return True


def expanded_settings(task: BaseOperator) -> Iterator[Any]:
    """The settings of `expand` in the DAG, if the task is mapped and has them from there."""
    dag = task.get_dag()
    mapped = dag.task_dict.get(task.task_id) if dag is not None else None
    # A mapped operator has no fields of its own.
    partial: Mapping[str, Any] | None = getattr(mapped, "partial_kwargs", None)
    if partial is None:
        return
    inputs = (getattr(mapped, name, None) for name in ("expand_input", "op_kwargs_expand_input"))
    for value in (one.value for one in inputs if one is not None):
        if isinstance(value, Mapping):
            yield from _each(value["settings"]) if "settings" in value else ()
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield one.get("settings") if isinstance(one, Mapping) else one
        else:
            yield value


def _each(values: Any) -> Iterable[Any]:
    return values if isinstance(values, (list, tuple)) else (values,)
