"""Callbacks of notices: given to an operator in a DAG file, kept with its trigger, called in the triggerer."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_nrt.basics.errors import InputError

_NOT_COMPARED = ("context", "_log", "_logger_name", "_log_config_logger_name")


@dataclass(frozen=True)
class Callback:
    """A notifier, or a function with a parameter `context`, by its import path; each may be async or not."""

    path: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    async def call(self, context: Mapping[str, Any]) -> None:
        """Raises whatever it raises."""
        from airflow.sdk import BaseNotifier
        from asgiref.sync import sync_to_async

        module, _, name = self.path.rpartition(".")
        callback = getattr(importlib.import_module(module), name)
        # A notifier adds its own fields to what it gets.
        known: Any = dict(context)
        if not (inspect.isclass(callback) and issubclass(callback, BaseNotifier)):
            is_async = inspect.iscoroutinefunction(callback)
            call = callback if is_async else sync_to_async(callback, thread_sensitive=False)
            await call(**self.kwargs, context=known)
            return
        notifier = callback(**self.kwargs)
        if callback.async_notify is BaseNotifier.async_notify:
            # In a thread of its own: all other questions to Airflow share one.
            await sync_to_async(notifier, thread_sensitive=False)(known)
        else:
            # Not all notifiers accept it as an argument.
            notifier.context = known
            await notifier


def callbacks_of(given: Any) -> tuple[Callback, ...]:
    """Those of a notifier, of an `AsyncCallback`, or of a list of these; None is none. Raises InputError."""
    if given is None:
        return ()
    if isinstance(given, (list, tuple)):
        return tuple(one for each in given for one in callbacks_of(each))
    if hasattr(given, "path") and hasattr(given, "kwargs"):
        return (Callback(given.path, dict(given.kwargs or {})),)
    from airflow.sdk import BaseNotifier

    if isinstance(given, BaseNotifier):
        return (_of_notifier(given),)
    raise InputError(
        f"{given!r} can't be called in the triggerer: give a notifier, AsyncCallback(a function of an installed "
        "module), or a list of these"
    )


def _of_notifier(notifier: Any) -> Callback:
    """The arguments that make an equal one: a trigger keeps its own arguments as JSON, and no objects."""
    kind = type(notifier)
    if "." in kind.__qualname__ or kind.__module__.startswith("unusual_prefix_"):
        raise InputError(
            f"the triggerer can't import {kind.__qualname__} from a DAG file: put it at the top of a module that is "
            "installed there"
        )
    kwargs = {name: getattr(notifier, name) for name in _arguments(kind) if hasattr(notifier, name)}
    try:
        plain = json.loads(json.dumps(kwargs))
        is_equal = _state(kind(**kwargs)) == _state(notifier)
    except (TypeError, ValueError):
        is_equal = False
    if not is_equal:
        raise InputError(
            f"how this {kind.__name__} was made can't be seen: give AsyncCallback({kind.__name__}, kwargs={{…}}), with "
            "texts and numbers"
        )
    return Callback(f"{kind.__module__}.{kind.__qualname__}", plain)


def _arguments(kind: type) -> Iterable[str]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(kind).parameters.values()
    return [one.name for one in parameters if one.kind in named and one.name != "context"]


def _state(notifier: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(notifier).items() if name not in _NOT_COMPARED}
