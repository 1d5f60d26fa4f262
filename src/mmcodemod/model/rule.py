"""A rule is a value with pure functions: no state, no IO, no printing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from mmcodemod.model.frozen import held
from mmcodemod.model.grade import Severity

if TYPE_CHECKING:
    from mmcodemod.model.finding import Dismissal, Finding
    from mmcodemod.model.fix import Fix

FAMILIES = ("sharding", "modality", "numerics", "collectives", "launch", "cost", "mmcodemod")

Trigger = Callable[[Any], "Iterable[Any]"]
Pattern = Callable[[Any], bool]
Check = Callable[[Any, Any], "Iterable[Finding | Dismissal]"]
FixFor = Callable[[Any, Any, "Finding"], "Fix | None"]


@held()
class Rule:
    """What `codemods/<slug>/rule.py` declares as RULE.

    `severity` is the highest the rule may reach. `options` are the context options that it reads. A rule in
    `preview` was wrong too often in the field, and speaks in notes unless previews are asked for.
    `trigger(project)` queries the model for candidate sites; `pattern(node)` confirms a candidate on its
    LibCST node (None for sites outside Python); `check(project, site)` judges it in its contexts and yields
    findings and dismissals; `fix(project, site, finding)` builds the fix, or None.
    """

    code: str
    name: str
    summary: str
    family: str
    severity: Severity
    since: str
    trigger: Trigger
    check: Check
    pattern: Pattern | None = None
    fix: FixFor | None = None
    options: tuple[str, ...] = ()
    preview: bool = False

    def problems(self) -> list[str]:
        """What is wrong with this declaration (empty when it is well formed)."""
        found = []
        if not re.fullmatch(r"MM[1-69]\d\d", self.code):
            found.append(f"{self.code}: a code is MM and three digits")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", self.name):
            found.append(f"{self.code}: {self.name!r} is not kebab-case")
        if self.family not in FAMILIES:
            found.append(f"{self.code}: unknown family {self.family!r}")
        if not self.summary or self.summary.endswith("."):
            found.append(f"{self.code}: the summary is one sentence without a full stop")
        return found

    @property
    def slug(self) -> str:
        """The folder name: the rule name with underscores."""
        return self.name.replace("-", "_")
