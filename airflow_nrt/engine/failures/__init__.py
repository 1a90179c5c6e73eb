"""What went wrong in Spark, in Java or around them, and what a person is to do."""
