"""The process that answers one question of `asking.py`: code of a report's authors may be imported there.

    python -c "…" DESCRIPTOR SECONDS MODULE

The question is JSON on standard input; MODULE has `answer(question)`. One line of JSON goes to the descriptor: the
answer, or the kind and the text of its error.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from typing import Any

from airflow_nrt.basics.errors import DataError, HomeError, InputError, NrtError, SurroundingsError
from airflow_nrt.basics.texts import shortened

_LONGEST_LINE = 1000
KINDS = {kind.__name__: kind for kind in (NrtError, InputError, DataError, HomeError, SurroundingsError)}
"""The errors that keep their kind in an answer; a subclass is reported as the nearest of these."""


def main() -> None:
    descriptor, seconds, module = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.set_inheritable(descriptor, False)
    if hasattr(signal, "alarm"):
        # The asking process may be killed, and then it can't end this one.
        signal.alarm(seconds)
    question = json.load(sys.stdin.buffer)
    line = json.dumps(_answer(module, question)).encode()
    sys.stdout.flush()
    sys.stderr.flush()
    with open(descriptor, "wb") as answer:
        answer.write(line + b"\n")
    # No thread and no exit handler of the report keeps this process alive.
    os._exit(0)


def _answer(module: str, question: Any) -> dict[str, Any]:
    try:
        return {"answer": importlib.import_module(module).answer(question)}
    except NrtError as wrong:
        kind = next(one.__name__ for one in type(wrong).__mro__ if KINDS.get(one.__name__) is one)
        return {"error": kind, "text": shortened(str(wrong))}
    except BaseException as failure:
        traceback.print_exc()
        first = str(failure).strip().partition("\n")[0]
        return {"error": NrtError.__name__, "text": shortened(f"{type(failure).__name__}: {first}", _LONGEST_LINE)}
