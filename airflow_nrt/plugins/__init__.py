"""What Airflow's components load of this provider: each process of Airflow imports it, so it stays light."""
