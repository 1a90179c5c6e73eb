"""Functions that users write in Python: their classes, their declarations, and the values that they handle.

Standard library alone: these are shipped to executors, and a module that defines functions loads neither Spark nor a
parser.
"""

from airflow_nrt.functions.data_types import DataTypes
from airflow_nrt.functions.declared import Declared
from airflow_nrt.functions.kinds import (
    AggregateFunction,
    FunctionContext,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
)
from airflow_nrt.functions.row import Row

__all__ = [
    "AggregateFunction",
    "DataTypes",
    "Declared",
    "FunctionContext",
    "Row",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedFunction",
]
