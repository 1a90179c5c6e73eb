import tests.airflow_home  # noqa: F401
