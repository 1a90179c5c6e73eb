"""The process that answers one question of `asking.py`: code of a report's authors may be imported here.

    python -c "…" DESCRIPTOR SECONDS QUESTION

QUESTION is a name of `ANSWERS`; its request is JSON on standard input. One line of JSON goes to the descriptor: the
answer, or the kind and the text of its error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.usecases.requests.changes import ChangesRequest
from airflow_nrt.usecases.requests.check import CheckRequest
from airflow_nrt.usecases.requests.describe import DescribeRequest
from airflow_nrt.usecases.requests.facts import FactsRequest, LineageRequest
from airflow_nrt.usecases.requests.processes import KINDS
from airflow_nrt.usecases.requests.survey import FileRequest

Json = Mapping[str, Any]
_LONGEST_LINE = 1000


def _changes(content: Json) -> Json:
    from airflow_nrt.usecases.changes import changes

    return changes(ChangesRequest.from_json(content))


def _check(content: Json) -> Json:
    from airflow_nrt.usecases.check import check

    return asdict(check(CheckRequest.from_json(content)))


def _describe(content: Json) -> Json:
    from airflow_nrt.usecases.describe import describe

    return describe(DescribeRequest.from_json(content))


def _facts(content: Json) -> Json:
    from airflow_nrt.usecases.facts import facts

    return asdict(facts(FactsRequest.from_json(content)))


def _lineage(content: Json) -> Json:
    from airflow_nrt.usecases.facts import lineage

    return asdict(lineage(LineageRequest.from_json(content)))


def _file(content: Json) -> Json:
    from airflow_nrt.usecases.survey.one_file import verdict_of

    return asdict(verdict_of(FileRequest.from_json(content)))


ANSWERS: Mapping[str, Callable[[Json], Json]] = {
    ChangesRequest.question: _changes,
    CheckRequest.question: _check,
    DescribeRequest.question: _describe,
    FactsRequest.question: _facts,
    LineageRequest.question: _lineage,
    FileRequest.question: _file,
}
"""Each loads only what its use case needs."""


def main() -> None:
    descriptor, seconds, asked = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.set_inheritable(descriptor, False)
    if hasattr(signal, "alarm"):
        # The asking process may be killed, and then it can't end this one.
        signal.alarm(seconds)
    content = json.load(sys.stdin.buffer)
    line = json.dumps(_answer(ANSWERS[asked], content)).encode()
    sys.stdout.flush()
    sys.stderr.flush()
    with open(descriptor, "wb") as answer:
        answer.write(line + b"\n")
    # No thread and no exit handler of the report keeps this process alive.
    os._exit(0)


def _answer(use_case: Callable[[Json], Json], content: Json) -> Json:
    try:
        return {"answer": use_case(content)}
    except NrtError as wrong:
        kind = next(one.__name__ for one in type(wrong).__mro__ if KINDS.get(one.__name__) is one)
        return {"error": kind, "text": shortened(str(wrong))}
    except BaseException as failure:
        traceback.print_exc()
        first = str(failure).strip().partition("\n")[0]
        return {"error": NrtError.__name__, "text": shortened(f"{type(failure).__name__}: {first}", _LONGEST_LINE)}
