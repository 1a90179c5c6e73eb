"""Requests of a schema registry: answers of bounded size and time, and no redirect, so that no other host gets a login.

A registry that does not answer, or says that it can't now, is away: it may be back.
"""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.model.connectors.avro_confluent import BASIC, BEARER, KEYSTORE, TRUSTSTORE, URL, RegistrySettings
from airflow_nrt.model.shapes.url import shown_url

_MOST_BYTES = 4 * 1024**2
"""Of an answer."""
_CONTENT = "application/vnd.schemaregistry.v1+json"
_MOST_LETTERS = 300
"""Of what a server says, in a message."""
_PEM = b"-----BEGIN"


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its JSON (None if it is none), and what it says, for people."""

    status: int
    content: Any

    @property
    def code(self) -> int | None:
        """The registry's own number of an error."""
        return self.content.get("error_code") if isinstance(self.content, dict) else None

    @property
    def message(self) -> str:
        found = self.content.get("message") if isinstance(self.content, dict) else None
        return shortened(str(found), _MOST_LETTERS) if found else f"status {self.status}"


def ask(settings: RegistrySettings, path: str, body: Mapping[str, Any] | None = None) -> Answer:
    """The answer to a GET, or to a POST with a body. `path` begins with `/`.

    The first of several urls that answers counts. Raises UnreachableError if none does, and InputError if one
    redirects, refuses the login, or can't be trusted.
    """
    away: list[str] = []
    for url in settings.urls:
        try:
            answer = _request(settings, url, path, body)
        except ssl.SSLCertVerificationError as wrong:
            raise InputError(
                f"{settings.where}: the certificate of {shown_url(url)} is not trusted ({wrong.verify_message}): name "
                f"the certificates to trust in '{TRUSTSTORE}', a file in PEM"
            ) from None
        except (OSError, HTTPException) as gone:
            away.append(f"{shown_url(url)}: {gone or type(gone).__name__}")
            continue
        if answer.status >= 500 or answer.status == 429:
            away.append(f"{shown_url(url)}: {answer.message}")
            continue
        _check(settings, url, answer)
        return answer
    said = "; ".join(away)
    raise UnreachableError(
        f"{settings.where}: no schema registry answers at {settings.place}: start it, or correct '{URL}' ({said})"
    )


def _check(settings: RegistrySettings, url: str, answer: Answer) -> None:
    place = f"{settings.where}: the schema registry at {shown_url(url)}"
    if 300 <= answer.status < 400:
        raise InputError(f"{place} sends to another place, which is not followed: write that one in '{URL}'")
    if answer.status in (401, 403):
        raise InputError(f"{place} refuses the login: {answer.message}. Correct '{BASIC}' or '{BEARER}'")


def _request(settings: RegistrySettings, url: str, path: str, body: Mapping[str, Any] | None) -> Answer:
    parts = urlsplit(url)
    assert parts.hostname is not None
    seconds = settings.connect_timeout / 1000
    connection = (
        HTTPSConnection(parts.hostname, parts.port, timeout=seconds, context=_trust(settings))
        if parts.scheme == "https"
        else HTTPConnection(parts.hostname, parts.port, timeout=seconds)
    )
    try:
        connection.connect()
        until = time.monotonic() + settings.read_timeout / 1000
        connection.sock.settimeout(settings.read_timeout / 1000)
        given = None if body is None else json.dumps(body).encode()
        headers = {"Accept": _CONTENT, **_login(settings), **({"Content-Type": _CONTENT} if given else {})}
        connection.request("POST" if given else "GET", parts.path.rstrip("/") + path, given, headers)
        response = connection.getresponse()
        content = b""
        while piece := response.read1(64 * 1024):
            content += piece
            if len(content) > _MOST_BYTES:
                raise HTTPException(f"its answer has more than {_MOST_BYTES} bytes")
            if time.monotonic() > until:
                raise TimeoutError("its answer takes too long")
        return Answer(response.status, _json(content))
    finally:
        connection.close()


def _login(settings: RegistrySettings) -> dict[str, str]:
    if settings.token is not None:
        return {"Authorization": f"Bearer {settings.token}"}
    if settings.login is not None:
        return {"Authorization": f"Basic {base64.b64encode(settings.login.encode()).decode()}"}
    return {}


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _trust(settings: RegistrySettings) -> ssl.SSLContext:
    """What certificates are trusted, and the client's own. Raises InputError for a file that is none in PEM."""
    context = ssl.create_default_context()
    try:
        if settings.truststore is not None:
            _check_pem(settings, TRUSTSTORE, settings.truststore)
            context = ssl.create_default_context(cafile=settings.truststore)
        if settings.keystore is not None:
            _check_pem(settings, KEYSTORE, settings.keystore)
            # Without a password, ssl would ask for one at the terminal.
            context.load_cert_chain(settings.keystore, password=settings.keystore_password or "")
    except (ssl.SSLError, ValueError) as wrong:
        raise InputError(
            f"{settings.where}: '{TRUSTSTORE}' or '{KEYSTORE}' can't be used: {wrong}: correct the file or its password"
        ) from None
    return context


def _check_pem(settings: RegistrySettings, option: str, path: str) -> None:
    try:
        with Path(path).open("rb") as file:
            is_pem = _PEM in file.read(64 * 1024)
    except OSError as wrong:
        raise InputError(f"{settings.where}: '{option}' = {path!r} can't be read: {wrong.strerror}") from None
    if not is_pem:
        raise InputError(
            f"{settings.where}: '{option}' = {path!r} is no file in PEM: convert one of JKS with keytool "
            "-importkeystore -deststoretype PKCS12, and that with openssl pkcs12 -nodes"
        )
