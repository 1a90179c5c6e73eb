"""A schema registry: what it is asked, where a login is sent to, and what is said of one that does not help."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sources.avro_confluent import registry as asking
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import Kept, KeptSchemas
from airflow_nrt.engine.sources.avro_confluent.registry import Found, check_registry, registered, schemas
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors.avro_confluent import RegistrySettings
from airflow_nrt.model.tables import Table
from tests.servers.registry import Registry

LOGIN = f"Basic {base64.b64encode(b'me:top:secret').decode()}"


def settings(*registries: Registry, **more: Any) -> RegistrySettings:
    return RegistrySettings("table 'orders'", tuple(one.url for one in registries), **more)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_PAUSE", 0.0)


def test_schemas_by_number(registry: Registry) -> None:
    number = registry.add('"string"')
    protobuf = registry.add("syntax", schemaType="PROTOBUF")
    referring = registry.add("{}", references=[{"name": "a", "subject": "a", "version": 1}])
    found = schemas(settings(registry), [number, protobuf, referring, 77])
    assert found[number] == Found('"string"')
    assert found[protobuf] == Found(None, "it is of PROTOBUF, not of Avro")
    assert "refers to other schemas" in found[referring].why
    assert found[77] == Found(None, f"the schema registry at {registry.url} has no such schema")


def test_a_number_that_one_server_does_not_know_yet_is_asked_for_again(registry: Registry) -> None:
    answer = registry.answer
    registry.answer = lambda *asked: (registry.add('"int"'), answer(*asked))[1]  # type: ignore[method-assign]
    assert schemas(settings(registry), [2])[2] == Found('"int"')
    assert [path for path, _ in registry.asked] == ["/schemas/ids/2"] * 2


def test_a_schema_is_registered_once(registry: Registry) -> None:
    of = settings(registry)
    first = registered(of, "a/b-value", '"int"')
    assert (registered(of, "a/b-value", '"int"'), registry.subjects) == (first, {"a/b-value": [first]})
    assert registry.asked == [("/subjects/a%2Fb-value/versions", None)]


@pytest.mark.parametrize(
    ("given", "expected"), [({"login": "me:top:secret"}, LOGIN), ({"token": "abc"}, "Bearer abc"), ({}, None)]
)
def test_the_login(registry: Registry, given: dict[str, str], expected: str | None) -> None:
    check_registry(settings(registry, **given))
    assert registry.asked == [("/schemas/ids/0", expected)]


def test_a_login_that_is_refused_is_not_said(registry: Registry) -> None:
    registry.login = LOGIN
    with pytest.raises(InputError) as wrong:
        check_registry(settings(registry, login="me:wrong-password"))
    told = str(wrong.value)
    assert told.startswith(f"table 'orders': the schema registry at {registry.url} refuses the login: Unauthorized.")
    assert "wrong-password" not in told and "wrong-password" not in repr(settings(registry, login="me:wrong-password"))


def test_a_redirect_gets_no_login(registry: Registry) -> None:
    other = Registry()
    registry.elsewhere = other.url
    try:
        with pytest.raises(InputError, match="sends to another place, which is not followed"):
            schemas(settings(registry, login="me:top:secret"), [1])
        assert other.asked == [] and registry.asked == [("/schemas/ids/1", LOGIN)]
    finally:
        other.stop()


def test_another_server_answers_for_one_that_is_away(registry: Registry) -> None:
    other = Registry()
    other.stop()
    number = registry.add('"int"')
    assert schemas(settings(other, registry), [number])[number] == Found('"int"')
    with pytest.raises(UnreachableError) as gone:
        schemas(settings(other), [1])
    assert str(gone.value).startswith(
        f"table 'orders': no schema registry answers at {other.url}: start it, or correct"
    )


def test_a_registry_that_can_not_answer_now_is_away(registry: Registry) -> None:
    with registry.away(), pytest.raises(UnreachableError, match="no leader"):
        check_registry(settings(registry))


@pytest.mark.parametrize("said", [(404, {}), (200, {"schema": 7}), (400, {"message": "?"})])
def test_what_is_no_registry(registry: Registry, said: tuple[int, dict[str, Any]]) -> None:
    registry.refusal = said
    with pytest.raises(InputError, match=f"what answers at {registry.url} is no schema registry"):
        schemas(settings(registry), [1])


def test_an_answer_without_end_is_not_held(registry: Registry) -> None:
    registry.add("x" * (5 * 1024**2))
    with pytest.raises(UnreachableError, match="more than"):
        schemas(settings(registry), [1])


def test_a_schema_that_is_refused(registry: Registry) -> None:
    registry.refusal = (409, {"error_code": 409, "message": "incompatible: field n is gone"})
    with pytest.raises(InputError, match="refuses the schema of the columns for subject 'orders-value': incompatible"):
        registered(settings(registry), "orders-value", '"int"')


def test_a_keystore_that_is_no_pem(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "trust.jks").write_bytes(b"\xfe\xed\xfe\xed")
    of = RegistrySettings("table 'orders'", ("https://127.0.0.1:1",), truststore=str(tmp_path / "trust.jks"))
    with pytest.raises(InputError, match="is no file in PEM: convert one of JKS with keytool"):
        check_registry(of)


@pytest.mark.parametrize("side", ["value", "key"])
@pytest.mark.parametrize("is_lenient", [True, False])
def test_a_home_keeps_them(tmp_path: Path, side: str, is_lenient: bool) -> None:
    """What is not known is kept where records of it are rejected."""
    options = {"value.format": "avro-confluent", "value.avro-confluent.ignore-parse-errors": str(is_lenient).lower()}
    home, table = Home(tmp_path), Table("a/b", (), "kafka", options=options)
    kept = KeptSchemas.of(home.schemas, table, side)
    kept.keep("http://r:8081", {7: Found('"int"'), 8: Found(None, "unknown")})
    unknown = {8: Kept("http://r:8081", None, "unknown")} if is_lenient else {}
    assert kept.read([6, 7, 8]) == {7: Kept("http://r:8081", '"int"', ""), **unknown}
    assert KeptSchemas.of(home.schemas, replace(table, name="ab"), side).read([7]) == {}
    assert KeptSchemas.of(None, table, side).read([7]) == {}
    assert [one.name for one in home.schemas.local.iterdir()] == [f"a%2Fb.{side}"]
