"""Names of PyFlink that this product lacks, and what to use instead: `docs/reference/table-api.md` lists them."""

from __future__ import annotations

from fnmatch import fnmatchcase

ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("from_elements from_pandas",
     "a query has rows of its own, `sql_query(\"SELECT * FROM (VALUES (1, 'a')) AS t (n, s)\")`; more are a file"),
    ("from_descriptor descriptor create_table create_temporary_table TableDescriptor FormatDescriptor Schema",
     "`execute_sql(\"CREATE TABLE …\")` declares a table"),
    ("create_view", "`create_temporary_view`: a program has no other views"),
    ("create_catalog get_catalog get_current_catalog list_catalogs register_catalog use_catalog "
     "get_built_in_catalog_name",
     "there are no catalogs, databases and modules: names are of one environment"),
    ("get_current_database list_databases use_database get_built_in_database_name current_database",
     "there are no catalogs, databases and modules: names are of one environment"),
    ("list_full_modules list_modules load_module unload_module use_modules Module ModuleEntry",
     "there are no catalogs, databases and modules: names are of one environment"),
    ("compile_plan compile_plan_sql execute_plan load_plan CompiledPlan PlanReference",
     "each run of a program plans it again"),
    ("ExplainDetail", "`explain(as_json=True)` has all details"),
    ("get_sink_identifier", "the name is that of `insert_into`"),
    ("create_model create_temporary_model drop_model drop_temporary_model list_models list_temporary_models",
     "a function declared by `@udf` calls a model"),
    ("list_materialized_tables", "inserts of a report keep their tables up to date"),
    ("create_java_* AsyncScalarFunction", "functions are in Python, `@udf`"),
    ("drop_function drop_temporary_function drop_temporary_system_function",
     "a function keeps its name: another function gets another one"),
    ("add_python_archive add_python_file set_python_requirements",
     "modules beside the program travel with it, others are installed where it runs"),
    ("from_changelog to_changelog ChangelogMode",
     "a table with a format of changes: `execute_sql(\"CREATE TABLE … WITH ('format' = 'debezium-json')\")`"),
    ("attach_as_datastream StreamTableEnvironment", "there are no data streams: `TableEnvironment`"),
    ("get_job_client", "`airflow-nrt status` and `airflow-nrt stop` see and stop a report"),
    ("get_result_kind ResultKind RowKind of_kind get_row_kind set_row_kind",
     "each change of `collect()` is a pair of its kind and a dict"),
    ("get_fields_by_names set_field_names", "`Row(n=1)` has names, and each value is an attribute"),
    ("add_configuration get_configuration get_default to_map", "`get_config().get(key, default)`"),
    ("get_idle_state_retention set_idle_state_retention",
     "`get_config().set('table.exec.state.ttl', '1 h')` says how long idle state is kept"),
    ("get_max_generated_code_length set_max_generated_code_length get_sql_dialect set_sql_dialect SqlDialect",
     "nothing depends on it here"),
    ("get_python_executable set_python_executable", "the setting `spark.pyspark.python`"),
    ("Builder", "`EnvironmentSettings.new_instance()`"),
    ("json_value json_query json_exists is_json json_object json_array json_object_agg json_array_agg",
     "`call_sql(\"JSON_VALUE(a, '$.b')\")`: an expression in SQL"),
    ("json json_quote json_unquote", "`json_string`, and `call_sql(\"JSON_VALUE(a, '$')\")`"),
    ("with_columns without_columns range_", "`select(col('*'))`, and `drop_columns`"),
    ("flatten", "name the fields, `col('a').get('b')`"),
    ("rand rand_integer", "refused: it would be another value in each run, which nothing can prove"),
    ("temporal_overlaps", "`call_sql(\"(a, b) OVERLAPS (c, d)\")`"),
    ("source_watermark", "`SOURCE_WATERMARK()` stands in the WATERMARK of a CREATE TABLE"),
    ("as_argument", "arguments have their places"),
    ("bitmap_*", "`col('a').count.distinct` counts exactly, `collect` keeps the values"),
    ("printf inet_aton inet_ntoa object_update", "a function declared by `@udf`"),
    ("INTERVAL YEAR MONTH DAY HOUR MINUTE SECOND", "a length is a literal, `lit(10).minutes`, and never a column"),
    ("NULL", "`null_of(DataTypes.INT())`"),
    ("LIST_VIEW MAP_VIEW ListView MapView DataView", "an accumulator holds lists and dicts"),
    ("UserDefinedType", "`DataTypes.ROW([…])`"),
    ("WindowGroupedTable", "`GroupedTable`"),
)  # fmt: skip


def instead_of(name: str) -> str | None:
    """What to use instead of a name, if PyFlink has it."""
    return next((text for names, text in ELSEWHERE if any(fnmatchcase(name, one) for one in names.split())), None)
