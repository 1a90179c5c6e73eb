"""Which curve of a home is drawn, and from where."""

from __future__ import annotations

from airflow_nrt.curve.picture import Curve
from airflow_nrt.curve.reader import CurveReader, chosen_insert
from airflow_nrt.curve.sampled import SampledCurve, is_sampled
from airflow_nrt.home.home import Home
from airflow_nrt.home.outline import Outline


def curve_of(home: Home, outline: Outline, insert: str | None = None, column: str | None = None) -> Curve:
    """The curve of an insert's column: from files of whole windows, or else from samples. By default the first insert
    that has either, and its first number.

    Raises InputError for an unknown insert or column.
    """
    drawn = [one for one in outline.inserts if one.whole_windows or is_sampled(one)]
    chosen = chosen_insert(drawn, outline, insert)
    if chosen.whole_windows:
        return CurveReader.of(home, outline, chosen.name, column)
    return SampledCurve.of(home, chosen, column)
