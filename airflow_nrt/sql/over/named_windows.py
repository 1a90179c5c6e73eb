"""The WINDOW clause: `SUM(a) OVER w … WINDOW w AS (PARTITION BY b ORDER BY ts)`, copied into each OVER."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.nearest import nearest
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten


def written_out(node: ast.Select) -> ast.Select:
    """The SELECT without its WINDOW clause. Raises SqlError for a window that is unknown, or defined twice."""
    known: dict[str, ast.Over] = {}
    for name, window in node.windows:
        if name in known:
            raise SqlError(f"there are two windows {name!r} in WINDOW", window.at)
        known[name] = _whole(window, known)

    def change(part: object) -> ast.Call | None:
        if not isinstance(part, ast.Call) or part.over is None or part.over.name is None:
            return None
        return replace(part, over=_whole(part.over, known))

    return replace(node, items=rewritten(node.items, change), windows=())


def _whole(window: ast.Over, known: dict[str, ast.Over]) -> ast.Over:
    if window.name is None:
        return window
    if window.name not in known:
        raise SqlError(f"there is no window {window.name!r} in WINDOW{nearest(window.name, known)}", window.at)
    base = known[window.name]
    if window.partition or (window.order and base.order) or (base.frame is not None and _adds(window)):
        raise SqlError(
            f"a window that refers to {window.name!r} can add only an ORDER BY and a frame that {window.name!r} lacks",
            window.at,
        )
    return replace(base, order=window.order or base.order, frame=window.frame or base.frame, at=window.at)


def _adds(window: ast.Over) -> bool:
    return bool(window.order) or window.frame is not None
