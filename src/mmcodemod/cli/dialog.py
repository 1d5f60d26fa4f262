"""`fix --interactive`: one finding at a time. Nothing is written before the last answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Mapping

from mmcodemod.cli.console import note, show
from mmcodemod.engine.edited import NotEncodable, edited
from mmcodemod.engine.ignoring import Ignoring
from mmcodemod.engine.plan import Choose, decided, take, wanted, writable
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Fix, OverlappingEdits
from mmcodemod.model.frozen import frozen
from mmcodemod.model.report import Report
from mmcodemod.report.colour import Palette
from mmcodemod.report.diff import diff, for_terminal
from mmcodemod.report.text import Style, block
from mmcodemod.source.tree import Tree, UnreadableFile

HELP = {
    "a": "apply: write this fix",
    "s": "skip: leave it (also: Enter)",
    "i": "ignore: write a comment that silences it",
    "q": "quit: leave it and all that follow; what was accepted is written",
    "?": "help",
}


class _Quit(Exception):
    """No more questions."""


def ask(question: str) -> str | None:
    """One line from the person; None at the end of the input."""
    show(question)
    line = sys.stdin.readline()
    return line.strip() if line else None


def can_ask() -> bool:
    """Is there somebody who reads and types?"""
    return sys.stdin.isatty() and sys.stderr.isatty()


@frozen()
class Dialog:
    """A plan that asks about every finding of the first check that is more than a note, or of a rule whose
    `notes` are wanted."""

    unsafe: bool
    names: Mapping[str, str]
    palette: Palette
    columns: int
    notes: Container[str] = ()

    def __call__(self, report: Report, tree: Tree) -> Choose:
        findings = [f for f in report.findings if wanted(f, self.notes)]
        answers: dict[Finding, Choose] = {}
        try:
            for number, finding in enumerate(findings, start=1):
                show(
                    f"\r\x1b[K\n[{number}/{len(findings)}] "
                    if self.palette.on
                    else f"\n[{number}/{len(findings)}] "
                )
                show(self._shown(finding, report, tree))
                answers[finding] = self._answer(finding, tree)
        except _Quit:
            pass
        accepted = sum(1 for answer in answers.values() if answer is not _leave)
        note("", f"{accepted} accepted; verifying" if accepted else "nothing accepted")
        return decided(answers)

    def _shown(self, finding: Finding, report: Report, tree: Tree) -> str:
        style = Style(self.palette, self.columns, steps=4)
        text = block(finding, report, tree, self.names, style)
        change = _diff(finding, tree) if writable(finding, self.unsafe, self.notes) else b""
        return text + (f"\n{for_terminal(change, self.palette)}" if change else "")

    def _answer(self, finding: Finding, tree: Tree) -> Choose:
        keys = self._keys(finding, tree)
        while True:
            what = "Apply this fix" if "a" in keys else "Leave this finding"
            said = ask(f"{what} [{','.join(keys)}]? ")
            if said is None or said == "q":
                raise _Quit
            if said in keys and said != "?":
                return keys[said]()
            if said in ("", "s"):
                return _leave
            note(*(f"  {letter}  {HELP[letter]}" for letter in keys))

    def _keys(self, finding: Finding, tree: Tree) -> dict[str, Callable[[], Choose]]:
        """The letters that are possible here, and what each decides."""
        apply: dict[str, Callable[[], Choose]] = {"a": lambda: take}
        ignore: dict[str, Callable[[], Choose]] = {"i": _ignoring}
        rest: dict[str, Callable[[], Choose]] = {"q": _stop, "?": _stop}
        return {
            **(apply if writable(finding, self.unsafe, self.notes) else {}),
            "s": lambda: _leave,
            **(ignore if Ignoring()(finding, tree) else {}),
            **rest,
        }


def _leave(finding: Finding, tree: Tree) -> Fix | None:
    return None


def _stop() -> Choose:
    raise _Quit


def _ignoring() -> Choose:
    return Ignoring(ask("reason (Enter for none): ") or "")


def _diff(finding: Finding, tree: Tree) -> bytes:
    """What the fix of this finding alone changes; nothing where that cannot be shown."""
    try:
        after = edited(tree, [finding])
    except (OverlappingEdits, NotEncodable, UnreadableFile):
        return b""
    return diff({path: tree.read_bytes(path) for path in after}, after)
