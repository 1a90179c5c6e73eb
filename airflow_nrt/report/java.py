"""Options of the JVMs that run a report."""

DEFAULT_JAVA_OPTIONS = {
    f"spark.{of}.defaultJavaOptions": "-XX:-DontCompileHugeMethods -Xss4m" for of in ("driver", "executor")
}
"""Settings of Spark, to which `extraJavaOptions` add.

Spark makes one method of a step, and Java interprets methods of more than 8,000 bytes for ever, however often they are
called: a few columns and conditions are enough for that (`docs/performance.md`).
Its parser goes down a sum of 200 terms by the stack of a thread, and so do tasks that are sent one.
"""
