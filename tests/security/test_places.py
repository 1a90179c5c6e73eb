"""Who triggers a DAG chooses values, never places: a run's value redirects no connection and leaves no directory.

Values of the author (a literal of the DAG, the command line, a connection) may be places, but change no other part of
a URL or of a JAAS text than their own.

Covers airflow_nrt/model/shapes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.load import plan_script
from airflow_nrt.table.reports.load import load_report

SECRET = "hunter22"
EVIL = "evil.example"
UP = "../../../../etc/cron.d"
SOURCE = """CREATE TABLE orders (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
"""
INSERT = """
INSERT INTO out SELECT shop, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end;
"""
OPTIONS = {
    "jdbc": {"url": "jdbc:postgresql://db:5432/app", "table-name": "out", "username": "u", "password": "${PASSWORD}"},
    "kafka": {
        "topic": "out",
        "properties.bootstrap.servers": "broker:9092",
        "properties.sasl.jaas.config": 'org.Plain required username="u" password="${PASSWORD}";',
        "format": "json",
    },
    "filesystem": {"path": "/data/out", "format": "json"},
    "iceberg": {
        "catalog-name": "lake",
        "catalog-type": "jdbc",
        "uri": "jdbc:postgresql://db:5432/lake",
        "jdbc.password": "${PASSWORD}",
        "warehouse": "/lake",
    },
}


def script(connector: str, /, **changed: str) -> str:
    """A report whose sink has these options; `__` in a name is a dot, `_` is a dash."""
    own = {name.replace("__", ".").replace("_", "-"): text for name, text in changed.items()}
    options = {"connector": connector, **OPTIONS[connector], **own}
    listed = ", ".join(f"'{name}' = '{text}'" for name, text in options.items())
    return f"{SOURCE}CREATE TABLE out (shop INT, window_end TIMESTAMP(3), n BIGINT) WITH ({listed});{INSERT}"


def plan(text: str, values: Mapping[str, str], of_run: bool, unsafe: tuple[str, ...] = ()) -> Plan:
    settings = {**({"PASSWORD": SECRET} if "${PASSWORD}" in text else {}), **values}
    chosen = tuple(values) if of_run else ()
    return plan_script(text, Settings(tuple(settings.items()), unsafe=unsafe, of_run=chosen), "report", Path("/"))


def option(name: str, text: str, values: Mapping[str, str], of_run: bool, connector: str) -> str:
    """The option as it is planned."""
    changed = {name.replace(".", "__").replace("-", "_"): text}
    return plan(script(connector, **changed), values, of_run).inserts[0].sink.options[name]


PG, MY = "jdbc:postgresql://db:5432/", "jdbc:mysql://db:3306/"
NEVER = [
    ("jdbc", "url", f"{PG}${{X}}", f"app?PGHOST={EVIL}"),
    ("jdbc", "url", f"{PG}${{X}}", f"app?socketFactory={EVIL}"),
    ("jdbc", "url", f"{PG}${{X}}", f"app&PGHOST={EVIL}"),
    ("jdbc", "url", f"{PG}${{X}}", f"../{EVIL}"),
    ("jdbc", "url", f"{PG}app?${{X}}", f"PGHOST={EVIL}"),
    ("jdbc", "url", f"{PG}app?${{X}}=x", "PGHOST"),
    ("jdbc", "url", f"{PG}app?PGHOST=${{X}}", EVIL),
    ("jdbc", "url", f"{PG}app?sslmode=${{X}}&socketFactory=${{X}}", "x"),
    ("jdbc", "url", "jdbc:postgresql://${X}:5432/app", f"{EVIL}/app?x="),
    ("jdbc", "url", "${X}", f"{PG}app?PGHOST={EVIL}"),
    ("jdbc", "url", "jdbc:${X}", f"postgresql://db/app?socketFactory={EVIL}"),
    ("jdbc", "url", "jdbc:mysql://${X}:3306/app", f"address=(host={EVIL})"),
    ("jdbc", "url", "jdbc:mysql://${X}:3306/app", f"{EVIL}:3306/x?y="),
    ("jdbc", "url", f"{MY}${{X}}", "app?allowLocalInfile=true"),
    ("jdbc", "url", f"{MY}app?user=${{X}}", "u&allowLocalInfile=true"),
    ("jdbc", "url", f"{MY}app?initSql=${{X}}", "DROP"),
    ("iceberg", "uri", f"{PG}${{X}}", f"lake?PGHOST={EVIL}"),
    ("filesystem", "path", "/data/${X}", UP),
    ("filesystem", "path", "/data/${X}/out", f"x/{UP}"),
    ("filesystem", "path", "file:///data/${X}", "%2e%2e/etc"),
    ("iceberg", "warehouse", "/lake/${X}", UP),
    ("kafka", "properties.sasl.jaas.config", "org.Plain required password=${X};", f'"x"; {EVIL} required'),
    ("kafka", "properties.sasl.jaas.config", "org.${X} required;", f"{EVIL} required; org.Plain"),
]
"""Nobody's value may be this: connector, option, its text, the value of ${X}."""
OF_RUN = [
    ("jdbc", "url", "jdbc:postgresql://${X}:5432/app", EVIL),
    ("jdbc", "url", "jdbc:postgresql://db:${X}/app", "6666"),
    ("jdbc", "url", "jdbc:postgresql://${X}", f"{EVIL}/app"),
    ("jdbc", "url", "${X}", f"jdbc:postgresql://{EVIL}/app"),
    ("jdbc", "url", f"{PG}app?sslmode=${{X}}", "disable"),
    ("jdbc", "url", f"{PG}app?sslrootcert=${{X}}", "mine.pem"),
    ("jdbc", "url", f"{PG}app?options=${{X}}", "x"),
    ("jdbc", "connection", "${X}", "another"),
    ("jdbc", "table-name", "${X}", "other; DROP"),
    ("jdbc", "table-name", "${X}", "secret_schema.other"),
    ("kafka", "topic-pattern", "out-${X}", ".+"),
    ("kafka", "topic-pattern", "out-${X}", "a.b"),
    ("filesystem", "source.path.regex-pattern", "/data/${X}/.*", "a|b"),
    ("filesystem", "path", "${X}/out", "/etc"),
    ("filesystem", "path", "/data/${X}", "a/b"),
    ("filesystem", "path", "/data/${X}", ".."),
    ("filesystem", "path", "/data/.${X}/out", "."),
    ("filesystem", "path", "/data/${X}/out", ""),
    ("filesystem", "path", "s3a://${X}/out", EVIL),
    ("filesystem", "path", "file://${X}/out", EVIL),
    ("filesystem", "path", "/data/${X}", "%2e%2e%2fetc"),
    ("filesystem", "path", "/data/${X}", "{a,b}"),
    ("filesystem", "path", "${X}", "s3a:out"),
    ("filesystem", "connector", "${X}", "print"),
    ("iceberg", "catalog-type", "${X}", "hadoop"),
    ("iceberg", "catalog-database", "${X}", UP),
    ("iceberg", "catalog-table", "${X}", "a/b"),
    ("iceberg", "jdbc.socketFactory", "${X}", EVIL),
    ("kafka", "properties.bootstrap.servers", "${X}", f"{EVIL}:9092"),
    ("kafka", "properties.bootstrap.servers", "broker:9092,${X}:9092", EVIL),
    ("kafka", "properties.bootstrap.servers", "broker:${X}", "6666"),
    ("kafka", "avro-confluent.url", "http://${X}:8081", EVIL),
    ("kafka", "key.avro-confluent.url", "${X}", f"http://{EVIL}"),
    ("kafka", "avro-confluent.url", "http://registry:8081/${X}", f"a,http://{EVIL}"),
    ("kafka", "properties.security.protocol", "${X}", "PLAINTEXT"),
    ("kafka", "properties.sasl.mechanism", "${X}", "PLAIN"),
    ("kafka", "properties.sasl.jaas.config", "${X}", f"{EVIL} required;"),
    ("kafka", "properties.sasl.jaas.config", "org.Plain ${X};", "required"),
    ("kafka", "properties.sasl.login.callback.handler.class", "${X}", "Evil"),
    ("kafka", "properties.ssl.keystore.location", "/keys/${X}", UP),
    ("kafka", "properties.interceptor.classes", "${X}", "Evil"),
    ("kafka", "topic", "${X}", "out;secrets"),
    ("kafka", "properties.${X}", "broker", "bootstrap.servers"),
]
"""A run's value may not be this, but that of the author."""


@pytest.mark.parametrize("of_run", [True, False], ids=["a run's", "the author's"])
@pytest.mark.parametrize(("connector", "name", "text", "value"), NEVER)
def test_no_value_changes_another_part_than_its_own(
    connector: str, name: str, text: str, value: str, of_run: bool
) -> None:
    with pytest.raises(SqlError, match=rf"option '{name}': the value of \$\{{X\}}") as refused:
        option(name, text, {"X": value}, of_run, connector)
    assert value not in str(refused.value).partition("\n")[0].replace("'initSql'", "") and SECRET not in str(refused)


@pytest.mark.parametrize(("connector", "name", "text", "value"), OF_RUN)
def test_a_run_chooses_no_place(connector: str, name: str, text: str, value: str) -> None:
    with pytest.raises(SqlError, match=r"option.*: the value of \$\{X\}.*run") as refused:
        option(name, text, {"X": value}, True, connector)
    assert "unsafe_settings=['X'], --unsafe-set X=" in str(refused.value)


@pytest.mark.parametrize(
    ("connector", "name", "text", "value", "expected"),
    [
        ("jdbc", "url", "${X}", f"{PG}app?sslmode=require", f"{PG}app?sslmode=require"),
        ("jdbc", "url", "jdbc:postgresql://${X}", "a:1,b:2/app", "jdbc:postgresql://a:1,b:2/app"),
        ("jdbc", "url", "jdbc:postgresql://${X}:5432/app", "db.intern", "jdbc:postgresql://db.intern:5432/app"),
        ("jdbc", "url", f"{PG}app?${{X}}", "ssl=true&options=a", f"{PG}app?ssl=true&options=a"),
        ("jdbc", "url", f"{PG}app?sslrootcert=${{X}}", "/a b.pem", f"{PG}app?sslrootcert=%2Fa%20b.pem"),
        ("filesystem", "path", "${X}/out", "/data", "/data/out"),
        ("filesystem", "path", "${X}/out", "../data", "/data/out"),
        ("filesystem", "path", "${X}", "file:///data/out", "/data/out"),
        ("filesystem", "path", "/data/${X}", "a/b", "/data/a/b"),
        ("kafka", "properties.bootstrap.servers", "${X}", "a:9092,b:9092", "a:9092,b:9092"),
        ("kafka", "properties.sasl.jaas.config", "${X}", 'org.P required a="b";', 'org.P required a="b";'),
        ("kafka", "properties.security.protocol", "${X}", "SASL_SSL", "SASL_SSL"),
    ],
)  # fmt: skip
def test_an_author_chooses_places(connector: str, name: str, text: str, value: str, expected: str) -> None:
    assert option(name, text, {"X": value}, False, connector) == expected


@pytest.mark.parametrize(
    ("connector", "name", "text", "value", "expected"),
    [
        ("jdbc", "url", f"{PG}${{X}}", "app one", f"{PG}app%20one"),
        ("jdbc", "url", f"{PG}app?currentSchema=${{X}}", "s 1", f"{PG}app?currentSchema=s%201"),
        ("jdbc", "url", f"{MY}app?user=${{X}}", "u@1", f"{MY}app?user=u@1"),
        ("jdbc", "table-name", "curve_${X}", "berlin", "curve_berlin"),
        ("jdbc", "password", "${X}", "any thing\\ at \"all", "any thing\\ at \"all"),
        ("filesystem", "path", "/data/${X}/out", "2024-06-18", "/data/2024-06-18/out"),
        ("filesystem", "path", "/data/shop=${X}/out", "Köln Dom", "/data/shop=Köln Dom/out"),
        ("filesystem", "path", "${X}", "out", "/out"),
        ("kafka", "topic", "out-${X}", "berlin.1", "out-berlin.1"),
        ("kafka", "properties.client.id", "${X}", "berlin", "berlin"),
        ("kafka", "properties.max.request.size", "${X}", "1000", "1000"),
    ],
)  # fmt: skip
def test_a_run_chooses_names_segments_numbers_and_secrets(
    connector: str, name: str, text: str, value: str, expected: str
) -> None:
    assert option(name, text, {"X": value}, True, connector) == expected


@pytest.mark.parametrize("of_run", [True, False])
def test_a_parameter_of_a_url_is_escaped(of_run: bool) -> None:
    url = option("url", f"{PG}app?user=u&password=${{X}}", {"X": f"p&PGHOST={EVIL}%"}, of_run, "jdbc")
    assert url == f"{PG}app?user=u&password=p%26PGHOST%3D{EVIL}%25"


def test_user_and_password_before_a_host_are_escaped() -> None:
    text = "SET x = 'y'; CREATE TABLE t WITH ('registry.url' = 'https://${U}:${P}@registry/${V}');"
    filled = fill_placeholders(text, Settings((("U", f"u@{EVIL}/"), ("P", "p:/?#"), ("V", "v 2")), of_run=("P", "V")))
    assert f"'https://u%40{EVIL}%2F:p%3A%2F%3F%23@registry/v%202'" in filled


def _read(text: str) -> list[str]:
    """The texts between quotes of a JAAS text, as Java's StreamTokenizer reads them."""
    found, at = [], 0
    while (at := text.find('"', at)) >= 0:
        value, at = "", at + 1
        while text[at] != '"':
            if text[at] == "\\":
                at += 1
                value += {"n": "\n", "r": "\r"}.get(text[at], text[at])
            else:
                assert text[at] not in "\r\n"
                value += text[at]
            at += 1
        found, at = [*found, value], at + 1
    return found


@given(st.text(st.sampled_from("a\"'\\;\n\r ${}n="), max_size=8), st.booleans())
def test_any_text_is_one_between_the_quotes_of_a_jaas_text(value: str, of_run: bool) -> None:
    text = 'org.P required /* " */ a="b\\"" username="x${X}" password="${PASSWORD}";'
    jaas = option("properties.sasl.jaas.config", text, {"X": value}, of_run, "kafka")
    assert _read(jaas.replace('/* " */', "")) == ['b"', f"x{value}", SECRET]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("SET 'spark.hadoop.fs.s3a.endpoint' = '${X}';", EVIL),
        ("SET spark.hadoop.fs.s3a.endpoint = ${X};", EVIL),
        ("SET /* a */ 'spark.hadoop.fs.s3a.endpoint' -- b\n = /* c */ '${X}';", EVIL),
        ("SET 'spark.driver.extraJavaOptions' = '-Dx=${X}';", "x"),
        ("SET 'spark.${X}' = 'a';", "plugins"),
        ("CREATE FUNCTION f AS '${X}.f' LANGUAGE PYTHON;", "os"),
        ("CREATE TEMPORARY SYSTEM FUNCTION f AS '${X}' LANGUAGE PYTHON;", "os.system"),
        ("CREATE TABLE t (a INT) WITH ('path' /* a */ = -- b\n '/data/${X}');", UP),
        ("CREATE TABLE `${X}` (a INT);", UP),
        ("SELECT * FROM t /*+ OPTIONS('path' = '/data/${X}') */;", UP),
        ("SELECT * FROM t WHERE a > ${X};", "0 OR TRUE"),
        ("SELECT * FROM t WHERE a > ${X};", "(SELECT 1)"),
        ("INSERT INTO ${X} SELECT 1;", "a SELECT b FROM c"),
    ],
)
def test_a_run_chooses_no_place_and_no_code_elsewhere(text: str, value: str) -> None:
    with pytest.raises(SqlError, match=r"the value of \$\{X\}.*run"):
        fill_placeholders(text, Settings((("X", value),), of_run=("X",)))
    if value != UP:
        assert value in fill_placeholders(text, {"X": value})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("SET 'spark.sql.shuffle.partitions' = '${X}';", "8"),
        ("SET 'spark.hadoop.fs.s3a.secret.key' = '${X}';", "any/thing+at='all"),
        ("SELECT * FROM t WHERE a > ${X} AND ${X} < b;", "-1.5e3"),
        ("CREATE TABLE t (a INT) WITH ('value.csv.field-delimiter' = '${X}');", "|"),
        ("CREATE TABLE t (a INT) WITH ('avro-confluent.basic-auth.user-info' = '${X}');", "u:p/&"),
        ("SET 'table.local-time-zone' = '${X}';", "Europe/Berlin"),
        ("SELECT * FROM t WHERE 'path' = '${X}' AND s LIKE '${X}%';", UP),
        ("WITH path AS (SELECT '${X}') SELECT * FROM path;", UP),
        ("INSERT INTO ${X} SELECT 1;", "out_berlin"),
    ],
)
def test_a_run_chooses_values_elsewhere(text: str, value: str) -> None:
    expected = text.replace("${X}", value.replace("'", "''"))
    assert fill_placeholders(text, Settings((("X", value),), of_run=("X",))) == expected


def test_the_administrator_s_way_out() -> None:
    values, url = {"X": f"app?PGHOST={EVIL}"}, f"{PG}${{X}}"
    allowed = plan(script("jdbc", url=url), values, True, unsafe=("X",))
    assert allowed.inserts[0].sink.options["url"] == f"{PG}app?PGHOST={EVIL}"


@pytest.mark.parametrize(("field", "value"), [("host", EVIL), ("port", "6666"), ("conn_type", "mysql")])
def test_a_run_chooses_no_field_of_a_connection_that_says_where(field: str, value: str) -> None:
    fields = {"conn_type": "postgres", "host": "db", "schema": "app", "login": "u", "password": SECRET, field: value}
    given = Settings(
        tuple((f"conn:shop.{name}", text) for name, text in fields.items()), of_run=(f"conn:shop.{field}",)
    )
    text = script("jdbc").replace(f"'url' = '{PG}app'", "'connection' = 'shop'")
    text = text.replace(", 'username' = 'u', 'password' = '${PASSWORD}'", "")
    with pytest.raises(InputError, match=f"its {field} comes from a run") as refused:
        plan_script(text, given, "report", Path("/"))
    assert SECRET not in str(refused.value)


def test_settings_travel_with_whose_they_are() -> None:
    settings = Settings((("A", "1"), ("B", "2")), ("A",), ("B",), ("A",))
    assert Settings.from_json(settings.to_json()) == settings
    assert Settings.from_json('{"values": {}, "masked": [], "unsafe": []}').of_run == ()


def test_time_is_bounded_in_one_option() -> None:
    start = time.monotonic()
    with pytest.raises(SqlError, match="one of more than 100"):
        fill_placeholders("CREATE TABLE t WITH ('url' = 'jdbc:x://" + "${X}" * 50_000 + "');", {"X": "x"})
    assert time.monotonic() - start < 10


PROGRAM = """
def build(t_env):
    place = t_env.get_config().get("X", "none")
    t_env.execute_sql("CREATE TABLE o (shop STRING) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json')")
    t_env.execute_sql(f"CREATE TABLE r (shop STRING) WITH ('connector' = 'filesystem', 'path' = '/out/{place}', 'format' = 'json')")
    t_env.execute_sql("INSERT INTO r SELECT shop FROM o")
"""  # noqa: E501


def test_a_program_reads_names_of_a_run(tmp_path: Path) -> None:
    file = tmp_path / "places.py"
    file.write_text(PROGRAM)

    def path(value: str, **of: tuple[str, ...]) -> str:
        return load_report(file, Settings((("X", value),), **of)).inserts[0].sink.path

    assert path("berlin", of_run=("X",)) == "/out/berlin"
    assert path("a/b") == path("a/b", of_run=("X",), unsafe=("X",)) == "/out/a/b"
    with pytest.raises(InputError, match="the setting 'X' comes from a run, and is not one name") as refused:
        path(UP, of_run=("X",))
    assert UP not in str(refused.value)
