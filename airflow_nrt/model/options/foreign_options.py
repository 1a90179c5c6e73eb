"""Options that people know from Spark, Hive, pandas or older Flinks, and what to do here instead: data."""

from __future__ import annotations

_HEADER = (
    "files have no header line, as in Flink: take the header line away, or declare the columns as STRING and leave it "
    "out by WHERE id <> 'id'"
)
_SEVERAL_LINES = (
    "a quoted field of csv may hold line breaks as it is, and an object of json stands on one line (jq -c .)"
)
_DELIMITER = "write 'csv.field-delimiter'"
_QUOTE = "write 'csv.quote-character'"
_ESCAPE = "write the quote character twice inside of quotes"
_NULL = "write 'csv.null-literal'"
_ERRORS = "'csv.ignore-parse-errors' or 'json.ignore-parse-errors' read what is no value as NULL, and count it"
_TIMES = (
    "times are written as '2024-01-31 09:00:00'; declare another form as STRING, and a computed column of "
    "TO_TIMESTAMP(text, format)"
)
_UTF8 = "files are in UTF-8"
_COLUMNS = "CREATE TABLE declares the columns"
_NEW_FILES = "'source.max-batch-size' bounds a batch, and 'source.monitor-interval' says how often to look for files"

_ANSWERS = {
    **dict.fromkeys(
        (
            "header", "hasheader", "includeheader", "withheader", "skipheader", "firstlineheader", "ignorefirstline",
            "skipfirstline", "skipheaderlinecount", "skiplines", "skiprows", "skip", "headerline",
        ),
        _HEADER,
    ),
    **dict.fromkeys(("multiline", "multilines", "wholefile", "allowmultiline"), _SEVERAL_LINES),
    **dict.fromkeys(("sep", "separator", "delimiter", "delim", "fielddelim", "separatorchar"), _DELIMITER),
    **dict.fromkeys(("quote", "quotechar", "enclosure"), _QUOTE),
    **dict.fromkeys(("escape", "escapechar", "escapedelim"), _ESCAPE),
    **dict.fromkeys(("nullvalue", "nullstring", "nullformat", "emptyvalue", "navalues"), _NULL),
    **dict.fromkeys(
        ("mode", "ignoreerrors", "failonerror", "columnnameofcorruptrecord", "badrecordspath", "onbadlines"), _ERRORS
    ),
    **dict.fromkeys(("timestampformat", "dateformat", "timestampntzformat", "timeformat", "datetimeformat"), _TIMES),
    **dict.fromkeys(("encoding", "charset"), _UTF8),
    **dict.fromkeys(("inferschema", "schema", "deriveschema", "enforceschema"), _COLUMNS),
    **dict.fromkeys(("maxfilespertrigger", "maxbytespertrigger", "latestfirst", "maxfileage"), _NEW_FILES),
    "linedelimiter": "a line ends with a line feed, with a carriage return in front of it or without",
    "lineseparator": "a line ends with a line feed, with a carriage return in front of it or without",
    "linesep": "a line ends with a line feed, with a carriage return in front of it or without",
    "pathglobfilter": "write 'source.path.regex-pattern', which the whole path matches",
    "recursivefilelookup": "directories below the path are always read",
    "compression": "a compressed file is known by the end of its name, as .gz",
}  # fmt: skip
"""By the option's name without the format's prefix, in lower case, letters and digits only."""


def answer(name: str) -> str:
    """What to do instead of an unknown option; '' if there is no known alternative."""
    bare = name.lower()
    for first in ("csv.", "json.", "format.", "serialization.", "serde."):
        bare = bare.removeprefix(first)
    return _ANSWERS.get("".join(filter(str.isalnum, bare)), "")
