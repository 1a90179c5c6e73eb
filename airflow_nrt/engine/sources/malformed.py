"""Malformed lines and fields: which columns are malformed, and why.

A row just read has `_nrt_fault`: NULL if it is well-formed, '' if the line is malformed, else the columns whose fields
are no values of their types. `_nrt_why` is a message about the first of them. Both are short SQL, because they are part
of the plan that parses each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.tables import Column

FAULT, WHY = "_nrt_fault", "_nrt_why"
WHOLE_LINE = ""
NO_FAULT = f"CAST(NULL AS STRING) AS {FAULT}", f"CAST(NULL AS STRING) AS {WHY}"
_BETWEEN = "\x01"
_LONGEST = 200


def fault_sql(line_is_none: Sequence[str], fields: Iterable[tuple[Column, str]]) -> str:
    """SQL of `_nrt_fault`, from SQL conditions for a malformed line, and for a malformed field of each column.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(fault_sql(["size(f) = 0"], [(Column("id", DataType("INT")), "id IS NULL")]).replace(_BETWEEN, "|"))
    CASE WHEN size(f) = 0 THEN '' WHEN (id IS NULL) THEN concat_ws('|', IF((id IS NULL), 'id', NULL)) END
    """
    names = [(f"({wrong})", string_literal(column.name)) for column, wrong in fields]
    cases = [f"WHEN {' OR '.join(line_is_none)} THEN ''"] if line_is_none else []
    if names:
        named = ", ".join(f"IF({wrong}, {name}, NULL)" for wrong, name in names)
        cases.append(
            f"WHEN {' OR '.join(wrong for wrong, _ in names)} THEN concat_ws({string_literal(_BETWEEN)}, {named})"
        )
    return f"CASE {' '.join(cases)} END" if cases else "CAST(NULL AS STRING)"


def faulty_columns(fault: str = FAULT) -> str:
    """SQL of the columns in `_nrt_fault` as an array.

    >>> print(faulty_columns("f").replace(_BETWEEN, "|"))
    split(f, '|')
    """
    return f"split({fault}, {string_literal(_BETWEEN)})"


def why_sql(of_line: str, text_of: str, forms: Mapping[str, str]) -> str:
    r"""SQL of `_nrt_why`; `of_line` is that of a malformed line.

    `text_of` is SQL of the field of a column, with `{column}` as a placeholder. `forms` are, by column, the texts that
    describe the expected form.

    >>> print(why_sql("'torn'", "get(texts, {column})", {"id": " is no INT"}).replace(_BETWEEN, "|"))
    CASE WHEN _nrt_fault = '' THEN 'torn' WHEN _nrt_fault IS NOT NULL THEN concat('column ', substring_index(_nrt_fault,
    '|', 1), ': ', coalesce(concat(concat('\'', IF(length(get(texts, substring_index(_nrt_fault, '|', 1))) > 200,
    concat(left(replace(replace(get(texts, substring_index(_nrt_fault, '|', 1)), '\r', '\\r'), '\n', '\\n'), 200), '…'),
    replace(replace(get(texts, substring_index(_nrt_fault, '|', 1)), '\r', '\\r'), '\n', '\\n')), '\'',
    element_at(map('id', ' is no INT'), substring_index(_nrt_fault, '|', 1))), IF(lower(trim(get(texts,
    substring_index(_nrt_fault, '|', 1)))) = lower(substring_index(_nrt_fault, '|', 1)), '. It looks like a header line,
    and the files of Flink have none: take it away', '')), 'the field is missing')) END
    """
    column = f"substring_index({FAULT}, {string_literal(_BETWEEN)}, 1)"
    text = text_of.format(column=column)
    form = lookup(column, {name: string_literal(form) for name, form in forms.items()})
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
