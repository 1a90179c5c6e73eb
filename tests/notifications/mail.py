"""A mail server of this host that keeps what is sent to it."""

from __future__ import annotations

import contextlib
import email
import threading
from collections.abc import Iterator
from email.message import Message
from socketserver import StreamRequestHandler, ThreadingTCPServer


class MailServer(ThreadingTCPServer):
    """Speaks as much SMTP as a client needs that signs in nowhere. `mails` are those that it took."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mails: list[Message] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Handler(StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._answer("220 mail.test")
        while line := self.rfile.readline():
            word = line.split()[0].upper().decode() if line.split() else ""
            if word == "DATA":
                self._answer("354 go on")
                self._take()
            self._answer("221 bye" if word == "QUIT" else "250 ok")
            if word == "QUIT":
                return

    def _take(self) -> None:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.mails.append(email.message_from_bytes(b"".join(lines)))

    def _answer(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextlib.contextmanager
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
