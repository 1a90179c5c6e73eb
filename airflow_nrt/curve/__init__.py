"""The curve of a home: read from its results, or from its samples, and drawn in a terminal."""

from airflow_nrt.curve.chosen import curve_of
from airflow_nrt.curve.picture import Curve
from airflow_nrt.curve.reader import CurveReader, Point

__all__ = ["Curve", "CurveReader", "Point", "curve_of"]
