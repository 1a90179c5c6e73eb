"""URLs of databases and of other servers: `jdbc:postgresql://host:5432/database?parameter=value`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from airflow_nrt.model.shapes.shape import Given, MisfitError, Piece, Shape, check_name, may_not_choose, with_before
from airflow_nrt.model.shapes.url_parameters import Driver, driver_of, is_database

_SERVER, _SCHEME = "the server of a url: write it into the report", re.compile(r"[\w+.-]+")
_HOST = re.compile(r"[\w.:,\[\]-]+")
_PARAMETERS = re.compile(r"[?&]([^=&#]*)")
_ENDS_DATABASE = re.compile(r"[?#&;/\\\x00-\x1f\x7f\u2028\u2029]")
_ENDS_PARAMETER = re.compile(r"[&#%?\s\x00-\x1f\x7f]")


@dataclass(frozen=True)
class _At:
    """Where a value stands: in the `scheme`, or behind it in what `before` is so far, with `after` behind it."""

    given: Given
    before: str
    after: Sequence[Piece]

    @property
    def scheme(self) -> str | None:
        """`jdbc:postgresql`; None if the value is a part of it."""
        found, separator, _ = self.before.partition("://")
        return found if separator else None

    @property
    def driver(self) -> Driver:
        return driver_of(self.scheme or "")

    @property
    def rest(self) -> str:
        """What stands between `://` and the value."""
        return self.before.partition("://")[2]

    @property
    def is_login(self) -> bool:
        """Whether it stands before the `@` of a user and a password."""
        following = "".join(one if isinstance(one, str) else "_" for one in self.after)
        return "@" in re.split("[/?#]", following, maxsplit=1)[0]


class Url(Shape):
    """A value is escaped for its part, and never changes another one.

    A run chooses neither server nor parameters. An author's placeholder may be a whole URL, all of it behind `://`, or
    all parameters; these are those that the driver is known for.
    """

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        return [_text(_At(*one)) for one in with_before(pieces)]


def _text(at: _At) -> str:
    if at.scheme is None:
        return _begins(at, _SCHEME, "a url")
    if "?" in at.rest:
        return _parameter(at)
    if "/" in at.rest:
        return _in_path(at)
    if at.is_login:
        return quote(at.given.value, safe="")
    return _begins(at, _HOST, "a host")


def _begins(at: _At, part: re.Pattern[str], called: str) -> str:
    """A value where the URL begins, up to its host."""
    given = at.given
    if given.of_run:
        raise may_not_choose(given, _SERVER)
    if not at.rest and not at.after:
        whole = f"{at.before}{given.value}"
        _check_parameters(given, driver_of(whole.partition("://")[0]), whole)
    elif part.fullmatch(given.value) is None:
        raise MisfitError(given, f"has more than a part of {called}, which other text of the url goes on with")
    return given.value


def _in_path(at: _At) -> str:
    given = at.given
    if given.of_run:
        check_name(given)
    if not is_database(at.scheme or ""):
        if ".." in given.value.split("/"):
            raise MisfitError(given, "leaves the path before it by '..'")
        return quote(given.value, safe="" if given.of_run else "/")
    if _ENDS_DATABASE.search(given.value) is not None:
        raise MisfitError(given, "is not the name of one database: write parameters into the report")
    if at.driver.decodes:
        return quote(given.value, safe="")
    if " " in given.value:
        raise MisfitError(given, "has a space, and this driver knows no escapes")
    return given.value


def _parameter(at: _At) -> str:
    given, driver = at.given, at.driver
    name, is_value, _ = re.split("[?&]", at.rest)[-1].partition("=")
    if not is_value:
        if given.of_run:
            raise may_not_choose(given, "the parameters of a url: write them into the report")
        if name or at.after:
            raise MisfitError(given, "names a parameter: write its name into the report")
        _check_parameters(given, driver, f"?{given.value}")
        return given.value
    allowed = driver.values if given.of_run else driver.values | driver.places
    if is_database(at.scheme or "") and name not in allowed:
        raise may_not_choose(given, f"{name!r}") if given.of_run else _unknown(given, name)
    if driver.decodes:
        return quote(given.value, safe="")
    if _ENDS_PARAMETER.search(given.value) is not None:
        raise MisfitError(given, "has a character that ends a parameter, and this driver knows no escapes")
    return given.value


def _check_parameters(given: Given, driver: Driver, text: str) -> None:
    """Raises MisfitError for a parameter of a value that is not one of the driver's."""
    if not (driver.values or driver.places):
        return
    for name in _PARAMETERS.findall(text.partition("://")[2] or text):
        if name and name not in driver.values | driver.places:
            raise _unknown(given, name)


def _unknown(given: Given, name: str) -> MisfitError:
    return MisfitError(given, f"sets the parameter {name[:60]!r}, which may choose code or another server")


def shown_url(url: str) -> str:
    """The URL without user, password and parameters, which may be secrets."""
    return re.sub("://[^/?#]*@", "://", re.split("[?#]", url, maxsplit=1)[0])


URL = Url()
