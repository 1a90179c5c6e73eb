"""One broker for the tests of a process, and topics of each test's own."""

from tests.servers.fixtures import broker, topics

__all__ = ["broker", "topics"]
