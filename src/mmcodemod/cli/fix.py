"""`mmcodemod fix [PATH...] [--apply] [--unsafe]`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import emit, note, palette
from mmcodemod.cli.options import common_options, given

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.finding import Finding
    from mmcodemod.pipeline import FixResult


@click.command()
@common_options
@click.option("--apply", is_flag=True, help="Write the fixes (else only the diff is shown).")
@click.option("--unsafe", is_flag=True, help="Include fixes that change numerics or structure.")
def fix(apply: bool, unsafe: bool, **values: Any) -> int:
    """Show the documented fixes as a diff, or write them."""
    from mmcodemod.cli import session as sessions

    session = sessions.start(given(values))
    result, before = _fixed(session, unsafe)
    if apply:
        result = _applied(session, result, before)
    emit(_rendered(session, result, before, apply), session.options.output)
    _notes(session, result, apply)
    remaining = result.left if apply else (*result.fixed, *result.left)
    return sessions.exit_code(session, remaining, result.problems)


def _fixed(session: Session, unsafe: bool) -> tuple[FixResult, dict[str, bytes]]:
    """The verified fixes, and the content that they were made from."""
    from mmcodemod import pipeline
    from mmcodemod.cli.session import all_problems, watched
    from mmcodemod.source.watch import RememberingTree

    remembering = RememberingTree(session.discovered.tree)
    with watched(remembering) as tree:
        result = pipeline.fix(tree, session.settings, unsafe)
    before, problems = remembering.still(result.changed)
    kept = {path: data for path, data in result.changed.items() if path in before}
    every = all_problems(session.discovered, (*result.problems, *problems))
    return _without(replace(result, changed=kept, problems=every), {p.path for p in problems}), before


def _applied(session: Session, result: FixResult, before: dict[str, bytes]) -> FixResult:
    from mmcodemod.engine.write import write

    problems = write(session.discovered.root, result.changed, before)
    failed = {problem.path for problem in problems}
    changed = {path: data for path, data in result.changed.items() if path not in failed}
    every = tuple(sorted({*result.problems, *problems}))
    return _without(replace(result, changed=changed, problems=every), failed)


def _without(result: FixResult, paths: set[str]) -> FixResult:
    """Findings whose fix touches a file that was not written are not fixed."""
    lost = tuple(finding for finding in result.fixed if _touched(finding) & paths)
    fixed = tuple(finding for finding in result.fixed if finding not in lost)
    return replace(result, fixed=fixed, left=(*result.left, *lost))


def _touched(finding: Finding) -> set[str]:
    edits = finding.fix.edits if finding.fix else ()
    return {finding.at.path, *(edit.path for edit in edits)}


def _rendered(session: Session, result: FixResult, before: dict[str, bytes], apply: bool) -> str | bytes:
    options = session.options
    if options.format == "json":
        from mmcodemod.report.fixes import render

        return render(result.changed, result.fixed, result.left, result.problems, session.names)
    if apply:
        return ""
    from mmcodemod.report.diff import diff, for_terminal

    text = diff(before, result.changed)
    colours = palette(options.color, options.output)
    on_terminal = options.output is None and (sys.stdout.isatty() or colours.on)
    return for_terminal(text, colours) if on_terminal else text


def _notes(session: Session, result: FixResult, apply: bool) -> None:
    if session.options.format != "text":
        return
    from mmcodemod.report.fixes import summary
    from mmcodemod.report.text import problem_lines

    note(*problem_lines(result.problems), summary(result.changed, result.fixed, result.left, apply))
