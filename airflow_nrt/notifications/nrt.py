"""A message to a web hook."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from airflow.providers.common.compat.sdk import AirflowException, redact
from airflow.sdk import BaseHook, BaseNotifier, Context
from asgiref.sync import sync_to_async

_LIMIT_SECONDS = 30
_LONGEST = 4000
_TEXT = (
    "{{ nrt.text if nrt is defined else "
    "ti.dag_id ~ '.' ~ ti.task_id ~ ' of ' ~ ti.run_id ~ ': ' ~ (exception | default(ti.state | default(''), true)) }}"
)


class NrtNotifier(BaseNotifier):
    """Posts `{"text": …}` to a web hook, as Slack, Mattermost, Rocket.Chat, Teams and Google Chat take it.

    - As `freshness_callback` of `NrtStreamOperator`, the message says which windows are missing, or that the
      report is fresh again. `nrt` in the template has `report`, `home`, `table`, `state` (`stale` or `fresh`),
      `window_end`, `complete_until`, `allowed_seconds`, `missing` (the ends of the missing windows, the first hundred),
      `missing_count`, `missing_since` (when the first of them was due), `cause` and `text`.
    - As callback of a DAG or a task, the message names the task and its error.
    - As callback of a `DeadlineAlert` the notifier needs a `text`.

    :param http_conn_id: a connection of type `http`: its host is the hook's whole URL, or its host's name; its
        password, if it has one, is sent as a bearer token
    :param text: (templated) the message, without values that Airflow masks, cut at 4,000 characters; default:
        `nrt.text`, else the task, its run and its error
    :param context: as for all notifiers
    """

    template_fields: Sequence[str] = ("text",)

    def __init__(self, *, http_conn_id: str, text: str = _TEXT, context: Context | None = None) -> None:
        super().__init__(context)
        self.http_conn_id = http_conn_id
        self.text = text

    def notify(self, context: Context) -> None:
        """Raises AirflowException if the web hook does not accept it."""
        _post(BaseHook.get_connection(self.http_conn_id), self.text)

    async def async_notify(self, context: Context) -> None:
        """As `notify`."""
        connection = await sync_to_async(BaseHook.get_connection)(self.http_conn_id)
        await asyncio.to_thread(_post, connection, self.text)


def _post(connection: Any, text: str) -> None:
    headers = {"Content-Type": "application/json"}
    if connection.password:
        headers["Authorization"] = f"Bearer {connection.password}"
    # Values that Airflow masks in logs are masked here, too.
    body = json.dumps({"text": str(redact(text))[:_LONGEST]}).encode()
    url = _url(connection)
    try:
        with build_opener(_NoRedirects).open(Request(url, body, headers), timeout=_LIMIT_SECONDS):
            pass
    except HTTPError as refused:
        # Without the URL, because whoever knows it may post.
        raise AirflowException(f"the web hook of {connection.conn_id} answered {refused.code}") from None
    except OSError as wrong:
        raise AirflowException(f"the web hook of {connection.conn_id} does not answer: {wrong}") from None
    except (ValueError, HTTPException) as wrong:
        # Its text may contain the URL or the password.
        kind = type(wrong).__name__
        raise AirflowException(f"the web hook of {connection.conn_id} can't be posted to: {kind}") from None


class _NoRedirects(HTTPRedirectHandler):
    """A redirect to a login page delivers nothing, and the bearer token is not for another host."""

    def redirect_request(self, *answer: Any) -> None:
        return None


def _url(connection: Any) -> str:
    """Raises AirflowException unless it is one of HTTP."""
    host, port = connection.host or "", f":{connection.port}" if connection.port else ""
    url = host if "://" in host else f"{connection.schema or 'https'}://{host}{port}"
    if not host or not url.startswith(("https://", "http://")):
        raise AirflowException(f"the connection {connection.conn_id!r} has no host to post to: give it the hook's URL")
    return url
