"""The demonstration: a day of orders, streamed, killed, backfilled and proven equal under a real Airflow."""
