"""The REST interface of Gitea and Forgejo, version 1 (templates/swagger/v1_json.tmpl in their sources): one
review with comments, one comment of the conversation for the summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from mmcodemod.review.forges.forge import Change
from mmcodemod.review.forges.reviews import Reviews, own_name
from mmcodemod.review.http import Client
from mmcodemod.review.posting import Dialect, Existing, Inline, Said, marked
from mmcodemod.review.reading import login, number, part, text
from mmcodemod.review.wire import Value, Wire, agent, secret

NO_SUGGESTIONS = Dialect()
TOKENS = ("GITEA_TOKEN", "FORGEJO_TOKEN")
_WORKFLOWS = ("gitea-actions", "forgejo-actions")
"""Who comments with the token of a workflow (models/user/user_system.go); no person can have these names."""
_RIGHTS = "the token may not comment: it needs the scopes write:repository and write:issue"
ADVICE = {401: "the token is not valid (any more): set GITEA_TOKEN or FORGEJO_TOKEN", 403: _RIGHTS}


@dataclass(frozen=True)
class Gitea(Reviews):
    """A pull request on Gitea or Forgejo, which have no suggestions."""

    dialect: Dialect = NO_SUGGESTIONS
    owner: ClassVar[str] = "issues"

    @property
    def wire(self) -> Wire:
        credentials = secret("Authorization", self.token, "token ")
        return Wire(self.pull.base, {"Accept": "application/json", **agent()}, credentials, ADVICE)

    def change(self, client: Client) -> Change:
        found = client.get(self._pull).value
        base, head = part(found, "base"), part(found, "head")
        merged = text(found, "merge_base") or text(base, "sha")
        return Change(merged, text(head, "sha"), text(base, "sha"), text(base, "ref"))

    def existing(self, client: Client) -> Existing:
        own = _Own(own_name(client))
        inline = [_said(comment) for comment in self._comments(client) if own(comment, "finding")]
        talk = client.pages(self._talk)
        summaries = [_said(comment) for comment in talk if own(comment, "summary")]
        return Existing(tuple(inline), summaries[0] if summaries else None)

    def _comments(self, client: Client) -> Iterator[Any]:
        """Those on lines, review by review: there is no list of all."""
        for review in client.pages(f"{self._pull}/reviews?limit=50"):
            if number(review, "comments_count"):
                yield from client.pages(f"{self._pull}/reviews/{number(review, 'id')}/comments")

    def _comment(self, inline: Inline) -> Value:
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


def _said(comment: Any) -> Said:
    body = text(comment, "body")
    return Said(str(number(comment, "id")), marked(body)[1], body)
