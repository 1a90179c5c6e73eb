"""Operators whose state is groups of equal keys."""

from __future__ import annotations

from abc import abstractmethod

from airflow_nrt.model.updating.operator import UpdatingOperator


class OfGroups(UpdatingOperator):
    """`constant`: neither the number of groups grows, nor the state of each."""

    constant: bool

    @property
    @abstractmethod
    def keeps_all_rows(self) -> bool:
        """Whether all rows of its groups are kept, also those that are not in the result."""

    @property
    def bound_of_groups(self) -> str | None:
        if not self.constant or self.keeps_all_rows:
            return None
        return "its keys, whose domain is declared constant" if self.keys else "that it has no key: there is one group"

    @property
    def bound_of_result(self) -> str | None:
        if not self.constant:
            return None
        return "a constant domain" if self.keys else "one group"
