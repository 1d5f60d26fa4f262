"""The REST interface of Gitea and Forgejo, version 1 (templates/swagger/v1_json.tmpl in their sources): one
review with comments, one comment of the conversation for the summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mmcodemod.report.words import count
from mmcodemod.review.forges.forge import Change, Note, Pull
from mmcodemod.review.http import Client
from mmcodemod.review.posting import Dialect, Existing, Inline, Posting, Said, marked
from mmcodemod.review.reading import login, number, part, text
from mmcodemod.review.wire import ForgeError, Request, Value, Wire, agent, secret

NO_SUGGESTIONS = Dialect()
TOKENS = ("GITEA_TOKEN", "FORGEJO_TOKEN")
_WORKFLOWS = ("gitea-actions", "forgejo-actions")
"""Who comments with the token of a workflow (models/user/user_system.go); no person can have these names."""
_RIGHTS = "the token may not comment: it needs the scopes write:repository and write:issue"
ADVICE = {401: "the token is not valid (any more): set GITEA_TOKEN or FORGEJO_TOKEN", 403: _RIGHTS}


@dataclass(frozen=True)
class Gitea:
    """A pull request on Gitea or Forgejo, which have no suggestions."""

    pull: Pull
    token: str = field(default="", repr=False)
    dialect: Dialect = NO_SUGGESTIONS

    @property
    def wire(self) -> Wire:
        credentials = secret("Authorization", self.token, "token ")
        return Wire(self.pull.base, {"Accept": "application/json", **agent()}, credentials, ADVICE)

    @property
    def refs(self) -> str:
        return f"pull/{self.pull.number}/head"

    def change(self, client: Client) -> Change:
        found = client.get(self._pull).value
        base, head = part(found, "base"), part(found, "head")
        merged = text(found, "merge_base") or text(base, "sha")
        return Change(merged, text(head, "sha"), text(base, "sha"), text(base, "ref"))

    def existing(self, client: Client) -> Existing:
        own = _Own(_login(client))
        inline = [_said(comment) for comment in self._comments(client) if own(comment, "finding")]
        talk = client.pages(f"{self._repository}/issues/{self.pull.number}/comments")
        summaries = [_said(comment) for comment in talk if own(comment, "summary")]
        return Existing(tuple(inline), summaries[0] if summaries else None)

    def notes(self, posting: Posting, change: Change) -> tuple[Note, ...]:
        if not posting.fresh:
            return ()
        found = count(len(posting.fresh), "comment")
        body: Value = {
            "commit_id": change.head,
            "event": "COMMENT",
            "body": f"mmcodemod: {found} on lines of this change.",
            "comments": [_comment(inline) for inline in posting.fresh],
        }
        fingerprints = frozenset(inline.fingerprint for inline in posting.fresh)
        return (Note(Request("POST", f"{self._pull}/reviews", body), fingerprints),)

    def rewrites(self, posting: Posting) -> tuple[Request, ...]:
        """Comments on lines are comments of the issue, too."""
        path = f"{self._repository}/issues/comments"
        return tuple(Request("PATCH", f"{path}/{r.said.id}", {"body": r.body}) for r in posting.rewrites)

    def summary(self, posting: Posting) -> tuple[Request, ...]:
        issues = f"{self._repository}/issues"
        body: Value = {"body": posting.summary}
        if not posting.summary:
            return ()
        if posting.standing:
            return (Request("PATCH", f"{issues}/comments/{posting.standing.id}", body),)
        return (Request("POST", f"{issues}/{self.pull.number}/comments", body),)

    @property
    def _repository(self) -> str:
        return f"/repos/{self.pull.repository}"

    @property
    def _pull(self) -> str:
        return f"{self._repository}/pulls/{self.pull.number}"

    def _comments(self, client: Client) -> Iterator[Any]:
        """Those on lines, review by review: there is no list of all."""
        for review in client.pages(f"{self._pull}/reviews?limit=50"):
            if number(review, "comments_count"):
                yield from client.pages(f"{self._pull}/reviews/{number(review, 'id')}/comments")


def _comment(inline: Inline) -> Value:
    return {
        "path": inline.spot.path,
        "new_position": inline.spot.last.new,
        "old_position": 0,
        "body": inline.body,
    }


@dataclass(frozen=True)
class _Own:
    login: str

    def __call__(self, comment: Any, kind: str) -> bool:
        author = login(part(comment, "user"), "login")
        ours = author == self.login if self.login else author in _WORKFLOWS
        return ours and marked(text(comment, "body"))[0] == kind


def _login(client: Client) -> str:
    """Our own name; empty where the token of a workflow may not ask."""
    try:
        return login(client.get("/user").value, "login")
    except ForgeError as error:
        if error.status in (401, 403, 404):
            return ""
        raise


def _said(comment: Any) -> Said:
    body = text(comment, "body")
    return Said(str(number(comment, "id")), marked(body)[1], body)
