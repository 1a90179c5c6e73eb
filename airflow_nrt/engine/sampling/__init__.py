"""The sample that a home keeps of each window, taken on the driver from the file that was published: no Spark job."""
