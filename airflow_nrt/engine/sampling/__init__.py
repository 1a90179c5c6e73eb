"""The sample of each window in a home. The driver takes it from the published file, without a Spark job."""
