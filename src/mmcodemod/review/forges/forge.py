"""What the bot wants of a forge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from mmcodemod.review.http import Client
from mmcodemod.review.posting import Dialect, Existing, Posting
from mmcodemod.review.wire import Request, Wire


@dataclass(frozen=True)
class Pull:
    """A pull or merge request: the address of the forge's interface, the repository (`owner/name`, groups of
    GitLab included) and its number there; `web` is where people go."""

    base: str
    repository: str
    number: int
    web: str = ""


@dataclass(frozen=True)
class Change:
    """The two versions of a pull request, as object names. `start` is the tip of the target branch where the
    forge tells it apart from `base`; `target` is the name of that branch."""

    base: str
    head: str
    start: str = ""
    target: str = ""


@dataclass(frozen=True)
class Note:
    """A request that writes comments on lines, those of these findings."""

    request: Request
    fingerprints: frozenset[str]


class Forge(Protocol):
    """One pull request on one forge. Requests are made by pure functions, so that they can be shown."""

    @property
    def pull(self) -> Pull:
        """Which one."""
        ...

    @property
    def dialect(self) -> Dialect:
        """What its comments can hold."""
        ...

    @property
    def refs(self) -> str:
        """Where git finds the head of the pull request."""
        ...

    @property
    def wire(self) -> Wire:
        """Address and headers of every request."""
        ...

    def change(self, client: Client) -> Change:
        """The versions that the forge compares."""
        ...

    def existing(self, client: Client) -> Existing:
        """Our own comments."""
        ...

    def notes(self, posting: Posting, change: Change) -> tuple[Note, ...]:
        """The requests for the comments on lines that are new."""
        ...

    def rewrites(self, posting: Posting) -> tuple[Request, ...]:
        """The requests for comments on lines that are there."""
        ...

    def summary(self, posting: Posting) -> tuple[Request, ...]:
        """The request for the summary."""
        ...


def token(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    """The first that is set."""
    return next((environ[name].strip() for name in names if environ.get(name, "").strip()), "")
