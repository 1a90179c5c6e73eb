"""What people read of a report has no secrets that stand in it, in whatever way they are written."""

from __future__ import annotations

import time

import pytest

from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.sql.errors import Place, SqlError

S = "hunter22"
NAMES = (
    *("password", "PASSWD", "ssl.key.passphrase", "jdbc.pwd", "Authorization", "sasl.token", "client.secret"),
    *("access.key", "properties.sasl.jaas.config", "key.avro-confluent.basic-auth.credentials"),
)
HIDING = [
    f"'password' = '{S}'",
    f"'password'='{S}'''",
    f"'password' -- why\n /* here */ = /* and\n there */ -- too\n '{S}'",
    f"'password' = '{S}",
    f'\'properties.sasl.jaas.config\' = \'org.Plain required username="u" password="{S}" x="${{X}}";\'',
    f"SET 'spark.hadoop.fs.s3a.secret.key' = '{S}';",
    f"SET spark.hadoop.fs.s3a.secret.key = {S};",
    f"SET /* a */ spark.hadoop.fs.s3a.secret.key -- b\n = /* c */ {S} {S};",
    f"set 'spark.a.token' = {S};",
    f"'url' = 'jdbc:postgresql://h:5432/db?user=u&password={S}&ssl=true'",
    f"'url' = 'jdbc:mysql://h/db?{S}'",
    f"'url' = 'https://me:{S}@h/path'",
    f"'url' = 'https://{S}@h'",
    f"'path' = 's3a://AKIA:{S}@bucket/x?sig={S}'",
    f"-- see https://me:{S}@h/\nSELECT 1",
    f'd.option("password", "{S}")',
    f"d.option( 'password' , '{S}')",
    f'd.option("password",  # why\n    "{S}")',
    f'd.option("password", f"{S}")',
    f'd.option("password", """{S}\n{S}""")',
    f't_env.get_config().set("spark.a.token", "{S}")',
    f'options = {{"password": "{S}", "user": "u"}}',
    f'os.environ["DB_PASSWD"] = "{S}"',
    f"DB_PASSWD = '{S}'",
    f'connect(password="{S}")',
    f"execute_sql('… \\'password\\' = \\'{S}\\' …')",
]
SHOWN = [
    "'password' = '${PASSWORD}', 'url' = 'jdbc:postgresql://${H}:5432/${DB}?user=${U}&password=${P}'",
    "'url' = 'https://${U}:${P}@h/path'",
    "'key.format' = 'json', 'key.fields' = 'shop', 'path' = 's3a://bucket/a'",
    "SELECT key, COUNT(*) FROM t WHERE key = 'eu' AND kind IN ('token', 'x') -- a? b\n",
    "JSON_VALUE(s, '$.token') = 'x'",
    "SET 'table.local-time-zone' = 'UTC'; SET pipeline.name = orders;",
    't_env.from_path("orders").select(col("key"), col("n"))',
]


@pytest.mark.parametrize("text", HIDING)
def test_secrets_are_hidden(text: str) -> None:
    shown = without_secrets(text)
    assert "***" in shown and S not in shown


@pytest.mark.parametrize("name", NAMES)
def test_options_with_a_name_of_a_secret(name: str) -> None:
    for text in (
        f"'{name}' = '{S}'",
        f"SET {name} = {S};",
        f'.option("{name}", "{S}")',
        f'{{"{name.upper()}": "{S}"}}',
    ):
        assert S not in without_secrets(text), text


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_none_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_only_the_secret_is_hidden() -> None:
    assert without_secrets(f"'url' = 'jdbc:x://u:{S}@h/db?a={S}&b=2', 'n' = '1'") == (
        "'url' = 'jdbc:x://***@h/db?a=***&b=***', 'n' = '1'"
    )
    assert without_secrets(f"SET a.token = {S}; SET b = 1;") == "SET a.token = ***; SET b = 1;"


@pytest.mark.parametrize("text", ["'" * 100_000, "'a'/*" * 20_000, "SET " * 25_000, "x://" * 25_000, '"""' * 30_000])
def test_time_is_bounded(text: str) -> None:
    start = time.monotonic()
    without_secrets(text)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("line", "column"), [(f"A 'password' = '{S}', 'sink' = 'x'", 25 + len(S)), (f"'password' = '{S}' B", 14)]
)
def test_an_error_shows_its_line_without_them(line: str, column: int) -> None:
    script = f"first\n{line}\nlast"
    wrong = str(SqlError("wrong", Place(2, column, 6 + column - 1), script))
    shown, mark = wrong.splitlines()[1:]
    assert S not in wrong and "***" in shown
    assert shown[mark.index("^")] == line[column - 1]


def test_a_secret_of_several_lines_is_hidden_in_each() -> None:
    script = f"'password' = '{S}\n{S}\n{S}' x"
    for number in (1, 2, 3):
        assert S not in str(SqlError("wrong", Place(number, 1, 0), script))
