"""A DECIMAL in JSON keeps its scale; to a program it is a number."""

from __future__ import annotations

import json

from airflow_nrt.files.decoding import parse_json
from airflow_nrt.files.numbers_as_written import NumberAsWritten, json_text

ROW = '{"price": 12.50, "n": 3, "far": 1234567890123456789.10, "some": [0.0, null, "é"], "in": {"x": 1.20}}'


def test_digits_stay() -> None:
    assert json_text(parse_json(ROW, NumberAsWritten)) == ROW


def test_it_is_a_number() -> None:
    row = parse_json(ROW, NumberAsWritten)
    assert row["price"] == 12.5 and row == json.loads(ROW)
    assert json.loads(json.dumps(row)) == json.loads(ROW)
