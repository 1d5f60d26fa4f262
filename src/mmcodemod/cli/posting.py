"""The options of `review` that speak to a forge, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.options import Failure

if TYPE_CHECKING:
    from mmcodemod.model.change import Review
    from mmcodemod.review.forges.forge import Change, Forge
    from mmcodemod.source.tree import Tree

Command = TypeVar("Command", bound=Callable[..., Any])

_FORGES = ("github", "gitlab", "gitea")


@dataclass(frozen=True)
class PostingOptions:
    """What the command line says of posting. `pr` is empty when nothing is posted."""

    pr: str = ""
    forge: str = ""
    repo: str = ""
    dry_run: bool = False
    max_comments: int = 15


_OPTIONS = (
    click.option("--pr", metavar="URL|NUMBER", help="Comment on this pull or merge request."),
    click.option(
        "--forge", type=click.Choice(_FORGES), help="What serves it  [default: told by the address or the CI]"
    ),
    click.option(
        "--repo", metavar="OWNER/NAME", help="Its repository, for --pr NUMBER  [default: that of the CI]"
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


def posting_of(values: dict[str, Any]) -> PostingOptions:
    """Takes the values of these options out of those of a command.

    Raises:
        Failure: for options that make no sense without `--pr`.
    """
    pr, forge, repo = (values.pop(name) or "" for name in ("pr", "forge", "repo"))
    options = PostingOptions(pr, forge, repo, values.pop("dry_run"), values.pop("max_comments"))
    if not options.pr and (options.dry_run or options.forge or options.repo):
        raise Failure("--forge, --repo and --dry-run need --pr URL or --pr NUMBER")
    return options


def versions(options: PostingOptions) -> Change:
    """The two versions that the forge compares: asked over the network.

    Raises:
        Failure: in one sentence.
    """
    with _failing():
        from mmcodemod.review.http import Client

        forge = _chosen(options)
        return forge.change(Client(forge.wire))


def missing(options: PostingOptions, change: Change, name: str) -> Failure:
    """A version of the pull request is not in the local repository."""
    from mmcodemod.review.forges.choose import fetch_command

    with _failing():
        command = fetch_command(_chosen(options), change.target)
    return Failure(f"{name} of the pull request is not in this repository: run `{command}`")


def post(
    review: Review,
    tree: Tree,
    names: Mapping[str, str],
    options: PostingOptions,
    change: Change | None = None,
) -> None:
    """Comment on the pull request, or print the requests. `change`: what `versions` answered; without it
    (then the versions are those of the review) a dry run asks nothing of the forge, and takes it for one
    without comments.

    Raises:
        Failure: in one sentence.
    """
    from mmcodemod.review.http import Client
    from mmcodemod.review.posting import Subject

    with _failing():
        forge = _chosen(options)
        client, subject = Client(forge.wire), Subject(review, tree, names, forge.dialect)
        if options.dry_run:
            emit(_shown(subject, forge, client, options, change))
            return
        _send(subject, forge, client, options, change)


def _shown(subject: Any, forge: Forge, client: Any, options: PostingOptions, change: Change | None) -> str:
    from mmcodemod.review.posting import Existing
    from mmcodemod.review.send import requests_of, shown

    existing = Existing() if change is None else forge.existing(client)
    known = change or _of_review(subject.review)
    return shown(requests_of(subject, forge, known, existing, options.max_comments), forge)


def _send(subject: Any, forge: Forge, client: Any, options: PostingOptions, change: Change | None) -> None:
    from mmcodemod.review.send import send

    if forge.wire.secret is None:
        raise Failure(f"a token is needed to comment: set {_variable(options, forge)} (--dry-run needs none)")
    sent = send(subject, forge, client, change or _of_review(subject.review), options.max_comments)
    summary = "written" if sent.summary else "as it was"
    counts = f"{sent.fresh} new, {sent.rewritten} changed, {sent.resolved} resolved"
    note(*sent.notes, f"comments on lines: {counts}; summary {summary}")


def _of_review(review: Review) -> Change:
    from mmcodemod.review.forges.forge import Change

    return Change(review.base, review.head)


def _chosen(options: PostingOptions) -> Forge:
    from mmcodemod.review.forges.choose import choose

    return choose(options.pr, options.forge, options.repo, os.environ)


def _variable(options: PostingOptions, forge: Forge) -> str:
    return {"GitHub": "GITHUB_TOKEN", "GitLab": "GITLAB_TOKEN"}.get(type(forge).__name__, "GITEA_TOKEN")


class _failing:
    """Turns what goes wrong with a forge into one sentence."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        from mmcodemod.review.wire import ForgeError

        if isinstance(error, ForgeError):
            raise Failure(str(error)) from None
