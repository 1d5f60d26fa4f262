"""`mmcodemod review [PATH] --base REF [--head REF] | --patch FILE | --pr URL`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.options import Failure, Options, format_option, given, preflight_options
from mmcodemod.cli.posting import Posting, posting_of, posting_options
from mmcodemod.model.frozen import frozen
from mmcodemod.report.formats import FORMATS, SILENT_ON_PROBLEMS

if TYPE_CHECKING:
    from mmcodemod.engine.config import Configuration
    from mmcodemod.model.change import FileChange, Review
    from mmcodemod.model.grade import Severity
    from mmcodemod.review.revisions import Pair
    from mmcodemod.review.run import Change, Judging
    from mmcodemod.source.git import Repository


@click.command(
    epilog="Exit codes: 0 the change brings nothing at or above --fail-on; 1 it does; 2 the tool or its "
    "arguments failed.",
    short_help="Say what a change brings: findings, and old code now fatal.",
)
@click.argument("path", default=".", type=click.Path())
@click.option("--base", metavar="REF", help=(
    "Compare with the commit where this revision and the new version parted (their merge base), as forges do."
))  # fmt: skip
@click.option("--head", metavar="REF", help=(
    "The new version  [default: the working tree: tracked files, as they are on disk]"
))  # fmt: skip
@click.option("--exact", is_flag=True, help="Compare with --base itself, not with the merge base.")
@click.option("--patch", metavar="FILE", help=(
    "Review this diff instead (`-`: standard input): what it makes of HEAD. Without a repository, only the "
    "files that it creates are checked."
))  # fmt: skip
@format_option(FORMATS)
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the review to a file.")
@click.option("--strict", is_flag=True, help="Exit with 1 when the change makes a file unreadable, as well.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever the change brings.")
@click.option("--codemods", multiple=True, metavar="DIR", help="Load (and run) the rule folders in DIR.")
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr what is read.")
@click.option("-q", "--quiet", is_flag=True, help="No summary, no lists, no hints: findings alone.")
@posting_options
@preflight_options
def review(
    path: str, base: str | None, head: str | None, exact: bool, patch: str | None, **values: Any
) -> int:
    """Say what a change brings: findings that it introduces, and old code that it makes fatal.

    Both versions are read from git's object store; nothing is checked out, and nothing of the repository
    is run. Configuration and suppressions are those of the base: a change cannot silence its own findings.

    With --pr it comments on a pull request, whose versions must have been fetched.
    """
    posting = posting_of(values, path)
    _refuse(path, base, head, exact, patch, posting)
    options = given({**values, "paths": (path,)})
    if posting is not None:
        posting = posting.asked(base)
        base, head = posting.revisions(base, head)
    with _asked(options, Asked(path, base or "", head, exact, patch), posting) as session:
        found = session.review()
        if posting is None or not posting.options.dry_run:
            _show(session, found)
        if posting is not None:
            posting.post(found, session.change.head.tree, session.judging.names, session.pages(found))
    return 0 if options.exit_zero else session.code(found)


def _show(session: Session, found: Review) -> None:
    emit(session.rendered(found), session.options.output)
    if session.options.format in SILENT_ON_PROBLEMS:
        from mmcodemod.report.text import problem_lines
        from mmcodemod.report.untold import untold

        every = session.options.strict or not session.options.quiet
        left = untold(found.problems, [t.finding for t in found.told], found.report.contexts)
        note(*problem_lines(p for p in left if every or p.damage))


def _refuse(
    path: str, base: str | None, head: str | None, exact: bool, patch: str | None, posting: Posting | None
) -> None:
    if posting is not None and (patch is not None or exact):
        raise Failure("--pr compares as the forge does: not with --patch or --exact")
    if patch is not None and (base is not None or head is not None or exact):
        raise Failure("--patch stands alone: --base, --head and --exact name revisions")
    if patch is None and base is None and posting is None:
        raise Failure(f"what to compare with? `{_command(path)}`, or --patch FILE, or --pr URL")


def _command(path: str) -> str:
    """What to type, with a base that is there."""
    from mmcodemod.review.bases import usual
    from mmcodemod.source.git import GitError, open_repository

    try:
        base = usual(open_repository(Path(path)))
    except GitError:
        base = ""
    where = "" if path == "." else f" {shlex.quote(path)}"
    return f"mmcodemod review{where} --base {base or 'origin/main'}"


@frozen()
class Asked:
    """What the command line names."""

    path: str
    base: str
    head: str | None
    exact: bool
    patch: str | None


@frozen()
class Session:
    """A change, ready to be reviewed."""

    options: Options
    change: Change
    judging: Judging
    fail_on: Severity

    def review(self) -> Review:
        from mmcodemod.review.run import review

        return review(self.change, self.judging)

    def rendered(self, review: Review) -> str:
        """The review as the user wants to read it."""
        from mmcodemod.cli.reporting import reviewed

        return reviewed(review, self.change.head.tree, self.judging, self.options, self.fail_on)

    def pages(self, review: Review) -> dict[str, str]:
        """Code -> page of the rules that are told."""
        from mmcodemod.engine.registry import rule_page, rules

        told, extra = {t.finding.rule for t in review.told}, self.judging.settings.codemods
        return {r.code: rule_page(r, extra) for r in rules(extra) if r.code in told} if told else {}

    def code(self, review: Review) -> int:
        """1 when something told is at or above the level, or strictly, when there is a new problem."""
        failing = any(t.finding.severity.rank >= self.fail_on.rank for t in review.told)
        damaged = self.options.strict and any(problem.damage for problem in review.problems)
        return int(failing or damaged)


@contextmanager
def _asked(options: Options, asked: Asked, posting: Posting | None) -> Iterator[Session]:
    """The change that is asked for, while its repository is open.

    Raises:
        Failure: when there is none, or it cannot be read.
    """
    from mmcodemod.engine.config import ConfigError
    from mmcodemod.review.apply import DoesNotApply
    from mmcodemod.review.diff import BadDiff
    from mmcodemod.source.git import GitError, NoRevision

    with ExitStack() as stack:
        try:
            session = _session(stack, options, asked)
        except NoRevision as error:
            raise (posting.missing() if posting and posting.change else Failure(str(error))) from None
        except (GitError, BadDiff, DoesNotApply, ConfigError) as error:
            raise Failure(str(error)) from None
        yield session


def _session(stack: ExitStack, options: Options, asked: Asked) -> Session:
    from mmcodemod.review.patches import alone, patched_pair
    from mmcodemod.review.revisions import pair
    from mmcodemod.source.git import NoRepository, open_repository
    from mmcodemod.source.workshop import opened

    changes = None if asked.patch is None else _diff(asked.patch)
    try:
        repository = open_repository(Path(asked.path))
    except NoRepository:
        if changes is None:
            raise
        return _judged(stack, options, asked, alone(changes), _outside(options, Path(asked.path)))
    shop = stack.enter_context(opened(repository.objects, repository.hash))
    if changes is None:
        with _offering(repository, asked.base):
            both = pair(repository, shop, asked.base, asked.head, asked.exact)
    else:
        both = patched_pair(repository, shop, changes)
    above = (repository.top or repository.git_dir).parent
    configuration = both.configuration(lambda: _outside(options, above))
    if options.config:
        configuration = _outside(options, above)
    session = _judged(stack, options, asked, both.change(configuration.exclude), configuration)
    return _by_the_base(session, both, configuration)


@contextmanager
def _offering(repository: Repository, base: str) -> Iterator[None]:
    """A base that is not there is told with one that is."""
    from mmcodemod.review.bases import offered
    from mmcodemod.source.git import NoRevision

    try:
        yield
    except NoRevision as error:
        other = offered(repository, base)
        raise NoRevision(f"{error}; `--base {other}` is here" if other else str(error)) from None


def _by_the_base(session: Session, both: Pair, configuration: Configuration) -> Session:
    """With what the base knows, and where the patterns of its configuration begin."""
    from posixpath import dirname, isabs

    from mmcodemod.review.known import inside, known

    held = known(both, configuration, session.judging.settings.selects)
    base = "" if isabs(configuration.path) else inside(both.folder, dirname(configuration.path))
    settings = replace(session.judging.settings, base=base)
    judging = replace(session.judging, settings=settings, baseline=held.unknown)
    change = replace(session.change, unknown=(*session.change.unknown, *held.notes))
    return replace(session, judging=judging, change=change)


def _judged(
    stack: ExitStack, options: Options, asked: Asked, change: Change, configuration: Configuration
) -> Session:
    """With the rules, the settings of the base, and a place where both versions share what they have in
    common."""
    from mmcodemod.cli.options import settings
    from mmcodemod.cli.session import open_store, rule_names
    from mmcodemod.model.grade import Severity
    from mmcodemod.review.run import Judging
    from mmcodemod.source.store import Store

    store = open_store(options, Path(asked.path).resolve())
    names = rule_names(options, store)
    if store is None:
        store = Store(Path(stack.enter_context(TemporaryDirectory(prefix="mmcodemod-"))))
    chosen = replace(settings(options, configuration, names), store=store)
    fail_on = Severity(options.fail_on or configuration.fail_on or "warning")
    lowest = Severity.INFO if fail_on is Severity.INFO else Severity.WARNING
    if options.verbose:
        note(f"base {change.base.name}", f"head {change.head.name}")
        note(f"configuration {configuration.path or '(none)'}, {len(change.files)} files changed")
    return Session(options, change, Judging(chosen, names, lowest), fail_on)


def _outside(options: Options, folder: Path) -> Configuration:
    """The configuration that --config names, else one at or above a folder that no change touches."""
    from mmcodemod.engine.config import load

    return load(folder, options.config)


def _diff(file: str) -> tuple[FileChange, ...]:
    """A diff from a file or from standard input; no more of it than can be reviewed."""
    from mmcodemod.review.diff import LIMIT, parse

    try:
        if file == "-":
            return parse(sys.stdin.buffer.read(LIMIT + 1))
        with open(file, "rb") as opened:
            return parse(opened.read(LIMIT + 1))
    except OSError as error:
        raise Failure(f"cannot read {file}: {error.strerror}") from None
