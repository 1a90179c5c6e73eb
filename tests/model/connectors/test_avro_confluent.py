"""The options of a schema registry, and the schema that a sink registers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.model.connectors.avro_confluent import encoded_schema, registry_settings, written_schema
from airflow_nrt.model.connectors.kafka_options import value_part
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script

P = "avro-confluent."
URL = "http://r:8081"


def plan(columns: str = "n INT", **options: str) -> Plan:
    """A report that copies a topic. Options are as they are, or with `_` for `.` and `__` for `-`; '' is none."""
    named = {n if {".", "-"} & {*n} else n.replace("__", "-").replace("_", "."): text for n, text in options.items()}
    written = "".join(f", '{P}{name}' = '{text}'" for name, text in ({"url": URL} | named).items() if text)
    script = f"""
        CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'avro-confluent',
          'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset'{written});
        CREATE TABLE copy WITH ('topic' = 'copies') LIKE t (OVERWRITING OPTIONS);
        INSERT INTO copy SELECT * FROM t;
    """
    return plan_script(script, {}, "avro", Path())


WRONG = {
    "no host": ({"url": "r:8081"}, f"'{P}url' = 'r:8081' is no url as 'http://host:8081'"),
    "another scheme": ({"url": "file:///etc/passwd"}, "is no url as"),
    "parameters": ({"url": f"{URL}?a=b"}, "is no url as"),
    "a user of no use": (
        {"basic__auth_user__info": "me:p"},
        f"'{P}basic-auth.user-info' needs '{P}basic-auth.credentials-source' = 'USER_INFO', as in Flink",
    ),
    "no user": ({"basic__auth_credentials__source": "USER_INFO"}, "'USER_INFO' needs"),
    "no user in the url": ({"basic__auth_credentials__source": "URL"}, "'URL' needs"),
    "a user of SASL": (
        {"basic__auth_credentials__source": "SASL_INHERIT"},
        "'SASL_INHERIT' is not there: write 'USER_INFO'",
    ),
    "another source of a user": (
        {"basic__auth_credentials__source": "x"},
        f"option '{P}basic-auth.credentials-source': 'x' is none of 'user_info', 'url'",
    ),
    "OAuth": ({"bearer__auth_credentials__source": "OAUTHBEARER"}, f"write the token in '{P}bearer-auth.token'"),
    "no token": ({"bearer__auth_credentials__source": "STATIC_TOKEN"}, f"needs '{P}bearer-auth.token'"),
    "a token of no use": ({"bearer__auth_token": "x"}, "= 'STATIC_TOKEN', as in Flink"),
    "a user twice": (
        {"url": "http://me:p@r:8081", "basic__auth_credentials__source": "USER_INFO", "basic__auth_user__info": "a:b"},
        "has a user, too: leave that one out",
    ),
    "two users": ({"url": f"http://me:p@r:8081,{URL}"}, "all urls have the same user and password, or none has"),
    "a user and a token": (
        {"url": "http://me:p@r:8081", "bearer__auth_credentials__source": "STATIC_TOKEN", "bearer__auth_token": "x"},
        "exclude each other",
    ),
    "a password of PEM": ({"ssl_truststore_password": "x"}, "a file in PEM has none: leave it out"),
    "a property": ({"properties_proxy_host": "x"}, "of the properties of Confluent's client there are"),
    "a map of properties": ({"properties": "a:b"}, f"write each as '{P}properties.NAME'"),
    "a schema that is none": ({"schema": "{"}, f"'{P}schema' is no JSON"),
    "another schema": ({"schema": '"string"'}, f"'{P}schema' is not the schema of the columns, which is"),
}


@pytest.mark.parametrize("name", WRONG)
def test_options(name: str) -> None:
    options, expected = WRONG[name]
    with pytest.raises(InputError) as wrong:
        plan(**options)
    assert expected in str(wrong.value)


def test_where_users_stand() -> None:
    def login(**options: str) -> str | None:
        return registry_settings(value_part(plan(**options).sources[0].table)).login

    assert login(url="http://me:a%2Fb@r:8081, http://me:a%2Fb@s:8081") == "me:a/b"
    assert login(basic__auth_credentials__source="user_info", basic__auth_user__info="me:top:secret") == "me:top:secret"
    assert login() is None


def test_older_names() -> None:
    def urls(**options: str) -> tuple[str, ...]:
        return registry_settings(value_part(plan(**options).sources[0].table)).urls

    assert urls(**{"url": "", "schema-registry.url": "http://old:8081"}) == ("http://old:8081",)
    assert urls(**{"schema-registry.url": "http://old:8081"}) == (URL,)


def test_secrets_are_hidden() -> None:
    script = f"""'{P}url' = 'http://me:pass1@r',
        '{P}basic-auth.user-info' = 'me:pass2', '{P}bearer-auth.token' = 'pass3',
        'key.{P}basic-auth.user-info' = 'me:pass4', '{P}ssl.keystore.password' = 'pass5',
        '{P}schema-registry.url' = 'http://me:pass6@r'"""
    assert "pass" not in without_secrets(script).replace("password", "")


def test_what_is_registered() -> None:
    (insert,) = plan("n INT, ts TIMESTAMP(3)").written
    derived = written_schema(value_part(insert.sink))
    assert derived["fields"][1]["type"] == ["null", {"type": "long", "logicalType": "timestamp-millis"}]
    own = {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "doc": "an order",
        "fields": [
            {"name": "n", "type": ["int", "null"], "default": 0},
            {"name": "ts", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        ],
    }
    (insert,) = plan("n INT, ts TIMESTAMP(3)", schema=json.dumps(own)).written
    part = value_part(insert.sink)
    assert written_schema(part) == own
    assert encoded_schema(part)["fields"][1]["type"][1]["logicalType"] == "local-timestamp-millis"
    assert encoded_schema(part)["fields"][0]["type"] == ["int", "null"]


def test_a_type_that_flink_does_not_write_there() -> None:
    with pytest.raises(InputError, match=f"needs '{P}timestamp_mapping.legacy' = 'false'"):
        plan("at TIMESTAMP_LTZ(3)")
    (insert,) = plan("at TIMESTAMP_LTZ(3)", **{"timestamp_mapping.legacy": "false"}).written
    expected = {"type": "long", "logicalType": "timestamp-millis"}
    assert written_schema(value_part(insert.sink))["fields"][0]["type"][1] == expected
