"""The content of `report.json`: the report of the home, what it means, and how to plan it again."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from airflow_nrt import __version__
from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import MOST_CHARACTERS
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.formats import Content, Format
from airflow_nrt.home.identity.fingerprint import Fingerprint, fingerprint, with_policies_of
from airflow_nrt.home.identity.older_defaults import known_now
from airflow_nrt.home.identity.secret_hashes import Masks
from airflow_nrt.home.identity.semantics import Semantics, semantics
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.modules import is_installed


@dataclass(frozen=True)
class Identity:
    """`id` identifies the home. The `version` of airflow-nrt created it at `created` (ms).

    `fingerprint` is the meaning of the plan, `operators` the semantics of its operators. The report is planned again
    from its `script` and `settings`, or from its `program`. Relative paths start at `base`. Masked settings are kept
    only as `masks`. `unsafe` names placeholders that may be any SQL. `added` are inserts that were added later, each
    with the insert whose table fills its own. `knows` are the options that already had their present default when the
    home was made (`older_defaults.py`).
    """

    id: str
    name: str
    version: str
    created: int
    fingerprint: Fingerprint
    operators: Semantics
    script: str
    settings: Mapping[str, str]
    base: str
    program: str | None = None
    masks: Masks = field(default_factory=Masks)
    unsafe: Sequence[str] = ()
    added: Mapping[str, str] = field(default_factory=dict)
    knows: Sequence[str] = ()

    @classmethod
    def of(cls, plan: Plan, launches: Path) -> Identity:
        """The identity of a new home; the modules of a program are copied to its `launches`, because the originals may
        be deleted."""
        built = plan.built and replace(plan.built, program=plan.built.program.copied_to(launches))
        masks = Masks.of(plan.given)
        return cls(
            id=uuid.uuid4().hex,
            name=plan.name,
            version=__version__,
            created=int(time.time() * 1000),
            fingerprint=masks.masked(fingerprint(plan), plan.given),
            operators=semantics(plan),
            script=plan.script,
            settings=plan.given.but(masks.hashes),
            base=plan.base if built is None else str(built.base),
            program=None if built is None else str(built.program),
            masks=masks,
            unsafe=plan.given.unsafe,
            knows=known_now(),
        )

    def with_added(self, plan: Plan, launches: Path, added: Mapping[str, str]) -> Identity:
        """The identity of the same home, whose report has become this plan."""
        found = Identity.of(plan, launches)
        return replace(
            found,
            # Entries of earlier versions were read under the policies that the home began with.
            fingerprint=with_policies_of(self.fingerprint, found.fingerprint, plan),
            id=self.id,
            created=self.created,
            added={**self.added, **added},
            knows=self.knows,
        )

    def given(self, current: Settings) -> Settings:
        """The settings that the home was created with; the values of masked ones come from the `current` ones."""
        values = {**self.settings, **self.masks.filled(current)}
        # What is allowed now is for the home, too: it may be from before a value was refused.
        unsafe = dict.fromkeys((*self.unsafe, *current.unsafe))
        of_run = tuple(name for name in current.of_run if name in self.masks.hashes)
        return Settings(tuple(values.items()), tuple(self.masks.hashes), tuple(unsafe), of_run)

    def facts(self, plan: Plan) -> Fingerprint:
        """The fingerprint of a plan as this home would keep it."""
        return self.masks.masked(fingerprint(plan), plan.given)

    def has_moved(self, again: Fingerprint) -> bool:
        """Whether its program, planned `again`, means something else, because it reads something outside of its
        modules.

        Another version of this product may describe the same differently; the modules of an installed program are not
        kept here.
        """
        is_whole = any(name.startswith("insert into ") for name in self.fingerprint)
        is_kept = self.program is not None and not is_installed(Path(self.program))
        return is_whole and (self.version == __version__ or not is_kept) and again != self.fingerprint

    def to_bytes(self) -> bytes:
        return json.dumps(_FORMAT.stamped(asdict(self)), indent=1, ensure_ascii=False).encode()

    @classmethod
    def read(cls, file: StorePath) -> Identity:
        """Raises HomeError if it can't be read, or if a newer version wrote it."""
        try:
            content = parse_json(file.read())
        except (OSError, ValueError) as wrong:
            raise HomeError(f"the home {file.parent} can't be read: report.json: {wrong}") from None
        if not isinstance(content, dict) or not {"id", "name"} <= content.keys():
            raise HomeError(f"the home {file.parent} can't be read: report.json does not say whose home it is")
        known = _FORMAT.read(content, file)
        try:
            kept = {field.name: known[field.name] for field in fields(cls) if field.name in known}
            found = decoded(kept, cls)
            if len(found.name) > MOST_CHARACTERS:
                raise TypeError(f"the report's name has {len(found.name)} characters")
        except TypeError as wrong:
            raise HomeError(f"the home {file.parent} can't be read: report.json: {wrong}") from None
        return found


def _from_facts(content: Content) -> Content:
    """Format 1 had `facts`, generated SQL among them: without that they are no complete fingerprint."""
    facts: dict[str, str] = content["facts"]
    kept = {name: text for name, text in facts.items() if name.startswith("setting ")}
    operators: dict[str, dict[str, Any]] = {}
    for name, text in facts.items():
        label, _, fact = name.partition(", ")
        if label.startswith(("window operator ", "updating operator ")):
            operators.setdefault(label.rpartition(" ")[2], {"version": 1}).update(
                {"does": text} if fact == "window" else {}
            )
        elif label.startswith("function "):
            target, _, source = text.rpartition(", source ")
            kept.update({f"{label}, target": target, f"{label}, source": source})
    settings = {name.removeprefix("setting "): text for name, text in kept.items() if name.startswith("setting ")}
    given: dict[str, Any] = {"settings": settings, "program": None, "script": "", "base": "/", "version": "0.1.0"}
    rest = {name: value for name, value in content.items() if name != "facts"}
    return {"created": 0, **given, **rest, "fingerprint": kept, "operators": operators}


def _without_masks(content: Content) -> Content:
    """Format 2 had all values unmasked, in `settings` and in the `script`."""
    return {**content, "masks": {"salt": "", "hashes": {}}, "unsafe": []}


_FORMAT = Format("the report of a home", (_from_facts, _without_masks))
