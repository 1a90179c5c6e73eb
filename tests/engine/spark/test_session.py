"""What a session asks of Java."""

from __future__ import annotations

from pyspark.sql import functions as F


def test_steps_of_a_plan_do_not_ask_for_functions_by_name(spark, monkeypatch) -> None:
    rows = spark.range(1)
    client = spark.sparkContext._gateway._gateway_client
    sent, send = [], client.send_command

    def noted(command: str, *more: object, **named: object) -> object:
        sent.append(command)
        return send(command, *more, **named)

    monkeypatch.setattr(client, "send_command", noted)
    rows.select("id", F.lit(1).alias("one"), F.expr("id + 1")).selectExpr("id")
    asked = [command for command in sent if command.startswith("r\n")]
    assert sent and not [one for one in asked if "org.apache.spark.sql.functions" in one or "PythonUtils" in one]
