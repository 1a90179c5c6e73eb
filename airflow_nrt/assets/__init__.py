"""Complete windows as asset events of Airflow, one partition key a window."""
