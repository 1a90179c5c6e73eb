"""Databases with dimension tables."""

from tests.servers.fixtures import mariadb, postgresql, server

__all__ = ["mariadb", "postgresql", "server"]
