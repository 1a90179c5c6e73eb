"""Options of the JVMs that run a report."""

_BOTH = "-XX:-DontCompileHugeMethods -XX:MetaspaceSize=256m -Xss4m"
DEFAULT_JAVA_OPTIONS = {
    "spark.driver.defaultJavaOptions": f"{_BOTH} -XX:+ExitOnOutOfMemoryError",
    "spark.executor.defaultJavaOptions": _BOTH,
}
"""Settings of Spark, to which `extraJavaOptions` add.

Spark compiles a step to one method. Java never compiles a method of more than 8,000 bytes, however often it is called,
and a few columns and conditions are enough for that (`docs/explanation/performance.md`). There is room for the classes
of Spark from the start, because Java collects garbage at each step up to them. A driver that is out of memory
ends at once: otherwise it would wait for threads that have ended. The stack holds a sum of 200 terms, which Spark's
parser and the tasks that receive one go through recursively.
"""
