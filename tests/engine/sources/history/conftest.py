"""The formats of a lakehouse."""

from tests.engine.sinks.lakehouse.conftest import delta, iceberg, lake

__all__ = ["delta", "iceberg", "lake"]
