"""Complete windows as asset events of Airflow, one partition key a window.

Importing it raises ImportError in an Airflow that can't have them.
"""

from airflow_nrt.airflow_features import check_asset_state

check_asset_state()
