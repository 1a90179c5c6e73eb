"""`@task.nrt_report`: a stream task whose report is a function of the DAG file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import signature
from typing import Any

from airflow.sdk.bases.decorator import DecoratedOperator, TaskDecorator, task_decorator_factory

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.stream import NrtStreamOperator


class _NrtReportOperator(DecoratedOperator, NrtStreamOperator):
    custom_operator_name = "@task.nrt_report"
    template_fields: Sequence[str] = NrtStreamOperator.template_fields

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if op_args or op_kwargs:
            raise InputError(
                f"the report {python_callable.__name__!r} is called without arguments: give values as settings, "
                "which t_env.get_config().get(KEY, default) answers"
            )
        # The function is never called here; Airflow requires arguments that fit it.
        one_each = [None] * len(signature(python_callable).parameters)
        super().__init__(python_callable=python_callable, op_args=one_each, report=python_callable, **kwargs)


def nrt_report_task(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> TaskDecorator:
    """Makes a function `def NAME(t_env)` the report NAME, and a task that runs its stream.

    The parameters are those of `NrtStreamOperator`, without `report`. The call in the DAG raises InputError if the
    function uses names from outside of it.
    """
    return task_decorator_factory(python_callable, decorated_operator_class=_NrtReportOperator, **kwargs)
