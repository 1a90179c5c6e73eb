"""The formats of changes, which are values of the option 'format'. Each is one file here."""

from __future__ import annotations

from airflow_nrt.model.options.change_formats.canal import Canal
from airflow_nrt.model.options.change_formats.change_format import ChangeFormat
from airflow_nrt.model.options.change_formats.debezium import Debezium
from airflow_nrt.model.options.change_formats.maxwell import Maxwell
from airflow_nrt.model.options.change_formats.ogg import Ogg

__all__ = ["CHANGE_FORMATS", "DEBEZIUM", "ChangeFormat"]

DEBEZIUM = Debezium()
"""The format that is advised."""
_ALL: tuple[ChangeFormat, ...] = (DEBEZIUM, Canal(), Maxwell(), Ogg())
CHANGE_FORMATS = {one.name: one for one in _ALL}
