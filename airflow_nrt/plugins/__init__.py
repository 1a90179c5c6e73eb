"""The plugin of this provider: each process of Airflow imports it, so it must be light."""
