"""What entries say about the past: for backfills, verifications and people."""
