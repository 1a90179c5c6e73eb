"""Java for a process that ends with its work.

Half of the processor time of a catch-up of five million rows went into compiling, and much of that into optimizing the
code that starts Spark and plans queries, which is hardly used afterwards. In such a process the optimizing compiler
skips this code, and starts later with other code (docs/decisions/18-brief-java.md). A driver that runs for months needs
it all, because its micro-batches are mostly planning.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS

_DRIVER, _EXECUTOR = "spark.driver.defaultJavaOptions", "spark.executor.defaultJavaOptions"
_LATER = {"Tier4InvocationThreshold": 15_000, "Tier4MinInvocationThreshold": 2_000, "Tier4CompileThreshold": 30_000}
"""Three times Java's own."""
_SILENT, _HEARD = "-XX:-DisplayVMOutput", "-XX:+DisplayVMOutput"


def brief_java() -> dict[str, str]:
    """Settings of Spark: Java options of the driver and of executors.

    Java does not start without its file of directives. So executors, which are on other hosts, don't use it, and nor
    does a driver if it is in a zip, or if its path has spaces.
    """
    later = [f"-XX:{name}={calls}" for name, calls in _LATER.items()]
    settings = {_EXECUTOR: " ".join([DEFAULT_JAVA_OPTIONS[_EXECUTOR], *later])}
    directives = Path(__file__).with_name("brief.directives")
    if directives.is_file() and " " not in str(directives):
        # Else Java prints the number of directives to standard output.
        silent = ("-XX:+UnlockDiagnosticVMOptions", _SILENT)
        options = (*silent, f"-XX:CompilerDirectivesFile={directives}", *later)
        settings[_DRIVER] = " ".join([DEFAULT_JAVA_OPTIONS[_DRIVER], *options])
    return settings


def heard(settings: Mapping[str, str]) -> dict[str, str] | None:
    """The settings with a driver whose Java says why it ends; None if it does already."""
    options = settings.get(_DRIVER, "")
    return {**settings, _DRIVER: options.replace(_SILENT, _HEARD)} if _SILENT in options else None
