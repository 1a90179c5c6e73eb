"""Accepts rows with a readable line and a known rowtime that is not in the future, and rejects the others.

Accepted rows have the computed columns, the watermark that each row proposes, and the hidden columns of the plan. The
table's options decide what a malformed line, a malformed field and a NULL rowtime do: they stop the driver, or they are
counted, and the line is rejected or the field becomes NULL. A field with a number that does not fit its DECIMAL is
NULL, and counted, unless the table says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import bigint, quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, with_times
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.formats.values import may_be_unfit
from airflow_nrt.engine.sources.long_lines import shown_line
from airflow_nrt.engine.sources.malformed import FAULT, WHOLE_LINE, WHY, faulty_columns, is_unfit, shortened
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, IS_PAST, NUMBER, identity
from airflow_nrt.engine.spark.paths import written_path
from airflow_nrt.engine.time.computed_columns import computed_columns, of_number
from airflow_nrt.engine.time.fractions import with_fractions
from airflow_nrt.home.ledger import FUTURE, IN_HISTORY, MALFORMED, NO_VALUE, SKIPPED, TIMELESS
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.input.rejects import Rejects, rejects_malformed, rejects_timeless
from airflow_nrt.model.internal_columns import BATCH, IDENTITY, OP, ROWTIME
from airflow_nrt.model.options.known import NOT_NULL, UNFIT_DECIMALS, source_option
from airflow_nrt.model.plan import Source
from airflow_nrt.model.row_semantics import ROW_SEMANTICS
from airflow_nrt.model.tables import LINE
from airflow_nrt.model.value_places import in_file, placed
from airflow_nrt.model.windows import Sql
from airflow_nrt.model.zones import wall_clock_sql

PROPOSAL = "_nrt_proposal"
REASON = "_nrt_reason"


def judge(
    rows: DataFrame,
    source: Source,
    latest: int | str | None,
    absorbed: str,
    whole_lines: str = "false",
    number: str = str(ROW_SEMANTICS),
) -> DataFrame:
    """Source rows with their computed columns, `_nrt_proposal` (ms), and `_nrt_reason`, NULL for accepted rows.

    `latest` is the last rowtime (ms) that is not in the future, or a column with it; None if any rowtime is accepted.
    `absorbed` is SQL of `_nrt_absorbed`. `whole_lines` is a predicate: a malformed field rejects its whole line, as
    in versions whose ledgers have format 1. `number` is SQL of the row semantics of each row.
    """
    table = source.table
    rows = with_fractions(_without_skipped(rows, source), source, number)
    place = in_file(FILE, INDEX)
    computed = computed_columns(source, place, number)
    arrived = [absorbed]
    if computed:
        rows, arrived = rows.selectExpr("*", absorbed).selectExpr("*", *computed), []
    rowtime, proposal = bigint(0), bigint(None)
    if table.watermark is not None:
        # Spark's session zone is UTC, so a TIMESTAMP keeps its clock. Converted once, because the conversion is slow.
        rowtime, proposal = f"unix_millis(CAST({table.watermark.rowtime} AS TIMESTAMP))", table.watermark.expression
        proposal = of_number(placed(proposal, place), number)
    timed = rows.selectExpr("*", *arrived, f"{rowtime} AS {ROWTIME}")
    if table.history is not None:
        # What the past has from its end on comes from the topic.
        timed = timed.where(f"NOT ({IS_PAST} AND {ROWTIME} >= {bigint(table.history.until)}) OR {ROWTIME} IS NULL")
    return timed.selectExpr(
        "*", f"{proposal} AS {PROPOSAL}", f"{_reason(source, bigint(latest), whole_lines)} AS {REASON}"
    )


def _without_skipped(rows: DataFrame, source: Source) -> DataFrame:
    """The rows, and of those that are left out only their lines: nothing is computed of their values."""
    if not source.skipped:
        return rows
    skipped, named = source_of(source.table).is_skipped(source.skipped), set(source.physical)
    columns = {one: f"IF({skipped}, NULL, {quote(one)})" if one in named else quote(one) for one in rows.columns}
    return rows.selectExpr(*(f"{value} AS {quote(one)}" for one, value in columns.items()))


def _reason(source: Source, latest: str, whole_lines: str) -> str:
    """SQL of `_nrt_reason`: why a row is rejected, NULL if it is not.

    CASE WHEN _nrt_fault = '' OR (false AND _nrt_fault IS NOT NULL) THEN 'malformed line' WHEN _nrt_ts IS NULL THEN
      'NULL rowtime' WHEN _nrt_ts > 1718705400000L THEN 'rowtime in the future' END
    """
    ignore, rejects = connector_of(source.table).leniency(source.table), rejects_malformed(source.table)
    if ignore is None:
        none = ""
    elif rejects is Rejects.ALL:
        lost = f"{_is_none(source)} OR ({whole_lines} AND {FAULT} IS NOT NULL)"
        none = f"WHEN {lost} THEN {string_literal(MALFORMED)} "
    else:
        stop = _stop(source, _malformed(source, ignore))
        none = f"WHEN {_stops(source)} THEN {stop if rejects is Rejects.NONE else string_literal(MALFORMED)} "
        if rejects is Rejects.WITHIN_LIMIT and source.table.options.get(UNFIT_DECIMALS) == "fail":
            none = f"WHEN {FAULT} IS NOT NULL AND {is_unfit()} THEN {stop} {none}"
        if source.drops_null and _unfit_not_null(source):
            none += f"WHEN {_names(_unfit_not_null(source))} THEN {string_literal(MALFORMED)} "
    if source.skipped:
        none = f"WHEN {source_of(source.table).is_skipped(source.skipped)} THEN {string_literal(SKIPPED)} {none}"
    # A row that is retracted by its key needs no other fields.
    timeless = f" AND {OP} <> '-D'" if source.table.is_changelog and source.table.primary_key else ""
    stops = rejects_timeless(source.table) is Rejects.NONE
    history = source.table.history
    early = ""
    if history is not None:
        early = f"WHEN NOT {IS_PAST} AND {ROWTIME} < {bigint(history.until)} THEN {string_literal(IN_HISTORY)} "
    missing = _stop(source, _timeless(source)) if stops else string_literal(TIMELESS)
    return (
        f"CASE {none}"
        f"WHEN {ROWTIME} IS NULL{timeless} THEN {missing} {early}"
        f"WHEN {ROWTIME} > {latest} THEN {string_literal(FUTURE)} END"
    )


def limited(source: Source) -> str:
    """SQL predicate of judged rows: one that only `source.rejected.limit` allows to reject.

    (_nrt_reason = 'malformed line' AND _nrt_fault IS NOT NULL) OR _nrt_reason = 'NULL rowtime'
    """
    table = source.table
    predicates = []
    if rejects_malformed(table) is Rejects.WITHIN_LIMIT:
        predicates.append(f"({REASON} = {string_literal(MALFORMED)} AND {_stops(source)})")
    if rejects_timeless(table) is Rejects.WITHIN_LIMIT:
        predicates.append(f"{REASON} = {string_literal(TIMELESS)}")
    return " OR ".join(predicates) or "false"


def _stops(source: Source) -> str:
    """SQL predicate: a malformed line stops the driver, as malformed lines are not ignored."""
    stops = f"{FAULT} IS NOT NULL"
    if not _passes_unfit(source):
        return stops
    not_null = () if source.drops_null else _unfit_not_null(source)
    lacks = f" OR {_names(not_null)}" if not_null else ""
    return f"{stops} AND (NOT {is_unfit()}{lacks})"


def _passes_unfit(source: Source) -> bool:
    """Whether a number that does not fit its DECIMAL may be NULL."""
    columns = (source.table.column(name).type for name in source.physical)
    return any(map(may_be_unfit, columns)) and source_option(source.table.options, UNFIT_DECIMALS) == "null"


def _unfit_not_null(source: Source) -> tuple[str, ...]:
    """The columns that would be NULL for a number that does not fit, and are NOT NULL, or the key of a change."""
    columns = [source.table.column(name) for name in source.physical] if _passes_unfit(source) else []
    decimals = (one for one in columns if one.type.name == "DECIMAL")
    return tuple(one.name for one in decimals if not one.type.nullable or one.name in _key(source))


def _names(columns: Iterable[str]) -> str:
    """SQL predicate: one of these columns is malformed."""
    return f"arrays_overlap({faulty_columns()}, array({', '.join(map(string_literal, columns))}))"


def _is_none(source: Source) -> str:
    """SQL predicate: a line is no row. A change needs its key, which says what row it changes.

    _nrt_fault = ''
    """
    lost = f"{FAULT} = {string_literal(WHOLE_LINE)}"
    return f"({lost} OR {_names(_key(source))})" if _key(source) else lost


def _key(source: Source) -> tuple[str, ...]:
    """The columns that say which row a change is of."""
    return source.table.primary_key if source.table.is_changelog else ()


def _malformed(source: Source, ignore: str) -> tuple[str, ...]:
    ignored = f"set '{ignore}' = 'true' to read such a field as NULL, to reject such a line, and to count them"
    passed = f"set '{UNFIT_DECIMALS}' = 'null' to read such a field as NULL, and to count it"
    if _unfit_not_null(source):
        passed = f"SET '{NOT_NULL}' = 'drop' to reject such a line, whose column is NOT NULL, and to count it"
    way_out = f"IF({is_unfit()}, {string_literal(passed)}, {string_literal(ignored)})"
    begin = f". {source_of(source.table).correction} "
    said = string_literal(f"a malformed line in table {source.name}: "), WHY, string_literal(begin)
    return *said, way_out, string_literal(_goes_on(source))


def _goes_on(source: Source) -> str:
    alone = ", or without this row (`airflow-nrt skip`)" if source_of(source.table).skips else ""
    return f". A home goes on with that{alone}"


def _timeless(source: Source) -> tuple[str, ...]:
    r"""SQL of a message about a row without a rowtime, in parts.

    'RowTime field should not be null: a row of table orders has none'
    coalesce(concat(': ', _nrt_why), '')
    '. Correct it, or set \'scan.null-rowtime\' = \'skip\' to reject and count such rows. A home goes on with that, or
      without this row (`airflow-nrt skip`)'
    """
    said = f"RowTime field should not be null: a row of table {source.name} has none"
    correction = source_of(source.table).correction
    way_out = f". {correction} set 'scan.null-rowtime' = 'skip' to reject and count such rows{_goes_on(source)}"
    return string_literal(said), f"coalesce(concat(': ', {WHY}), '')", string_literal(way_out)


def _stop(source: Source, message: tuple[str, ...]) -> str:
    r"""SQL that fails the job with this message, the row's place and its line.

    raise_error(concat('airflow-nrt stops: ', 'it is wrong', ' (', url_decode(replace(regexp_replace(_nrt_file,
      '^file:/+', '/'), '+', '%2B')), coalesce(concat(': ', IF(length(regexp_replace(make_valid_utf8(_nrt_line),
      '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', '…')) > 200,
      concat(left(replace(replace(regexp_replace(make_valid_utf8(_nrt_line), '�nrt:([0-9]+)( elements)?>([0-9]+)\\z',
      '…'), '\r', '\\r'), '\n', '\\n'), 200), '…'), replace(replace(regexp_replace(make_valid_utf8(_nrt_line),
      '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', '…'), '\r', '\\r'), '\n', '\\n'))), ''), ')'))
    """
    place = _place(source)
    line = f"coalesce(concat(': ', {shortened(shown_line())}), '')"
    return f"raise_error(concat('{STOP_MARK}', {', '.join(message)}, ' (', {place}, {line}, ')'))"


def _place(source: Source) -> str:
    """SQL of where a row stands, for people."""
    place = source_of(source.table).place
    return place if source.table.history is None else f"IF({IS_PAST}, {written_path(FILE)}, {place})"


def without_lines(judged: DataFrame) -> DataFrame:
    """The judged rows, to be kept for several readers: of their lines only those that a ledger lists."""
    return judged.withColumn(LINE, F.expr(f"IF({REASON} IS NULL AND {FAULT} IS NULL, NULL, {LINE})"))


def metered(
    judged: DataFrame, proposals: Mapping[str, str] = MappingProxyType({}), unreadable: str = "false"
) -> tuple[DataFrame, Observation]:
    """The judged rows with an observation: `rows`, `rejected`, those that a predicate says are `unreadable`, and the
    greatest proposals of accepted rows.

    `proposals` are parts of the source, by the name of what is observed: a predicate that a row is of the part.
    Spark pushes no filter below an observation. Pushed down, the filter on the reason would parse a line again for each
    column that it reads.
    """
    counts = Observation()
    watched = judged.observe(
        counts,
        F.count("*").alias("rows"),
        F.count(F.coalesce(REASON, FAULT)).alias("rejected"),
        F.expr(f"count_if({unreadable})").alias("unreadable"),
        *(
            F.expr(f"max(IF({REASON} IS NULL AND {of}, {PROPOSAL}, NULL))").alias(name)
            for name, of in proposals.items()
        ),
    )
    return watched, counts


def accepted(judged: DataFrame, source: Source, *more: str) -> DataFrame:
    """The rows without a reason for rejection, with hidden columns and `more`; `_nrt_ts` is on the windows' clock."""
    place = f"struct({NUMBER} AS file, {BLOCK} AS block, {INDEX} AS row, {FILE} AS path)"
    hidden = (f"{_shown(source)} AS _nrt_row", f"{place} AS _nrt_pos", f"CAST(NULL AS BIGINT) AS {BATCH}")
    known = (f"{identity()} AS {IDENTITY}",) if source.identified else ()
    kept = judged.where(f"{REASON} IS NULL").selectExpr("*", *hidden, *known, *more)
    if source.zone is None:
        return kept
    return kept.withColumn(ROWTIME, F.expr(str(wall_clock_sql(Sql(ROWTIME), source.zone))))


def rejected(judged: DataFrame, source: Source) -> DataFrame:
    """The records for the ledger, one for each rejected row and for each malformed field of an accepted row: reason,
    column, why, file, and the line or the row as JSON."""
    # Without an observation Spark writes the expressions into the filter, and plans that of a DECIMAL for seconds.
    watched, _ = metered(judged)
    at_fault = watched.where(f"{REASON} IS NOT NULL OR {FAULT} IS NOT NULL")
    columns = f"IF({REASON} IS NULL, {faulty_columns()}, array(nullif({faulty_columns()}[0], '')))"
    return at_fault.selectExpr("*", f"explode({columns}) AS column").selectExpr(
        f"{string_literal(source.name)} AS source",
        f"coalesce({REASON}, {string_literal(NO_VALUE)}) AS reason",
        "column",
        f"{WHY} AS why",
        f"{_place(source)} AS file",
        f"coalesce({shown_line()}, to_json({_shown(source)})) AS line",
    )


def _shown(source: Source) -> str:
    """SQL of a row in the form of the ledgers.

    struct(`shop` AS `shop`, `ts` AS `ts`)
    """
    kinds = {name: source.table.column(name).type for name in source.columns}
    columns = (f"{with_times(quote(name), kind, as_field)} AS {quote(name)}" for name, kind in kinds.items())
    return f"struct({', '.join(columns)})"
