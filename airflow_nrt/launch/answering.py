"""The process that answers one question of `asking.py`: where code of a report's authors may be imported.

    python -c "…" DESCRIPTOR SECONDS MODULE

The question is JSON on standard input; MODULE has `answer(question)`. One line of JSON goes to the descriptor: what
that gave, or the kind and the text of its error.
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
"""The errors that are told as what they are; what is derived from one of them is told as that."""


def main() -> None:
    descriptor, seconds, module = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.set_inheritable(descriptor, False)
    if hasattr(signal, "alarm"):
        # Whoever asked may have been killed, and then ends nobody.
        signal.alarm(seconds)
    question = json.load(sys.stdin.buffer)
    told = json.dumps(_told(module, question)).encode()
    sys.stdout.flush()
    sys.stderr.flush()
    with open(descriptor, "wb") as answer:
        answer.write(told + b"\n")
    # No thread and no exit handler of theirs keeps this process alive.
    os._exit(0)


def _told(module: str, question: Any) -> dict[str, Any]:
    try:
        return {"answer": importlib.import_module(module).answer(question)}
    except NrtError as wrong:
        kind = next(one.__name__ for one in type(wrong).__mro__ if KINDS.get(one.__name__) is one)
        return {"error": kind, "text": shortened(str(wrong))}
    except BaseException as failure:
        traceback.print_exc()
        first = str(failure).strip().partition("\n")[0]
        return {"error": NrtError.__name__, "text": shortened(f"{type(failure).__name__}: {first}", _LONGEST_LINE)}
