"""Options of the JVMs that run a report."""

_BOTH = "-XX:-DontCompileHugeMethods -Xss4m"
DEFAULT_JAVA_OPTIONS = {
    "spark.driver.defaultJavaOptions": f"{_BOTH} -XX:+ExitOnOutOfMemoryError",
    "spark.executor.defaultJavaOptions": _BOTH,
}
"""Settings of Spark, to which `extraJavaOptions` add.

Spark makes one method of a step, and Java interprets methods of more than 8,000 bytes for ever, however often they are
called: a few columns and conditions are enough for that (`docs/explanation/performance.md`).
A driver that is out of memory ends at once: what goes on then waits for threads that are no more.
Its parser goes down a sum of 200 terms by the stack of a thread, and so do tasks that are sent one.
"""
