"""What `check`, `fix` and `contexts` begin with: find the files, the configuration and the rules."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.cli.console import Progress, note
from mmcodemod.cli.options import Failure, Options, folders, known_rules, settings
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Severity
from mmcodemod.source.discover import Discovered

if TYPE_CHECKING:
    from mmcodemod.engine.config import Configuration
    from mmcodemod.model.report import Report
    from mmcodemod.pipeline import Settings
    from mmcodemod.source.store import Store
    from mmcodemod.source.tree import Tree

FOUND = 1
UNREADABLE = 2

NOT_READ = ("io", "too-large", "link", "encoding", "syntax")
"""Kinds of problems after which nothing of a file was analysed."""


@frozen()
class Session:
    """One invocation, ready to call the pipeline."""

    options: Options
    discovered: Discovered
    settings: Settings
    names: dict[str, str]
    fail_on: Severity
    configuration: Configuration

    @property
    def empty(self) -> bool:
        return not self.discovered.tree.paths and not self.discovered.problems

    def fails(self, finding: Finding) -> bool:
        """Does it fail a check?"""
        return finding.severity.rank >= self.fail_on.rank


def start(options: Options) -> Session:
    """Find everything.

    Raises:
        Failure: for a missing path, a bad configuration, an unknown rule.
    """
    from mmcodemod.engine.config import ConfigError, load
    from mmcodemod.source.discover import NoSuchPath, common_root, discover

    try:
        root = common_root(options.paths)
        store = open_store(options, root)
        names = rule_names(options, store)
        configuration = load(root, options.config, names)
        discovered = discover(options.paths, configuration.exclude)
    except (ConfigError, NoSuchPath) as error:
        raise Failure(str(error)) from None
    _Shown.progress = Progress(off=True) if options.quiet else Progress()
    chosen = replace(
        settings(options, configuration, names),
        store=store,
        base=_base(root, configuration),
        tell=_Shown.progress.stage,
        profile=options.profile,
    )
    session = Session(options, discovered, chosen, names, _fail_on(options, configuration), configuration)
    if options.verbose:
        _tell(session)
    return session


def _fail_on(options: Options, configuration: Configuration) -> Severity:
    return Severity(options.fail_on or configuration.fail_on or "warning")


def _base(root: Path, configuration: Configuration) -> str:
    """Where the root is in the folder of the configuration (without one: in the working folder)."""
    folder = Path(configuration.path).resolve().parent if configuration.path else Path.cwd().resolve()
    inside = root.is_relative_to(folder) and root != folder
    return root.relative_to(folder).as_posix() if inside else ""


def _tell(session: Session) -> None:
    """What --verbose says before a check."""
    from mmcodemod.source.glob import matches

    discovered, chosen, paths = session.discovered, session.settings, session.discovered.tree.paths
    note(f"root {discovered.root}", f"configuration {session.configuration.path or '(none)'}")
    note(f"{len(paths)} files, {len(session.names)} rules, selected {', '.join(chosen.select)}")
    for pattern in chosen.per_file_ignores:
        if not any(matches(pattern, f"{chosen.base}/{path}".lstrip("/")) for path in paths):
            note(f"per-file-ignores: {pattern!r} matches no file")
    note(*(f"exclude: {pattern!r} leaves nothing out" for pattern in _idle(session)))


def _idle(session: Session) -> Iterator[str]:
    """The patterns of `exclude` without which the same files would be found."""
    from mmcodemod.source.discover import discover

    every = session.configuration.exclude
    for pattern in every:
        others = [other for other in every if other != pattern]
        if discover(session.options.paths, others).tree.paths == session.discovered.tree.paths:
            yield pattern


def open_store(options: Options, root: Path) -> Store | None:
    """The cache: none when the user wants none, or wants to know how long a check takes."""
    from mmcodemod.source.cache_folder import default_folder
    from mmcodemod.source.store import Store, silent

    unwanted = os.environ.get("MMCODEMOD_NO_CACHE", "0").lower() not in ("", "0", "false", "no", "off")
    if options.no_cache or options.profile or unwanted:
        return None
    given = options.cache_dir or os.environ.get("MMCODEMOD_CACHE_DIR")  # for commands without the options
    folder = Path(given).absolute() if given else default_folder(root)
    if options.verbose:
        note(f"cache {folder or '(none: it would lie inside the checked tree)'}")
    return Store(folder, note if options.verbose else silent) if folder else None


def rule_names(options: Options, store: Store | None) -> dict[str, str]:
    """Code -> name of all rules. Importing them takes longer than all else when nothing changed."""
    from mmcodemod.engine import replay

    return replay.names(store, folders(options.codemods), lambda: known_rules(options.codemods))


def checked(session: Session) -> Report:
    """The report of a check, with progress on a terminal."""
    from mmcodemod import pipeline

    with watched(session.discovered.tree) as tree:
        report = pipeline.check(tree, session.settings)
    return replace(report, problems=all_problems(session.discovered, report.problems))


@contextmanager
def watched(tree: Tree) -> Iterator[Tree]:
    """The tree, with progress on stderr when that is a terminal."""
    from mmcodemod.source.watch import ProgressTree

    progress = _Shown.progress
    try:
        yield tree if progress.off else ProgressTree(tree, progress.files)
    finally:
        progress.clear()


class _Shown:
    """The progress of this process: it has one standard error."""

    progress = Progress(off=True)


def exit_code(session: Session, findings: Iterable[Finding], problems: Iterable[Problem]) -> int:
    """0 nothing at or above the level, 1 findings (--strict: or damaged files), 2 no file could be read."""
    seen = tuple(problems)
    if _all_unreadable(session.discovered, seen):
        note("no file could be read")
        return UNREADABLE
    failing = any(map(session.fails, findings))
    if session.options.exit_zero:
        return 0
    damaged = session.options.strict and any(problem.damage for problem in seen)
    return FOUND if failing or damaged else 0


def all_problems(discovered: Discovered, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Those of the walk and those of the pipeline."""
    return tuple(sorted({*discovered.problems, *problems}))


def _all_unreadable(discovered: Discovered, problems: tuple[Problem, ...]) -> bool:
    """Is every Python file (every file, when there is no Python) a problem?"""
    failed = {problem.path for problem in problems if problem.kind in NOT_READ}
    wanted = {*discovered.tree.paths, *failed}
    python = {path for path in wanted if path.endswith(".py")}
    return bool(failed) and (python or wanted) <= failed
