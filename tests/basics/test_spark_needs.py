"""Settings of Spark that tables need: the user's own stay."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spark_needs import EXTENSIONS, with_needed


def test_extensions_are_joined_and_other_settings_of_the_user_win() -> None:
    own = {EXTENSIONS: "org.mine.Mine, org.delta.Delta", "spark.parts": "50"}
    needed = {"a": {EXTENSIONS: "org.delta.Delta", "spark.parts": "4"}, "b": {EXTENSIONS: "org.ice.Ice"}}
    assert with_needed(own, needed) == {EXTENSIONS: "org.mine.Mine,org.delta.Delta,org.ice.Ice", "spark.parts": "50"}


def test_tables_that_need_nothing_change_nothing() -> None:
    assert with_needed({"spark.x": "1"}, {"a": {}, "b": {}}) == {"spark.x": "1"}


def test_two_tables_that_contradict_each_other() -> None:
    with pytest.raises(InputError, match=r"tables 'a' and 'c' need different values of spark.catalog, 'x' and 'y'"):
        with_needed({}, {"a": {"spark.catalog": "x"}, "b": {}, "c": {"spark.catalog": "y"}})
