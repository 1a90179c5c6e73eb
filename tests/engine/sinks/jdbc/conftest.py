"""A PostgreSQL and a MariaDB for the tests of a process."""

from tests.servers.fixtures import mariadb, postgresql, server

__all__ = ["mariadb", "postgresql", "server"]
