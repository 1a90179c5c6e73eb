"""The version of Spark that this product is installed with."""

SPARK_VERSION = "4.1.3"
"""The version of pyspark and of pyspark-client (docs/decisions/04-spark-version.md)."""
REINSTALL = f"pip install --force-reinstall --no-deps pyspark=={SPARK_VERSION} pyspark-client=={SPARK_VERSION}"
"""The command that repairs an installation with mixed versions."""
