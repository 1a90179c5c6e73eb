"""Format `avro-confluent`: records of Avro that name their schema by its number in a schema registry.

A record is a byte 0, the number in four bytes, and Avro's binary encoding. A reader asks the registry for the schema of
that number, a writer for the number of its schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.avro import CORRECT, LEGACY, WIRE, Timestamps, record_schema
from airflow_nrt.model.options.option import (
    Option,
    Refusal,
    free,
    named,
    of_policy,
    one_of,
    only,
    parse_boolean,
    positive,
)
from airflow_nrt.model.shapes.url import shown_url
from airflow_nrt.model.tables import Table

AVRO_CONFLUENT = "avro-confluent"
_P = f"{AVRO_CONFLUENT}."
URL, SUBJECT, SCHEMA = f"{_P}url", f"{_P}subject", f"{_P}schema"
_OLDER = {URL: f"{_P}schema-registry.url", SUBJECT: f"{_P}schema-registry.subject"}
"""What Flink called them before, and still reads."""
BASIC, USER_INFO = f"{_P}basic-auth.credentials-source", f"{_P}basic-auth.user-info"
BEARER, TOKEN = f"{_P}bearer-auth.credentials-source", f"{_P}bearer-auth.token"
KEYSTORE, KEYSTORE_PASSWORD = f"{_P}ssl.keystore.location", f"{_P}ssl.keystore.password"
TRUSTSTORE, TRUSTSTORE_PASSWORD = f"{_P}ssl.truststore.location", f"{_P}ssl.truststore.password"
CONNECT, READ = f"{_P}properties.http.connect.timeout.ms", f"{_P}properties.http.read.timeout.ms"
LEGACY_MAPPING = f"{_P}timestamp_mapping.legacy"
_OF_URL, _OF_USER_INFO = "url", "user_info"


def _credentials_source(text: str) -> str:
    if text.lower() == "sasl_inherit":
        raise ValueError(f"{text!r} is not there: write 'USER_INFO', and the user and the password in '{USER_INFO}'")
    return one_of(_OF_USER_INFO, _OF_URL)(text)


AVRO_CONFLUENT_OPTIONS = (
    *free(
        Option(URL, str, None, "the schema registry, as 'http://host:8081'; several are separated by ','"),
        Option(SUBJECT, str, None, "the subject of a sink's schema; default: <topic>-value, or <topic>-key of keys"),
        *(Option(older, str, None, "an older name") for older in _OLDER.values()),
        Option(BASIC, _credentials_source, None, "'USER_INFO', or 'URL': where the user and the password stand"),
        Option(USER_INFO, str, None, "by 'USER_INFO': user:password"),
        Option(
            BEARER,
            only("STATIC_TOKEN", f"write the token in '{TOKEN}'"),
            None,
            "'STATIC_TOKEN' is all there is",
        ),
        Option(TOKEN, str, None, "by 'STATIC_TOKEN': the token"),
        Option(KEYSTORE, str, None, "a file in PEM with the client's key and certificates"),
        Option(KEYSTORE_PASSWORD, str, None, "of the key in it"),
        Option(TRUSTSTORE, str, None, "a file in PEM with the certificates that are trusted"),
        Option(
            TRUSTSTORE_PASSWORD, Refusal("a file in PEM has none: leave it out"), None, "of a truststore; PEM has none"
        ),
        Option(CONNECT, positive, 10_000, "ms: how long to wait for a connection"),
        Option(READ, positive, 10_000, "ms: how long to wait for an answer"),
        Option(
            f"{_P}properties.*",
            Refusal(f"of the properties of Confluent's client there are '{CONNECT}' and '{READ}'"),
            None,
            "other properties of Confluent's client",
        ),
        Option(
            f"{_P}properties", Refusal(f"write each as '{_P}properties.NAME'"), None, "properties of Confluent's client"
        ),
    ),
    Option(SCHEMA, str, None, "the schema that a sink registers, instead of the one that Flink derives"),
    Option(
        LEGACY_MAPPING,
        parse_boolean,
        True,
        "of a sink: as 'avro.timestamp_mapping.legacy'. Flink has no such option here: to it, it is always true",
    ),
    *of_policy(
        Option(
            f"{_P}ignore-parse-errors",
            parse_boolean,
            False,
            "A record that can't be parsed is rejected and counted. Flink has no such option, and fails.",
        )
    ),
)
_KNOWN = named(AVRO_CONFLUENT_OPTIONS)


@dataclass(frozen=True)
class RegistrySettings:
    """Where a schema registry is, and how to log in. `where` names the table, for people; times are in ms."""

    where: str
    urls: tuple[str, ...]
    login: str | None = field(default=None, repr=False)
    """`user:password`."""
    token: str | None = field(default=None, repr=False)
    truststore: str | None = None
    keystore: str | None = None
    keystore_password: str | None = field(default=None, repr=False)
    connect_timeout: int = 10_000
    read_timeout: int = 10_000

    @property
    def place(self) -> str:
        """The registry, for people."""
        return ", ".join(map(shown_url, self.urls))


def option(part: Table, name: str) -> Any:
    """The value of an option of a key or a value, or its default."""
    text = part.options.get(name, part.options.get(_OLDER.get(name, name)))
    return _KNOWN[name].default if text is None else _KNOWN[name].read(text)


def registry_settings(part: Table) -> RegistrySettings:
    """The registry of a key or a value. Raises InputError for options that contradict each other."""
    where = f"table {part.name!r}"
    urls = tuple(_url(where, one.strip()) for one in str(option(part, URL) or "").split(",") if one.strip())
    if not urls:
        raise InputError(f"{where}: format '{AVRO_CONFLUENT}' needs the option '{URL}'")
    login, token = _login(part, urls), option(part, TOKEN)
    for source, value in ((BASIC, USER_INFO), (BEARER, TOKEN)):
        if option(part, value) is not None and option(part, source) is None:
            kind = "USER_INFO" if source == BASIC else "STATIC_TOKEN"
            raise InputError(f"{where}: '{value}' needs '{source}' = '{kind}', as in Flink")
    if option(part, BEARER) is not None and token is None:
        raise InputError(f"{where}: '{BEARER}' needs '{TOKEN}'")
    if login is not None and token is not None:
        raise InputError(f"{where}: '{BASIC}' and '{BEARER}' exclude each other: leave one out")
    return RegistrySettings(
        where,
        urls,
        login,
        token,
        option(part, TRUSTSTORE),
        option(part, KEYSTORE),
        option(part, KEYSTORE_PASSWORD),
        option(part, CONNECT),
        option(part, READ),
    )


def check_avro_confluent(part: Table) -> None:
    """Raises InputError for a key or a value that can't be read so."""
    registry_settings(part)
    # Which columns Avro has types and names for.
    record_schema(part, part.columns, WIRE)


def written_schema(part: Table) -> dict[str, Any]:
    """The schema that a sink registers. Raises InputError if Avro has none for the columns, or if that which the table
    gives is another one."""
    derived = record_schema(part, part.columns, _mapping(part))
    text = option(part, SCHEMA)
    if text is None:
        return derived
    if not option(part, LEGACY_MAPPING):
        raise InputError(f"table {part.name!r}: '{SCHEMA}' and '{LEGACY_MAPPING}' = 'false' exclude each other")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise InputError(f"table {part.name!r}: '{SCHEMA}' is no JSON: {wrong}") from None
    if _bare(given) != _bare(derived):
        raise InputError(
            f"table {part.name!r}: '{SCHEMA}' is not the schema of the columns, which is, but for names of records and "
            f"defaults, {json.dumps(derived)}"
        )
    return dict(given)


def encoded_schema(part: Table) -> dict[str, Any]:
    """The schema with which Spark writes the bytes of `written_schema`: to it a TIMESTAMP is always local."""
    if option(part, SCHEMA) is None:
        return record_schema(part, part.columns, WIRE)
    return dict(_local(written_schema(part)))


def _local(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_local(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {name: _local(one) for name, one in schema.items() if name != "default"}
    logical = str(found.get("logicalType", ""))
    return {**found, "logicalType": f"local-{logical}"} if logical.startswith("timestamp-") else found


def _mapping(part: Table) -> Timestamps:
    chosen = LEGACY if option(part, LEGACY_MAPPING) else CORRECT
    return replace(chosen, option=LEGACY_MAPPING)


def _bare(schema: Any) -> Any:
    """A schema without names of records, defaults and comments, and with null as the first of a union."""
    if isinstance(schema, list):
        return sorted(map(_bare, schema), key=lambda one: (one != "null", str(one)))
    if not isinstance(schema, Mapping):
        return schema
    kind = schema.get("type")
    if kind == "record":
        fields = schema.get("fields")
        named = fields if isinstance(fields, list) else []
        return ("record", [(one.get("name"), _bare(one.get("type"))) for one in named if isinstance(one, Mapping)])
    if kind in ("array", "map"):
        return (kind, _bare(schema.get("items", schema.get("values"))))
    rest = {name: schema[name] for name in ("logicalType", "precision", "scale") if name in schema}
    return (kind, sorted(rest.items())) if rest else _bare(kind)


def _url(where: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or re.search(r"[\s\x00-\x1f\x7f]", url):
        raise InputError(f"{where}: '{URL}' = {shown_url(url)!r} is no url as 'http://host:8081'")
    return url


def _login(part: Table, urls: tuple[str, ...]) -> str | None:
    where, source, info = f"table {part.name!r}", option(part, BASIC), option(part, USER_INFO)
    in_urls = {one.netloc.rpartition("@")[0] for one in map(urlsplit, urls)}
    if source == _OF_USER_INFO:
        if in_urls != {""}:
            raise InputError(f"{where}: '{BASIC}' = 'USER_INFO', and '{URL}' has a user, too: leave that one out")
        if info is None or ":" not in info:
            raise InputError(f"{where}: '{BASIC}' = 'USER_INFO' needs '{USER_INFO}' = 'user:password'")
        return str(info)
    if len(in_urls) > 1:
        raise InputError(f"{where}: '{URL}': all urls have the same user and password, or none has")
    (of_urls,) = in_urls
    if source == _OF_URL and ":" not in of_urls:
        raise InputError(f"{where}: '{BASIC}' = 'URL' needs '{URL}' = 'http://user:password@host:8081'")
    return unquote(of_urls) or None
