"""Which values of a task a run has chosen: who triggers it, or a task before this one. They name no place.

A value is written in the DAG, and its author has chosen it, unless it is a template. A template is the administrator's
if all it names are variables, connections and the times of the run: these have the form of times.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.errors import InputError

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


def check_place(field: str, written: Iterable[Any], rendered: Any, environment: Environment) -> None:
    """Raises InputError for a path that a run has led out of the directory that the author has written before it.

    `written` is the field of an operator as it is in the DAG, for each map index, `rendered` what the task has now.
    """
    for one in written:
        if not isinstance(rendered, str) or not _is_of_run(one, environment):
            continue
        text = one if isinstance(one, str) else ""
        before = text.partition("{")[0]
        directory = before[: before.rfind("/") + 1]
        begins = not directory and _is_of_run(text[: text.find("}}") + 2] if "}}" in text else one, environment)
        rest = rendered.removeprefix(directory)
        if ".." in rest.split("/") or ":" in rest or (begins and rest.startswith("/")):
            raise InputError(
                f"{field}: a run of the DAG has chosen it, and may choose a name below a directory, no other place: "
                "write the directory into the DAG, before the template"
            )


def check_server(written: Iterable[Any], rendered: Any, environment: Environment) -> None:
    """Raises InputError for a Spark master on another host that a run has chosen."""
    if any(_is_of_run(one, environment) for one in written) and not str(rendered or "local").startswith("local"):
        raise InputError("master: a run of the DAG has chosen it, and may not choose a server: write it into the DAG")


def expanded(task: BaseOperator, field: str) -> Iterator[Any]:
    """What `expand` has for a field of the operator in the DAG, if the task is mapped and has the field from there."""
    dag = task.get_dag()
    mapped = dag.task_dict.get(task.task_id) if dag is not None else None
    # A mapped operator has no fields of its own.
    partial: Mapping[str, Any] | None = getattr(mapped, "partial_kwargs", None)
    if partial is None or field in partial:
        return
    inputs = (getattr(mapped, name, None) for name in ("expand_input", "op_kwargs_expand_input"))
    for value in (one.value for one in inputs if one is not None):
        if isinstance(value, Mapping):
            yield from _each(value[field]) if field in value else ()
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield one.get(field) if isinstance(one, Mapping) else one
        else:
            yield value


def _each(values: Any) -> Iterable[Any]:
    return values if isinstance(values, (list, tuple)) else (values,)
