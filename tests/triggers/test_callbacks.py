"""Notifiers as people give them to a stream task, called as a trigger calls them."""

from __future__ import annotations

import asyncio
import json
import threading
from email.header import decode_header, make_header
from email.message import Message
from typing import Any

import pytest
from airflow.providers.smtp.notifications.smtp import SmtpNotifier
from airflow.sdk import BaseNotifier
from airflow.sdk.definitions.callback import AsyncCallback, SyncCallback

from airflow_nrt.basics.errors import InputError
from airflow_nrt.notifications.nrt import NrtNotifier
from airflow_nrt.triggers.callbacks import Callback, callbacks_of
from tests.notifications.mail import mail_server

CONTEXT = {"nrt": {"text": "sales is stale", "table": "sales", "missing": ["2024-06-18T10:10:00"]}, "ti": None}
CALLS: list[tuple[Any, ...]] = []


@pytest.fixture(autouse=True)
def calls() -> list[tuple[Any, ...]]:
    CALLS.clear()
    return CALLS


class Bell(BaseNotifier):
    """Only its plain side exists, as in older providers."""

    template_fields = ("message",)

    def __init__(self, message: str, *, volume: int = 3) -> None:
        super().__init__()
        self.message = message
        self.volume = volume

    def notify(self, context: Any) -> None:
        CALLS.append((self.message, self.volume, context["nrt"]["table"], threading.get_ident()))


class Closed(Bell):
    """Does not show how it was made."""

    def __init__(self, message: str) -> None:
        super().__init__(f"! {message}")


async def rung(context: Any, who: str = "") -> None:
    CALLS.append((who, context["nrt"]["text"]))


def rung_plainly(context: Any) -> None:
    CALLS.append((threading.get_ident(), context["nrt"]["text"]))


def ring(given: Any) -> None:
    """As a trigger does, with what is left of it after its way through the database."""
    kept = json.loads(json.dumps([[one.path, dict(one.kwargs)] for one in callbacks_of(given)]))

    async def call() -> None:
        for path, kwargs in kept:
            await Callback(path, kwargs).call(CONTEXT)

    asyncio.run(call())


def text_of(mail: Message) -> str:
    (part,) = [one for one in mail.walk() if one.get_content_type() == "text/html"]
    return bytes(part.get_payload(decode=True)).decode()


@pytest.mark.parametrize("kind", ["the notifier", "its class and arguments"])
def test_a_mail_is_sent_by_airflow_s_notifier(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "to": ["team@example.org"],
        "subject": "{{ nrt.table }}!",
        "html_content": "{{ nrt.text }}: {{ nrt.missing }}",
    }
    with mail_server() as server:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "airflow@example.org"}
        connection = {"conn_type": "smtp", "host": "127.0.0.1", "port": server.port, "extra": extra}
        monkeypatch.setenv("AIRFLOW_CONN_SMTP_DEFAULT", json.dumps(connection))
        ring(SmtpNotifier(**given) if kind == "the notifier" else AsyncCallback(SmtpNotifier, kwargs=given))
        (mail,) = server.mails
    assert (mail["From"], mail["To"]) == ("airflow@example.org", "team@example.org")
    assert str(make_header(decode_header(mail["Subject"]))) == "sales!"
    assert text_of(mail) == "sales is stale: ['2024-06-18T10:10:00']"


def test_a_notifier_without_an_async_side_rings_in_a_thread_of_its_own() -> None:
    ring(Bell("{{ nrt.text }}", volume=11))
    ((message, volume, table, thread),) = CALLS
    assert (message, volume, table) == ("sales is stale", 11, "sales")
    assert thread != threading.get_ident()


def test_functions_are_called_whether_they_wait_or_not() -> None:
    ring([AsyncCallback(rung, kwargs={"who": "night shift"}), SyncCallback(rung_plainly)])
    (first, (thread, text)) = CALLS
    assert first == ("night shift", "sales is stale")
    assert text == "sales is stale" and thread != threading.get_ident()


def test_lists_may_have_all_kinds() -> None:
    found = callbacks_of([NrtNotifier(http_conn_id="alerts"), [AsyncCallback(rung)], Bell("ding")])
    assert [one.path.rpartition(".")[2] for one in found] == ["NrtNotifier", "rung", "Bell"]
    assert found[2].kwargs == {"message": "ding", "volume": 3}
    assert callbacks_of(None) == callbacks_of([]) == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Closed("ding"), "how this Closed was made can't be seen: give AsyncCallback(Closed, kwargs={…})"),
        (Bell({1, 2}), "how this Bell was made can't be seen"),  # type: ignore[arg-type]
        (rung, "can't be called in the triggerer: give a notifier, AsyncCallback(a function of an installed module)"),
        ("alerts", "'alerts' can't be called in the triggerer"),
    ],
)
def test_what_a_trigger_could_not_call_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        callbacks_of(given)
    assert message in str(wrong.value)
