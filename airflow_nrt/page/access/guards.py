"""Guards of every answer: headers that let a browser run nothing but the page, and checks where changes come from."""

from __future__ import annotations

from urllib.parse import urlsplit

from airflow.configuration import conf
from fastapi import HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACTION_HEADER = "X-NRT-Action"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
}


class SafeHeaders:
    """Adds them to all answers of the app, errors too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers)


def check_origin(request: Request) -> None:
    """A change must come from the page itself, or from no browser: a foreign page can't set the header, nor forge
    these.

    Raises HTTPException (403, 415).
    """
    if request.headers.get(ACTION_HEADER) != "1":
        raise HTTPException(403, f"a change needs the header {ACTION_HEADER}: 1")
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        raise HTTPException(403, "a change must come from the page of this Airflow")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc not in _own_hosts(request):
        raise HTTPException(403, "a change must come from the page of this Airflow")
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "a change is JSON: Content-Type application/json")


def _own_hosts(request: Request) -> set[str]:
    """`[api] base_url` is the host where a proxy has changed the header."""
    base = conf.get("api", "base_url", fallback="") or ""
    return {host for host in (request.headers.get("Host"), urlsplit(base).netloc) if host}
