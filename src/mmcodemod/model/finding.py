"""Findings, dismissals and problems: what a check reports."""

from __future__ import annotations

from mmcodemod.model.fix import Fix
from mmcodemod.model.frozen import held
from mmcodemod.model.grade import Confidence, How, Severity
from mmcodemod.model.place import Place


@held(slots=True)
class Step:
    """One step of a trace: how the run gets from the launch command to the place."""

    at: Place
    note: str
    symbol: str = ""
    how: How = How.DIRECT


@held(slots=True)
class Note:
    """Another place that a finding or dismissal speaks of (evidence, a flag, a JSON key)."""

    at: Place
    note: str


@held(slots=True)
class Spared:
    """A launch that gets to the place of a finding and comes past it, because of `why`."""

    context: str
    launch: Place
    why: Note


@held(slots=True)
class Finding:
    """One cause of one failure. `message` states, without advice; the fix advises."""

    rule: str
    at: Place
    message: str
    severity: Severity
    confidence: Confidence = Confidence.INFERRED
    symbol: str = ""
    contexts: tuple[str, ...] = ()
    trace: tuple[Step, ...] = ()
    related: tuple[Note, ...] = ()
    fix: Fix | None = None
    anchor: str = ""  # the text that the fingerprint is made of (never a line number)
    spared: tuple[Spared, ...] = ()


@held(slots=True)
class Dismissal:
    """A place that was considered and is safe, with the line that makes it safe."""

    rule: str
    at: Place
    reason: str
    evidence: tuple[Note, ...] = ()
    contexts: tuple[str, ...] = ()


@held(order=True, slots=True)
class Problem:
    """A file or a rule that could not be handled. `kind`: syntax, encoding, io, too-large, config,
    missing, scan, analysis, rule, link, fix."""

    path: str
    kind: str
    message: str
    line: int = 0

    @property
    def damage(self) -> bool:
        """Does it count for `--strict`: a file that cannot be read or parsed, a function or a rule that
        crashed? A link, a large file and a configuration that is elsewhere are no damage: healthy
        repositories have them."""
        return self.kind in ("analysis", "config", "encoding", "io", "rule", "syntax")
