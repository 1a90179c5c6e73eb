"""What was read of the sources, to be read again for a backfill or a verification."""
