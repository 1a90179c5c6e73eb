"""RESET: it takes back what SET has set before, for the INSERTs that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.sql.errors import Problems, SqlError
from airflow_nrt.sql.parse import parsed


def with_resets(statements: Sequence[parsed.Statement], problems: Problems) -> list[parsed.Statement]:
    """The statements without each SET that a RESET takes back. Errors are added to `problems`.

    Statements without an INSERT are those before a query.
    """
    inserts = [n for n, statement in enumerate(statements) if isinstance(statement, parsed.Insert)]
    kept: list[parsed.Statement] = []
    for n, statement in enumerate(statements):
        if not isinstance(statement, parsed.Idle) or statement.takes_back != "setting":
            kept.append(statement)
            continue
        taken = [one for one in kept if isinstance(one, parsed.SetOption) and statement.name in (None, one.key)]
        follows, precedes = not inserts or inserts[-1] > n, bool(inserts) and inserts[0] < n
        if taken and follows and precedes:
            problems.errors.append(
                SqlError("RESET between two INSERTs: all of a report have the same settings", statement.at)
            )
        elif taken and follows:
            kept = [one for one in kept if one not in taken]
            kept.append(replace(statement, why="the SET before it has none either", takes_back=None))
        else:
            why = "no INSERT follows it" if taken else statement.why
            kept.append(replace(statement, why=why, takes_back=None))
    return kept
