"""A session of one piece of work, in a Spark application that others use, too."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.engine.java.objects import java_class


def own_session(session: SparkSession) -> SparkSession:
    """A session beside this one, with the settings that this one has now.

    What is set, named or registered in one of them is not seen in the other. They share Spark's context, its executors
    and its cache. It costs no job of Spark.
    """
    own: Any = session.newSession()
    theirs: Any = session
    settings = java_class(theirs._jvm, "java.util.Properties")()
    settings.putAll(theirs._jsparkSession.conf().getAllAsJava())
    own._jsparkSession.sessionState().conf().setConf(settings)
    made: SparkSession = own
    return made


def in_this_thread(session: SparkSession) -> None:
    """Lets Java find a session in a thread that has begun since: catalogs are looked up in the thread's own."""
    theirs: Any = session
    java_class(theirs._jvm, "org.apache.spark.sql.classic.SparkSession").setActiveSession(theirs._jsparkSession)
