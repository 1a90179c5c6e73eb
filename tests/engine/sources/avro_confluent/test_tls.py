"""A schema registry that speaks TLS, with a certificate that nobody else has signed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.avro_confluent.registry import Found, schemas
from airflow_nrt.model.connectors.avro_confluent import RegistrySettings
from tests.servers.installed import missing
from tests.servers.registry import Registry

pytestmark = pytest.mark.process
ALL_IN_ONE = ("-nodes", "-subj", "/CN=registry", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-", "-out", "-")


def test_a_certificate_of_ones_own(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        missing("no openssl here: apt-get install openssl")
    line = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", *ALL_IN_ONE]
    certificate = tmp_path / "registry.pem"
    certificate.write_bytes(subprocess.run(line, check=True, capture_output=True).stdout)
    registry = Registry(certificate)
    try:
        number, files = registry.add('"int"'), {"truststore": str(certificate), "keystore": str(certificate)}
        trusting = RegistrySettings("table 'orders'", (registry.url,), **files)
        assert schemas(trusting, [number])[number] == Found('"int"')
        with pytest.raises(InputError, match="is not trusted") as wrong:
            schemas(RegistrySettings("table 'orders'", (registry.url,)), [number])
        assert "name the certificates to trust in 'avro-confluent.ssl.truststore.location'" in str(wrong.value)
    finally:
        registry.stop()
