"""Runs command lines one after the other in this process, so that they share one Java: reads and writes JSON lines."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys

from airflow_nrt.cli.main import main


def answer(arguments: list[str]) -> dict[str, object]:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = main(arguments)
        except SystemExit as ended:
            status = ended.code
        except BaseException as escaped:
            status = f"{type(escaped).__name__}: {escaped}"
    return {"status": status, "out": _written(out), "err": _written(err)}


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


if __name__ == "__main__":
    # What Java prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
