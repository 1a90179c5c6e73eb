"""The patterns of fields of csv: between delimiters, in quotes, with escapes. The rules are those of Jackson.

All are possessive, so that no match backtracks or recurses.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import Table


@dataclass(frozen=True)
class CsvSyntax:
    """The characters that mean something in a table's lines; None where nothing is quoted, or nothing escaped."""

    separator: str
    quote: str | None
    escape: str | None = None

    @classmethod
    def of(cls, table: Table) -> CsvSyntax:
        options = table.options
        unquoted = source_option(options, "csv.disable-quote-character")
        quote = None if unquoted else source_option(options, "csv.quote-character")
        escape = source_option(options, "csv.escape-character")
        return cls(source_option(options, "csv.field-delimiter"), quote, None if escape == quote else escape)

    @property
    def marks(self) -> tuple[str, ...]:
        """What makes a line more than texts between delimiters."""
        return tuple(one for one in (self.quote, self.escape) if one is not None)

    @property
    def field(self) -> str:
        """A field with the delimiter before it and blanks after it; the first group is the field as it is written."""
        between, bare = literal_pattern(self.separator), self._bare
        if self.quote is None:
            return f"{between}({bare})"
        mark = literal_pattern(self.quote)
        return f"{between}({mark}{self.quoted}{mark}|(?!{mark}){bare})[\\x00-\\x20&&[^{between}]]*+"

    @property
    def quoted(self) -> str:
        """The text after an opening quote, up to the closing one."""
        assert self.quote is not None
        mark = literal_pattern(self.quote)
        return self._but(mark, f"{mark}{mark}")

    @property
    def _bare(self) -> str:
        """A field that is not quoted."""
        return self._but(literal_pattern(self.separator))

    def _but(self, end: str, *parts: str) -> str:
        """A text without its end, but with these parts and with escapes."""
        parts = (*parts, *([] if self.escape is None else [f"{literal_pattern(self.escape)}[\\s\\S]"]))
        others = f"[^{end}{'' if self.escape is None else literal_pattern(self.escape)}]*+"
        several = f"(?:{'|'.join(parts)})" if len(parts) > 1 else "".join(parts)
        return f"{others}(?:{several}{others})*+" if parts else others

    def text(self, field: str) -> str:
        """SQL of the text of a field, without the quotes around it and without escapes.

        >>> print(CsvSyntax(",", '"').text("f"))
        IF(startswith(f, '"'), replace(substring(f, 2, length(f) - 2), '""', '"'), f)
        """
        bare = field
        if self.quote is not None:
            mark, twice = string_literal(self.quote), string_literal(2 * self.quote)
            inside = f"substring({field}, 2, length({field}) - 2)"
            bare = f"IF(startswith({field}, {mark}), replace({inside}, {twice}, {mark}), {field})"
        if self.escape is None:
            return bare
        return f"IF(contains({field}, {string_literal(self.escape)}), {self._unescaped(field)}, {bare})"

    def _unescaped(self, field: str) -> str:
        r"""SQL of the text of a field with escapes.

        >>> print(CsvSyntax(",", None, "!")._unescaped("f"))
        array_join(transform(regexp_extract_all(f, '[^\\!]++|\\![\\s\\S]', 0), one -> IF(startswith(one, '!') AND
        length(one) = 2, IF(one = '!0', char(0), translate(substring(one, 2), 'nrt', '\n\r\t')), one)), '')
        """
        assert self.escape is not None
        escape = literal_pattern(self.escape)
        mark = string_literal(self.escape)
        letter = "translate(substring(one, 2), 'nrt', '\\n\\r\\t')"
        is_escaped = f"startswith(one, {mark}) AND length(one) = 2"
        value = f"IF({is_escaped}, IF(one = {string_literal(self.escape + '0')}, char(0), {letter}), one)"
        parts = f"[^{escape}]++|{escape}[\\s\\S]"
        if self.quote is None:
            return _joined(field, parts, value)
        quote, twice = literal_pattern(self.quote), string_literal(2 * self.quote)
        inside = f"substring({field}, 2, length({field}) - 2)"
        within = f"IF(one = {twice}, {string_literal(self.quote)}, {value})"
        quoted = _joined(inside, f"[^{escape}{quote}]++|{quote}{quote}|{escape}[\\s\\S]", within)
        return f"IF(startswith({field}, {string_literal(self.quote)}), {quoted}, {_joined(field, parts, value)})"


def _joined(text: str, parts: str, value: str) -> str:
    """SQL of a text with a value for each of its parts.

    >>> print(_joined("t", "..", "upper(one)"))
    array_join(transform(regexp_extract_all(t, '..', 0), one -> upper(one)), '')
    """
    return f"array_join(transform(regexp_extract_all({text}, {string_literal(parts)}, 0), one -> {value}), '')"


def literal_pattern(delimiter: str) -> str:
    """The delimiter as a literal in a regular expression."""
    return delimiter if delimiter.isalnum() or delimiter in ",;: \t" else "\\" + delimiter
