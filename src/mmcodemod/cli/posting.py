"""The options of `review` that speak to a forge, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.options import Failure
from mmcodemod.model.frozen import frozen

if TYPE_CHECKING:
    from mmcodemod.model.change import Review
    from mmcodemod.review.forges.forge import Change, Forge
    from mmcodemod.review.http import Client
    from mmcodemod.review.posting import Subject
    from mmcodemod.source.tree import Tree

Command = TypeVar("Command", bound=Callable[..., Any])

_FORGES = ("github", "gitlab", "gitea")
_TOKENS = {"GitHub": "GITHUB_TOKEN", "GitLab": "GITLAB_TOKEN", "Gitea": "GITEA_TOKEN (and GITEA_SERVER_URL)"}


@frozen()
class PostingOptions:
    """What the command line says of posting. `pr` is empty when nothing is posted; `path` is what is
    reviewed."""

    pr: str = ""
    forge: str = ""
    repo: str = ""
    dry_run: bool = False
    max_comments: int = 15
    path: str = "."


_OPTIONS = (
    click.option("--pr", metavar="URL|NUMBER", help="Comment on this pull or merge request."),
    click.option(
        "--forge",
        type=click.Choice(_FORGES),
        help="What serves it  [default: told by the address, the CI or `origin`]",
    ),
    click.option(
        "--repo",
        metavar="OWNER/NAME",
        help="Its repository, for --pr NUMBER  [default: that of the CI or `origin`]",
    ),
    click.option("--dry-run", is_flag=True, help="Print the requests that would be sent; write nothing."),
    click.option(
        "--max-comments",
        type=click.IntRange(0),
        default=15,
        show_default=True,
        metavar="N",
        help="Comments on lines; the rest goes into the summary.",
    ),
)


def posting_options(command: Command) -> Command:
    """Adds `--pr` and what belongs to it."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def posting_of(values: dict[str, Any], path: str = ".") -> Posting | None:
    """Takes the values of these options out of those of a command. None when nothing is to be posted.

    Raises:
        Failure: for options that make no sense without `--pr`.
    """
    pr, forge, repo = (values.pop(name) or "" for name in ("pr", "forge", "repo"))
    options = PostingOptions(pr, forge, repo, values.pop("dry_run"), values.pop("max_comments"), path)
    if not options.pr and (options.dry_run or options.forge or options.repo):
        raise Failure("--forge, --repo and --dry-run need --pr URL or --pr NUMBER")
    return Posting(options) if options.pr else None


@frozen()
class Posting:
    """A pull request that is commented on. `change`: the versions that the forge compares, None when it was
    not asked: then a dry run takes it for one without comments."""

    options: PostingOptions
    change: Change | None = None

    def asked(self, base: str | None) -> Posting:
        """With the versions that the forge compares: asked over the network, but not for a dry run with a
        base.

        Raises:
            Failure: in one sentence.
        """
        with _failing():
            from mmcodemod.review.http import Client

            forge = _chosen(self.options)
            if self.options.dry_run:
                return self if base is not None else replace(self, change=_versions(forge))
            if forge.wire.secret is None:
                variable = _TOKENS[type(forge).__name__]
                raise Failure(f"a token is needed to comment: set {variable} (--dry-run needs none)")
            return replace(self, change=forge.change(Client(forge.wire)))

    def revisions(self, base: str | None, head: str | None) -> tuple[str, str]:
        """The revisions to compare: those that the user names, else those of the forge."""
        if self.change is None:
            return base or "", head or "HEAD"
        return base or self.change.base, head or self.change.head

    def missing(self) -> Failure:
        """A version of the pull request is not in the local repository."""
        from mmcodemod.review.forges.choose import fetch_command

        with _failing():
            target, clone = self.change.target if self.change else "", _origin(self.options.path)
            command = fetch_command(_chosen(self.options), target, clone)
        return Failure(f"the pull request is not (wholly) in this repository: run `{command}`")

    def post(
        self, review: Review, tree: Tree, names: Mapping[str, str], pages: Mapping[str, str] | None = None
    ) -> None:
        """Comment, or print the requests. `pages`: code -> page of the rules that are told.

        Raises:
            Failure: in one sentence.
        """
        from mmcodemod.review.http import Client
        from mmcodemod.review.posting import Subject

        with _failing():
            forge = _chosen(self.options)
            client, subject = Client(forge.wire), Subject(review, tree, names, forge.dialect, pages or {})
            if self.options.dry_run:
                emit(_shown(subject, forge, client, self.options, self.change))
            else:
                _send(subject, forge, client, self.options, self.change)


def _shown(
    subject: Subject, forge: Forge, client: Client, options: PostingOptions, change: Change | None
) -> str:
    from mmcodemod.review.posting import Existing
    from mmcodemod.review.send import requests_of, shown

    existing = Existing() if change is None else forge.existing(client)
    known = change or _of_review(subject.review)
    return shown(requests_of(subject, forge, known, existing, options.max_comments), forge)


def _send(
    subject: Subject, forge: Forge, client: Client, options: PostingOptions, change: Change | None
) -> None:
    from mmcodemod.review.send import send

    if change is not None and change.head != subject.review.head:
        now, then = change.head[:12], subject.review.head[:12]
        raise Failure(f"the pull request is at {now} by now, and {then} was reviewed: nothing was posted")
    sent = send(subject, forge, client, change or _of_review(subject.review), options.max_comments)
    summary = "written" if sent.summary else "as it was"
    counts = f"{sent.fresh} new, {sent.rewritten} changed, {sent.resolved} resolved"
    note(*sent.notes, f"comments on lines: {counts}; summary {summary}")


def _of_review(review: Review) -> Change:
    from mmcodemod.review.forges.forge import Change

    return Change(review.base, review.head)


def _versions(forge: Forge) -> Change:
    """What a dry run asks."""
    from mmcodemod.review.http import Client
    from mmcodemod.review.wire import ForgeError

    try:
        return forge.change(Client(forge.wire))
    except ForgeError as error:
        raise ForgeError(f"{error} (with --base and --head a dry run asks nobody)") from None


def _chosen(options: PostingOptions) -> Forge:
    from mmcodemod.review.forges.choose import choose

    clone = _origin(options.path) if options.pr.isdigit() else ""
    return choose(options.pr, options.forge, options.repo, os.environ, clone)


def _origin(path: str) -> str:
    """Where the repository that is reviewed comes from; "" when that is not known."""
    from mmcodemod.source.git import GitError, open_repository

    try:
        return open_repository(Path(path)).origin()
    except GitError:
        return ""


class _failing:
    """Turns what goes wrong with a forge into one sentence."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        from mmcodemod.review.wire import ForgeError

        if isinstance(error, ForgeError):
            raise Failure(str(error)) from None
