"""What a use case is asked and what it answers, as records that load neither Spark nor the engine."""
