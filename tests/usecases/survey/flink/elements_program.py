from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import *

t_env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().build())
table = t_env.from_elements([(1, "Hi"), (2, "Hello")], ["id", "text"])
table.select(col("id") + 1, col("text")).execute().print()
