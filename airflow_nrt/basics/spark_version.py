"""The version of Spark that this product is installed with."""

SPARK_VERSION = "4.1.3"
"""Of pyspark and pyspark-client alike (docs/decisions/04-spark-version.md)."""
REINSTALL = f"pip install --force-reinstall --no-deps pyspark=={SPARK_VERSION} pyspark-client=={SPARK_VERSION}"
"""What mends an installation that mixes versions."""
