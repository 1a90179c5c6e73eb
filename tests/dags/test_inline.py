"""A report inside of a DAG file, run as its author would."""

from __future__ import annotations

import pytest

from tests.dags.lab import Lab, leases

pytestmark = pytest.mark.slow

WINDOWS = 24 + 1 + 1
"""The hours of the day, the first of the next, and that of the row which closes them."""


@pytest.mark.thorough
def test_it_streams_to_its_end_and_is_verified(lab: Lab) -> None:
    client, home = lab.client, lab.home("inline")
    run = lab.run("inline", home)
    assert client.wait_for_run("inline", run, timeout=240) == "success"
    told = client.xcom("inline", run, "shops")
    assert (told["report"], told["driver"], told["rows"]) == ("shops", "finished", 3001)
    verdict = client.xcom("inline", run, "verify")
    assert verdict["proven"] and (verdict["windows"], verdict["unexplained"]) == (WINDOWS, 0)
    assert leases(home) == 1
