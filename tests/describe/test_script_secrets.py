"""What people read of a report has no secrets that stand in it, in whatever way they are written."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from airflow_nrt.describe.description import describe
from airflow_nrt.describe.description_lines import plan_lines
from airflow_nrt.describe.lineage import lineage_of
from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.model.connectors.jdbc import Jdbc
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.load import plan_script

S = "hunter22"
NAMES = (
    *("password", "PASSWD", "ssl.key.passphrase", "jdbc.pwd", "Authorization", "sasl.token", "client.secret"),
    *("access.key", "properties.sasl.jaas.config", "key.avro-confluent.basic-auth.user-info"),
)
HIDING = [
    f"'password' = '{S}'",
    f"'password'='{S}'''",
    f"'password' -- why\n /* here */ = /* and\n there */ -- too\n '{S}'",
    f"'password' = '{S}",
    f"'password' = U&'{S}' UESCAPE '!'",
    f'\'properties.sasl.jaas.config\' = \'org.Plain required username="u" password="{S}" x="${{X}}";\'',
    f"SET 'spark.hadoop.fs.s3a.secret.key' = '{S}';",
    f"SET spark.hadoop.fs.s3a.secret.key = {S};",
    f"SET /* a */ spark.hadoop.fs.s3a.secret.key -- b\n = /* c */ {S} {S};",
    f"set 'spark.a.token' = {S};",
    f"'url' = 'jdbc:postgresql://h:5432/db?user=u&password={S}&ssl=true'",
    f"'url' = 'jdbc:mysql://h/db?{S}'",
    f"'url' = 'https://me:{S}@h/path'",
    f"'url' = 'https://{S}@h'",
    f"'password' '{S}'",
    f"'password' = {S}, 'a' = 'b'",
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


def test_a_plan_is_described_without_secrets_that_stand_in_its_report() -> None:
    script = f"""
    SET 'spark.hadoop.fs.s3a.secret.key' = '{S}';
    SET 's3.secret-key' = '{S}';
    SET 'spark.hadoop.x.url' = 'https://u:{S}@h';
    SET 'spark.hadoop.x.token' = '${{TOKEN}}';
    CREATE TABLE orders (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 't',
      'properties.bootstrap.servers' = 'b:1', 'format' = 'csv', 'scan.startup.mode' = 'earliest-offset',
      'properties.sasl.jaas.config' = 'x required password="{S}";');
    CREATE TABLE out (shop INT, window_end TIMESTAMP(3), n BIGINT) WITH ('connector' = 'jdbc',
      'url' = 'jdbc:postgresql://u:{S}@h/db?password={S}', 'table-name' = 't', 'password' = '{S}');
    INSERT INTO out SELECT shop, window_end, COUNT(*)
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end;
    """
    plan = plan_script(script, {"TOKEN": S}, "r", Path("/"))
    described = describe(plan)
    assert described["settings"]["spark.hadoop.x.token"] == "${TOKEN}"
    assert S not in "\n".join([json.dumps(described), *plan_lines(described), str(lineage_of(plan))])
    assert S not in json.dumps(describe(plan_script(script.replace("${TOKEN}", "x"), {}, "r", Path("/"))))


@pytest.mark.parametrize("url", [f"jdbc:oracle://u:{S}@h/db?p={S}", f"jdbc:mysql://u:{S}@h /db", f"postgresql://{S}@h"])
def test_an_invalid_url_is_named_without_user_and_parameters(url: str) -> None:
    with pytest.raises(ValueError, match="is not of the form") as wrong:
        Jdbc.options["url"].read(url)
    assert S not in str(wrong.value)


@pytest.mark.parametrize("option", [f"'password' '{S}'", f"'password' = {S}", f"'password' = '{S}' 'x' = 'y'"])
def test_a_statement_that_can_t_be_parsed_is_named_without_them(option: str) -> None:
    with pytest.raises(SqlError, match="expected") as wrong:
        plan_script(f"CREATE TABLE t (a INT) WITH ('connector' = 'jdbc', {option});", {}, "r", Path("/"))
    assert S not in str(wrong.value)
