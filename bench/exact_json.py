"""Ways to read a number of JSON as it is written, with a fraction: what each gives, and its CPU seconds in one task.

python -m bench.exact_json [--rows 500000] [--runs 3]

`spark` is Spark's reader, which is not exact; `product` reads again what that can't (`engine/sources/formats/json.py`);
`variant` is Spark's VARIANT; `python` is the module json in Spark's Python workers, with numbers as texts. CPU seconds
are those of this process and all that it has started, without those of reading the same lines unparsed.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator

import psutil  # type: ignore[import-untyped]
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.sources.formats.json import exact

NUMBERS = (
    "100", "4.10", "1e5", "-0.0", "0.1234567890123456789", "12345678901234567890.12345", "1E400", "1" + 44 * "0"
)  # fmt: skip
WAYS = {
    "spark": "from_json(line, 'price STRING, n STRING, name STRING').price",
    "product": f"from_json({exact('line')}, 'MAP<STRING,STRING>')['price']",
    "variant": "try_variant_get(try_parse_json(line), '$.price', 'string')",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=3, help="medians count")
    options = parser.parse_args()
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lines = spark.createDataFrame([(json.dumps({"price": "@"}).replace('"@"', one),) for one in NUMBERS], "line STRING")
    for way in (*WAYS, "python"):
        print(f"{way:8}", *(str(row[0]).replace("\uffff", "") for row in read(lines, way).collect()), sep="  ")
    objects = """concat('{"price": ', id % 100000, '.', 10 + id % 90, ', "n": ', id, ', "name": "order ', id, '"}')"""
    many = spark.range(0, options.rows, 1, 1).selectExpr(f"{objects} AS line").localCheckpoint()
    nothing = cpu(many, "line", options.runs)
    for way in (*WAYS, "python"):
        print(f"{way:8} {cpu(many, way, options.runs) - nothing:.2f} s for {options.rows:,} objects", flush=True)


def read(lines: DataFrame, way: str) -> DataFrame:
    return lines.mapInArrow(by_python, "price STRING") if way == "python" else lines.selectExpr(WAYS.get(way, way))


def by_python(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        found = [json.loads(line, parse_float=str, parse_int=str)["price"] for line in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(found, pa.string())], ["price"])


def cpu(lines: DataFrame, way: str, runs: int) -> float:
    """The median of the CPU seconds of some runs, after one that compiles."""
    found = []
    for _ in range(runs + 1):
        before = spent()
        read(lines, way).write.format("noop").mode("overwrite").save()
        found.append(spent() - before)
    return statistics.median(found[1:])


def spent() -> float:
    """CPU seconds of this process and those that it has started."""
    every = [psutil.Process(), *psutil.Process().children(recursive=True)]
    times = [one.cpu_times() for one in every]
    return float(sum(one.user + one.system for one in times))


if __name__ == "__main__":
    main()
