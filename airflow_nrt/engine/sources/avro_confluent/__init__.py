"""Format `avro-confluent`: the driver asks a registry for the schemas of writers, and Spark decodes records by them."""
