"""A source and a sink in a package of their own, which airflow-nrt finds once it is installed."""
