"""Secret values are hidden in what people read, by exact names and in each way in which a value is spelled."""

from __future__ import annotations

import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.spelling import java_escaped
from airflow_nrt.model.options.masking import Masking
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan

SECRET = "p&w/1 +\"'\\é%?:@"


@pytest.mark.parametrize(
    "name",
    [
        *("DB_PASSWD", "db.passphrase", "PWD", "HTTP_AUTHORIZATION", "API_TOKEN", "PASSWORD", "client.secret"),
        *("s3.secret-key", "fs.s3a.access.key", "security.ssl.key-password", "conn:x.password", "var:any"),
    ],
)
def test_a_setting_with_a_name_of_a_secret_is_masked_though_a_family_of_options_has_it(name: str) -> None:
    assert Settings().is_masked(name)


@pytest.mark.parametrize("name", ["DATA", "table.exec.sink.keyed-shuffle", "table.local-time-zone", "masked", "A"])
def test_another_one_is_not(name: str) -> None:
    assert not Settings(masked=("masked_more", "AB")).is_masked(name)


@pytest.mark.parametrize(
    "spelled",
    [
        SECRET, quote(SECRET), quote(SECRET, safe=""), quote_plus(SECRET), quote(SECRET, safe="").lower(),
        quote(SECRET, safe="/:@!$&'()*+,;="), java_escaped(SECRET), SECRET.replace("'", "''"), repr(SECRET)[1:-1],
    ],
)  # fmt: skip
def test_a_value_is_hidden_however_it_is_spelled(spelled: str) -> None:
    settings = Settings((("PASSWORD", SECRET),))
    assert settings.shown(f"jdbc:x://h/db?password={spelled}&a=b") == "jdbc:x://h/db?password=${PASSWORD}&a=b"


@given(st.text(min_size=8))
def test_any_value_is_hidden_in_a_url(value: str) -> None:
    whole = value.encode(errors="replace")
    shown = Settings((("PASSWORD", value),)).shown(f"x://h?p={quote(whole, safe='')}&q={quote_plus(whole)}")
    assert shown == "x://h?p=${PASSWORD}&q=${PASSWORD}"


def test_what_a_home_keeps_is_spelled_as_it_was() -> None:
    """A fingerprint of an earlier version has such values as they are."""
    assert Masking.of({"a b": "<A>"})("a b, a%20b") == "<A>, a%20b"


def test_spark_redacts_a_masked_setting_by_its_whole_name() -> None:
    plan = Plan("r", (), (), (), (), (), "", "", given=Settings(masked=("A", "x.y")))
    pattern = plan.spark_settings["spark.redaction.regex"]
    hidden = re.compile(pattern.replace("(?i)", "", 1).replace("(?-i:", "(?:"))
    assert hidden.search("A") and hidden.search("x.y") and hidden.search("spark.a.token")
    assert not hidden.search("spark.driver.Atoms") and not hidden.search("x_y") and not hidden.search("BA")
