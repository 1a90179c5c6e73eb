"""Malformed lines and fields: which columns are malformed, and why.

A row just read has `_nrt_fault`: NULL if it is well-formed, '' if the line is malformed, else the columns whose fields
are no values of their types. `_nrt_why` is a message about the first of them. Both are short SQL, because they are part
of the plan that parses each line. `UNFIT` stands before a column whose field is a number, or holds one, that does not
fit its DECIMAL, and is right but for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.tables import Column

FAULT, WHY = "_nrt_fault", "_nrt_why"
WHOLE_LINE = ""
NO_FAULT = f"CAST(NULL AS STRING) AS {FAULT}", f"CAST(NULL AS STRING) AS {WHY}"
UNFIT = "\x02"
_BETWEEN = "\x01"
_ONE_UNFIT = f"{UNFIT}[^{_BETWEEN}]*+"
_AN_UNFIT = f"{_ONE_UNFIT}{_BETWEEN}?"
_ALL_UNFIT = f"^{_ONE_UNFIT}(?:{_BETWEEN}{_ONE_UNFIT})*+\\z"
_LONGEST = 200


@dataclass(frozen=True)
class MalformedField:
    """SQL predicates of a column's field: it is no value of the type, and then, that its numbers merely don't fit."""

    column: Column
    is_wrong: str
    is_unfit: str = ""

    @property
    def named(self) -> str:
        """SQL of what `_nrt_fault` has for it.

        >>> from airflow_nrt.basics.types import DataType
        >>> print(MalformedField(Column("n", DataType("INT")), "n IS NULL").named)
        'n'
        """
        name = string_literal(self.column.name)
        return f"IF({self.is_unfit}, {string_literal(UNFIT + self.column.name)}, {name})" if self.is_unfit else name


def fault_sql(line_is_none: Sequence[str], fields: Iterable[MalformedField]) -> str:
    """SQL of `_nrt_fault`, from SQL conditions for a malformed line, and the malformed fields of columns.

    >>> from airflow_nrt.basics.types import DataType
    >>> field = MalformedField(Column("id", DataType("INT")), "id IS NULL")
    >>> print(fault_sql(["size(f) = 0"], [field]).replace(_BETWEEN, "|"))
    CASE WHEN size(f) = 0 THEN '' WHEN (id IS NULL) THEN concat_ws('|', IF((id IS NULL), 'id', NULL)) END
    """
    names = [(f"({one.is_wrong})", one.named) for one in fields]
    cases = [f"WHEN {' OR '.join(line_is_none)} THEN ''"] if line_is_none else []
    if names:
        named = ", ".join(f"IF({wrong}, {name}, NULL)" for wrong, name in names)
        cases.append(
            f"WHEN {' OR '.join(wrong for wrong, _ in names)} THEN concat_ws({string_literal(_BETWEEN)}, {named})"
        )
    return f"CASE {' '.join(cases)} END" if cases else "CAST(NULL AS STRING)"


def faulty_columns(fault: str = FAULT) -> str:
    """SQL of the columns in `_nrt_fault` as an array.

    >>> print(faulty_columns("f").replace(_BETWEEN, "|").replace(UNFIT, "~"))
    split(replace(f, '~', ''), '|')
    """
    return f"split({_unmarked(fault)}, {string_literal(_BETWEEN)})"


def is_unfit(fault: str = FAULT) -> str:
    """SQL predicate of a row with a fault: it has numbers that do not fit, and nothing else is wrong with it."""
    return f"{fault} RLIKE {string_literal(_ALL_UNFIT)}"


def _unmarked(names: str) -> str:
    return f"replace({names}, {string_literal(UNFIT)}, '')"


def why_sql(of_line: str, text_of: str, forms: Mapping[str, str], unfit_forms: Mapping[str, str]) -> str:
    r"""SQL of `_nrt_why`; `of_line` is that of a malformed line.

    `text_of` is SQL of the field of a column, with `{column}` as a placeholder. `forms` are, by column, the texts that
    describe the expected form; `unfit_forms` the same of columns whose numbers may not fit.

    >>> print(why_sql("'torn'", "get(texts, {column})", {"id": " is no INT"}, {}).replace(_BETWEEN, "|"))
    CASE WHEN _nrt_fault = '' THEN 'torn' WHEN _nrt_fault IS NOT NULL THEN concat('column ', substring_index(_nrt_fault,
    '|', 1), ': ', coalesce(concat(concat('\'', IF(length(get(texts, substring_index(_nrt_fault, '|', 1))) > 200,
    concat(left(replace(replace(get(texts, substring_index(_nrt_fault, '|', 1)), '\r', '\\r'), '\n', '\\n'), 200), '…'),
    replace(replace(get(texts, substring_index(_nrt_fault, '|', 1)), '\r', '\\r'), '\n', '\\n')), '\'',
    element_at(map('id', ' is no INT'), substring_index(_nrt_fault, '|', 1))), IF(lower(trim(get(texts,
    substring_index(_nrt_fault, '|', 1)))) = lower(substring_index(_nrt_fault, '|', 1)), '. It looks like a header line,
    and the files of Flink have none: take it away', '')), 'the field is missing')) END
    """
    column = f"substring_index({FAULT}, {string_literal(_BETWEEN)}, 1)"
    if unfit_forms:
        # What stops comes first. Without a lambda, whose plans Spark does not compile together with others.
        stops = f"regexp_replace({FAULT}, {string_literal(_AN_UNFIT)}, '')"
        column = _unmarked(f"coalesce(nullif({column.replace(FAULT, stops)}, ''), {column})")
    text = text_of.format(column=column)
    form = lookup(column, {name: string_literal(form) for name, form in forms.items()})
    if unfit_forms:
        unfit = lookup(column, {name: string_literal(form) for name, form in unfit_forms.items()})
        form = f"IF({is_unfit()}, {unfit}, {form})"
    header = "'. It looks like a header line, and the files of Flink have none: take it away'"
    said = f"concat({string_literal(chr(39))}, {shortened(text)}, {string_literal(chr(39))}, {form})"
    looks = f"IF(lower(trim({text})) = lower({column}), {header}, '')"
    field = f"concat('column ', {column}, ': ', coalesce(concat({said}, {looks}), 'the field is missing'))"
    return f"CASE WHEN {FAULT} = '' THEN {of_line} WHEN {FAULT} IS NOT NULL THEN {field} END"


def both_faults(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    """SQL of `_nrt_fault` and `_nrt_why` of a row that was read in two parts, from those of each part.

    >>> print(both_faults(("f", "w"), ("g", "v"))[1])
    coalesce(IF(g = '', v, w), v)
    """
    faults = f"concat_ws({string_literal(_BETWEEN)}, {one[0]}, {other[0]})"
    whole = f"{one[0]} = '' OR {other[0]} = ''"
    fault = f"CASE WHEN {whole} THEN '' WHEN {faults} <> '' THEN {faults} END"
    return fault, f"coalesce(IF({other[0]} = '', {other[1]}, {one[1]}), {other[1]})"


def lookup(key: str, values: Mapping[str, str]) -> str:
    """SQL of the value of a key in a map of literals, which Spark folds into one constant.

    >>> print(lookup("k", {"a": "1", "b": "2"}))
    element_at(map('a', 1, 'b', 2), k)
    """
    pairs = ", ".join(f"{string_literal(name)}, {value}" for name, value in values.items())
    return f"element_at(map({pairs}), {key})" if values else "NULL"


def shortened(text: str) -> str:
    r"""SQL of a text on one line, cut to a readable length.

    >>> print(shortened("line"))
    IF(length(line) > 200, concat(left(replace(replace(line, '\r', '\\r'), '\n', '\\n'), 200), '…'),
    replace(replace(line, '\r', '\\r'), '\n', '\\n'))
    """
    one_line = f"replace(replace({text}, '\\r', '\\\\r'), '\\n', '\\\\n')"
    return f"IF(length({text}) > {_LONGEST}, concat(left({one_line}, {_LONGEST}), '…'), {one_line})"
