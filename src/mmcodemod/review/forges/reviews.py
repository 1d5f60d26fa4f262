"""What GitHub and Gitea have in common: one review with comments on lines, one comment of the conversation
for the summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mmcodemod.report.words import count
from mmcodemod.review.forges.forge import Change, Note, Pull
from mmcodemod.review.http import Client
from mmcodemod.review.posting import Inline, Posting
from mmcodemod.review.reading import login
from mmcodemod.review.wire import ForgeError, Request, Value


@dataclass(frozen=True)
class Reviews:
    """A pull request that takes reviews. `owner`: what a comment on lines belongs to when it is edited."""

    pull: Pull
    token: str = field(default="", repr=False)
    owner: ClassVar[str]

    @property
    def refs(self) -> str:
        return f"pull/{self.pull.number}/head"

    def notes(self, posting: Posting, change: Change) -> tuple[Note, ...]:
        if not posting.fresh:
            return ()
        found = count(len(posting.fresh), "comment")
        body: Value = {
            "commit_id": change.head,
            "event": "COMMENT",
            "body": f"mmcodemod: {found} on lines of this change.",
            "comments": [self._comment(inline) for inline in posting.fresh],
        }
        fingerprints = frozenset(inline.fingerprint for inline in posting.fresh)
        return (Note(Request("POST", f"{self._pull}/reviews", body), fingerprints),)

    def rewrites(self, posting: Posting) -> tuple[Request, ...]:
        path = f"{self._repository}/{self.owner}/comments"
        return tuple(Request("PATCH", f"{path}/{r.said.id}", {"body": r.body}) for r in posting.rewrites)

    def summary(self, posting: Posting) -> tuple[Request, ...]:
        body: Value = {"body": posting.summary}
        if not posting.summary:
            return ()
        if posting.standing:
            return (Request("PATCH", f"{self._repository}/issues/comments/{posting.standing.id}", body),)
        return (Request("POST", self._talk, body),)

    def _comment(self, inline: Inline) -> Value:
        raise NotImplementedError

    @property
    def _repository(self) -> str:
        return f"/repos/{self.pull.repository}"

    @property
    def _pull(self) -> str:
        return f"{self._repository}/pulls/{self.pull.number}"

    @property
    def _talk(self) -> str:
        return f"{self._repository}/issues/{self.pull.number}/comments"


def own_name(client: Client) -> str:
    """Our own name; empty where the token of a workflow or an app may not ask, and without a token."""
    try:
        return login(client.get("/user").value, "login")
    except ForgeError as error:
        if error.status in (401, 403, 404):
            return ""
        raise
