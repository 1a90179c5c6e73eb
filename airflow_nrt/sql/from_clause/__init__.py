"""What stands in FROM, as relations: windowing functions, constant rows, UNION ALL, LATERAL, partitions to read."""
