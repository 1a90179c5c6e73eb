"""Seconds, CPU seconds and memory of a whole process with all that it starts (Linux)."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Figures:
    """`seconds` until the process ended; `cpu` seconds of it and all its descendants; `peak` bytes of the largest."""

    seconds: float
    cpu: float
    peak: int


def killed(command: Sequence[str], log: Path, after: float) -> float:
    """Starts a command and kills it, with all that it has started, after a number of seconds. Returns the seconds."""
    began = time.monotonic()
    with log.open("wb") as output:
        process = psutil.Popen(command, stdout=output, stderr=output)
    try:
        status = process.wait(after)
    except psutil.TimeoutExpired:
        for one in (*process.children(recursive=True), process):
            one.kill()
        process.wait()
        return time.monotonic() - began
    raise RuntimeError(f"{' '.join(command)[:200]} ended with {status} before it could be killed")


def measured(command: Sequence[str], log: Path) -> Figures:
    """Runs a command to its end, beside other children of this process if there are any.

    Raises RuntimeError with the end of its log if it fails.
    """
    others = {child.pid for child in psutil.Process().children()}
    # A process that outlives its parent, as Spark's JVM does, becomes a child of this process, for which the kernel
    # accounts.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    began = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    seconds, cpu, peak = 0.0, 0.0, 0
    while process.returncode is None or {child.pid for child in psutil.Process().children()} - others:
        pid, status, usage = os.wait4(-1, 0)
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss * 1024)
        if pid == process.pid:
            seconds = time.monotonic() - began
            process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        end = log.read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{' '.join(command)[:200]} ended with {process.returncode}:\n{end}")
    return Figures(seconds, cpu, peak)
