"""Verified edits, from the pipeline to the disk: what `fix` and `check --add-ignores` share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mmcodemod.cli.console import note
from mmcodemod.cli.options import Failure

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.engine.plan import Plan
    from mmcodemod.pipeline import FixResult


def verified(
    session: Session, plan: Plan | None, unsafe: bool = False, contexts: tuple[str, ...] = ()
) -> tuple[FixResult, dict[str, bytes]]:
    """The verified fixes, and the content that they were made from.

    Raises:
        Failure: for a context that there is not.
    """
    from mmcodemod import pipeline
    from mmcodemod.cli.session import all_problems, watched
    from mmcodemod.engine.called import UnknownContext
    from mmcodemod.source.watch import RememberingTree

    remembering = RememberingTree(session.discovered.tree)
    with watched(remembering) as tree:
        try:
            result = pipeline.fix(tree, session.settings, unsafe, contexts, plan)
        except UnknownContext as error:
            raise Failure(str(error)) from None
    before, problems = remembering.still(result.changed)
    every = all_problems(session.discovered, (*result.problems, *problems))
    return _without(replace(result, problems=every), {p.path for p in problems}), before


def applied(session: Session, result: FixResult, before: dict[str, bytes]) -> FixResult:
    """Write the files. The result is without what could not be written, and has a problem for it."""
    from mmcodemod.engine.edited import paths_of
    from mmcodemod.engine.leftovers import remove_leftovers
    from mmcodemod.engine.write import write

    root = session.discovered.root
    removed = remove_leftovers(root, session.discovered.tree.paths)
    if session.options.verbose:
        note(*(f"removed {path}, which an interrupted run left behind" for path in removed))
    problems = write(root, result.changed, before, map(paths_of, result.applied))
    every = tuple(sorted({*result.problems, *problems}))
    return _without(replace(result, problems=every), {problem.path for problem in problems})


def _without(result: FixResult, lost: set[str]) -> FixResult:
    """The result without files that are not written, and without those that a fix ties to them."""
    from mmcodemod.engine.edited import paths_of, tied

    gone = tied(lost, map(paths_of, result.applied))
    changed = {path: data for path, data in result.changed.items() if path not in gone}
    applied = tuple(f for f in result.applied if not paths_of(f) & gone)
    fixed = tuple(f for f in result.fixed if not ({f.at.path} | paths_of(f)) & gone)
    left = (*result.left, *(f for f in result.fixed if f not in fixed))
    return replace(result, changed=changed, applied=applied, fixed=fixed, left=left)
