"""Archives of sources, kept beside a stream: their partitions are merged and marked as complete."""
