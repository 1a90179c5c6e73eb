"""Testing a report in a second or two: rows in, watermarks, and the windows that are published. No Airflow, no files.

    from airflow_nrt.testing import trial


    def test_the_curve():
        with trial("curve.sql", settings={"DATA": "/data"}) as report:
            report.rows("orders", {"shop": "a", "price": "1.00", "ts": "2024-06-18 10:01:00"})
            report.watermark("orders", "2024-06-18 10:30")
            assert report.windows("curve", "shop", "gmv") == {
                "2024-06-18 10:10:00": [("a", 1)],
                "2024-06-18 10:20:00": [("a", 1)],
                "2024-06-18 10:30:00": [("a", 1)],
            }

The same as a fixture: `pytest_plugins = ["airflow_nrt.testing.fixture"]` in `conftest.py`, and a test that takes
`nrt_trial`.
"""

from airflow_nrt.testing.trial import Trial, trial

__all__ = ["Trial", "trial"]
