"""Messages that arrive at a real web hook."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowException
from airflow.sdk.log import mask_secret

from airflow_nrt.notifications.nrt import NrtNotifier
from tests.notifications.hook import WebHook, web_hook


@pytest.fixture
def hook() -> Iterator[WebHook]:
    with web_hook() as hook:
        yield hook


def connect(monkeypatch: pytest.MonkeyPatch, **fields: object) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_ALERTS", json.dumps({"conn_type": "http", **fields}))


def failed() -> dict[str, object]:
    ti = SimpleNamespace(dag_id="curve", task_id="stream", run_id="today", state="failed")
    return {"ti": ti, "exception": "overflow in gmv"}


def test_a_task_that_failed_is_named_with_its_error(monkeypatch: pytest.MonkeyPatch, hook: WebHook) -> None:
    connect(monkeypatch, host=hook.url, password="token")
    NrtNotifier(http_conn_id="alerts")(failed())
    ((body, headers),) = hook.posts
    assert body == {"text": "curve.stream of today: overflow in gmv"}
    assert headers["Authorization"] == "Bearer token"


def test_a_text_is_templated_and_cut(monkeypatch: pytest.MonkeyPatch, hook: WebHook) -> None:
    connect(monkeypatch, host="127.0.0.1", port=hook.server_port, schema="http")
    NrtNotifier(http_conn_id="alerts", text="{{ ti.run_id * 2000 }}")(failed())
    assert hook.texts == [("today" * 800)]


def test_masked_values_are_not_posted(monkeypatch: pytest.MonkeyPatch, hook: WebHook) -> None:
    connect(monkeypatch, host=hook.url)
    mask_secret("secret-of-a-setting", "password")
    NrtNotifier(http_conn_id="alerts", text="it is secret-of-a-setting")(failed())
    assert hook.texts == ["it is ***"]


def test_a_hook_that_refuses_is_an_error_without_its_url(monkeypatch: pytest.MonkeyPatch, hook: WebHook) -> None:
    connect(monkeypatch, host=hook.url)
    hook.answers = [403]
    with pytest.raises(AirflowException, match="the web hook of alerts answered 403") as refused:
        NrtNotifier(http_conn_id="alerts")(failed())
    assert "secret-of-the-path" not in str(refused.value)


def test_a_page_to_log_in_is_an_error_and_gets_no_password(monkeypatch: pytest.MonkeyPatch, hook: WebHook) -> None:
    connect(monkeypatch, host=hook.url, password="token")
    with web_hook() as other:
        hook.answers, hook.location = [302], other.url
        with pytest.raises(AirflowException, match="the web hook of alerts answered 302"):
            NrtNotifier(http_conn_id="alerts")(failed())
        assert other.posts == []


@pytest.mark.parametrize("wrong", [{"host": "{} of a team"}, {"host": "{}", "password": "secret-of-the-path\n"}])
def test_an_address_or_a_password_that_is_wrong_is_not_in_the_error(
    monkeypatch: pytest.MonkeyPatch, hook: WebHook, wrong: dict[str, str]
) -> None:
    connect(monkeypatch, **{**wrong, "host": wrong["host"].format(hook.url)})
    with pytest.raises(AirflowException, match="the web hook of alerts can't be posted to: ") as refused:
        NrtNotifier(http_conn_id="alerts")(failed())
    assert "secret-of-the-path" not in str(refused.value)


def test_it_can_be_awaited_with_what_a_deadline_gives(monkeypatch: pytest.MonkeyPatch, hook: WebHook) -> None:
    connect(monkeypatch, host=hook.url)

    async def say() -> None:
        given: Any = {"dag_run": {"dag_run_id": "today"}, "deadline": {"deadline_time": "10:15"}}
        text = "{{ dag_run.dag_run_id }} is late at {{ deadline.deadline_time }}"
        await NrtNotifier(http_conn_id="alerts", text=text, context=given)

    asyncio.run(say())
    assert hook.texts == ["today is late at 10:15"]


@pytest.mark.parametrize("host", ["", "file:///etc/passwd"])
def test_only_web_addresses_are_posted_to(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    connect(monkeypatch, host=host)
    with pytest.raises(AirflowException, match="has no host to post to: give it the hook's URL"):
        NrtNotifier(http_conn_id="alerts")(failed())
