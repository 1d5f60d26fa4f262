"""What is left to do after `init`: its last lines, because what is said between questions is lost."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.cli.console import note

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.report import Report

HOOKS = ".pre-commit-config.yaml"


def tell(session: Session, report: Report, wrote: Sequence[str]) -> None:
    """Commands in their order, each with what it is good for. `wrote`: paths of new or grown files."""
    rows = list(_rows(session, report, wrote))
    width = max(len(command) for command, why in rows if why)
    note("next:", *(f"  {command:{width}}  # {why}" if why else f"  {command}" for command, why in rows))


def _rows(session: Session, report: Report, wrote: Sequence[str]) -> Iterator[tuple[str, str]]:
    from mmcodemod.cli.known import DEFAULT

    root = session.discovered.root
    if root != Path.cwd().resolve():
        yield f"cd {shlex.quote(os.path.relpath(root))}", ""
    yield from _to_commit(root, wrote)
    if DEFAULT in wrote:
        yield "mmcodemod baseline --show", "the findings that checks leave out from now on"
    else:
        yield "mmcodemod check", _verdict(session, report)


def _to_commit(root: Path, wrote: Sequence[str]) -> Iterator[tuple[str, str]]:
    from mmcodemod.cli.known import git_ignores
    from mmcodemod.source.git import GitError, open_repository

    if not wrote:
        return
    try:
        open_repository(root)
    except GitError:
        return
    ignored = [path for path in wrote if git_ignores(root / path)]
    plain = [path for path in wrote if path not in ignored]
    if plain:
        yield f"git add {shlex.join(plain)}", ""
    if ignored:
        yield f"git add --force {shlex.join(ignored)}", "git ignores it, and CI needs it"
    yield "git commit", ""
    if HOOKS in wrote:
        yield "pre-commit install", "once in each clone: without it no commit is checked"


def _verdict(session: Session, report: Report) -> str:
    """What the next check says, as far as it is known."""
    from mmcodemod.report.words import tally

    failing = [finding for finding in report.findings if session.fails(finding)]
    if session.configuration.baseline or not failing:
        return "what will fail, and by which path a run gets there"
    return f"{tally(failing)}: mend them, or keep them in a `mmcodemod baseline`; checks fail until then"
