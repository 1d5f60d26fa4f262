"""Apply fixes in memory and verify them: what does not hold is dropped, never written.

In rounds, to a fixpoint: all fixes that do not overlap together, one check of the changed tree, the ones that
fail found by halving; and again on the changed tree, on which what overlapped or failed is tried once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from mmcodemod.engine.edited import NotEncodable, apart, edited
from mmcodemod.engine.identity import Key, counted, key
from mmcodemod.engine.plan import Plan
from mmcodemod.engine.verify import Objection, broken, objection
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.fix import OverlappingEdits
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.report import Report
from mmcodemod.source.tree import OverlayTree, Tree, UnreadableFile

MAX_CHECKS = 200
"""Checks of one tree, however many fixes fail. One in twenty of a hundred takes about thirty."""

OVERLAPS = "its edits overlap those of another fix"
SPENT = f"too many fixes failed: no more than {MAX_CHECKS} checks are made, run it again"

Recheck = Callable[[Tree], Report]
_Failed = dict[Key, list[tuple[Finding, str]]]


@frozen()
class Refusal:
    """A fix that was wanted and is not in the result. `at`: where the finding stood before the first fix;
    `now` is the finding in the changed tree."""

    at: Finding
    now: Finding
    reason: str

    @property
    def problem(self) -> Problem:
        message = f"the fix of {self.at.rule} was not applied: {self.reason}"
        return Problem(self.at.at.path, "fix", message, self.at.at.line)


@frozen()
class Fixed:
    """`changed` files, the findings whose fix is in them (`applied`) and all that are `gone`, where they
    stood before the first fix; the fixes that failed; the reports of the tree before and after."""

    changed: dict[str, bytes]
    applied: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    refused: tuple[Refusal, ...]
    first: Report
    last: Report


def fix_all(tree: Tree, check: Recheck, plan: Plan) -> Fixed:
    """Rounds, until one changes nothing."""
    recheck = _Counted(check)
    first = report = recheck(tree)
    choose = plan(first, tree)
    changed: dict[str, bytes] = {}
    applied: list[Finding] = []
    failed: _Failed = {}
    while True:
        now = OverlayTree(tree, changed)
        wanted = ((finding, choose(finding, now)) for finding in report.findings)
        tries = [replace(finding, fix=fix) for finding, fix in wanted if fix is not None]
        done = _Round(now, report, recheck)
        done.run(tries)
        _remember(failed, done)
        if not done.landed:
            break
        applied += done.landed
        changed, report = {**changed, **done.trial}, done.after
    return _result(first, report, changed, applied, failed)


def _remember(failed: _Failed, done: _Round) -> None:
    """The last reason holds, until the fix lands."""
    for finding in done.landed:
        failed.pop(key(finding), None)
    latest: _Failed = {}
    for finding, reason in done.failed:
        latest.setdefault(key(finding), []).append((finding, reason))
    failed.update(latest)


class _Counted:
    """A check that may be asked MAX_CHECKS times."""

    def __init__(self, check: Recheck) -> None:
        self._check, self.left = check, MAX_CHECKS

    def __call__(self, tree: Tree) -> Report:
        self.left -= 1
        return self._check(tree)


@mutable()
class _Round:
    """Fixes of one state of the tree. `trial` and `after` are the files and the report with what `landed`;
    `failed` holds the others, with the reason."""

    tree: Tree
    before: Report
    recheck: _Counted
    landed: list[Finding] = field(default_factory=list)
    trial: dict[str, bytes] = field(default_factory=dict)
    after: Report = field(default_factory=Report)
    failed: list[tuple[Finding, str]] = field(default_factory=list)

    def run(self, tries: Sequence[Finding]) -> None:
        """Land as many as possible. What overlaps with one that failed gets its turn."""
        group, waiting = apart((), tries)
        while group:
            self._land(group)
            group, waiting = apart(self.landed, waiting)
        self.failed += [(finding, OVERLAPS) for finding in waiting]

    def _land(self, group: Sequence[Finding]) -> None:
        """Try all together; on failure those to blame apart, or halves."""
        against = self._try([*self.landed, *group])
        if against is None:
            self.landed += group
        elif len(group) == 1:
            self.failed.append((group[0], against.reason))
        else:
            for part in _parts(group, against.blamed):
                self._land(part)

    def _try(self, fixed: Sequence[Finding]) -> Objection | None:
        try:
            trial = edited(self.tree, fixed)
        except (OverlappingEdits, NotEncodable) as error:
            return Objection(str(error))
        except UnreadableFile as error:
            return Objection(f"{error.path} cannot be read: {error.message}")
        against = broken(self.tree, trial, fixed)
        if against is None and not self.recheck.left:
            return Objection(SPENT)
        if against is None:
            after = self.recheck(OverlayTree(self.tree, trial))
            against = objection(fixed, self.before, after)
        if against is None:
            self.trial, self.after = trial, after
        return against


def _parts(group: Sequence[Finding], blamed: Sequence[Finding]) -> tuple[Sequence[Finding], ...]:
    """Those that nobody blames, then the others; two halves when that parts nothing."""
    others = [finding for finding in group if finding not in blamed]
    if 0 < len(others) < len(group):
        return others, [finding for finding in group if finding in blamed]
    half = len(group) // 2
    return group[:half], group[half:]


def _result(
    first: Report,
    last: Report,
    changed: dict[str, bytes],
    applied: Sequence[Finding],
    failed: _Failed,
) -> Fixed:
    origin = _Origin(first)
    done = tuple(origin.of(finding) for finding in applied)
    refused = []
    for name, those in failed.items():
        still = [f for f in last.findings if key(f) == name]
        refused += [Refusal(origin.of(f), now, reason) for (f, reason), now in zip(those, still)]
    return Fixed(changed, done, _gone(first, last, done), tuple(refused), first, last)


class _Origin:
    """Finds the finding of the first report that a finding of a later one is."""

    def __init__(self, first: Report) -> None:
        self._free = list(first.findings)

    def of(self, finding: Finding) -> Finding:
        same = [f for f in self._free if key(f) == key(finding)]
        exact = [f for f in same if f.at == finding.at]
        for original in (exact or same)[:1]:
            self._free.remove(original)
            return replace(original, fix=finding.fix)
        return finding


def _gone(first: Report, last: Report, applied: Sequence[Finding]) -> tuple[Finding, ...]:
    """As many of each name as there are less now, first those whose fix was applied."""
    fewer = counted(first.findings) - counted(last.findings)
    mended = {(key(f), f.at) for f in applied}
    found = set()
    for finding in sorted(first.findings, key=lambda f: (key(f), f.at) not in mended):
        if fewer[key(finding)] > 0:
            fewer[key(finding)] -= 1
            found.add((key(finding), finding.at))
    return tuple(f for f in first.findings if (key(f), f.at) in found)
