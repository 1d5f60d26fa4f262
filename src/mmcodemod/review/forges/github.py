"""GitHub's REST interface (docs.github.com/rest, version 2022-11-28): one review with comments, one comment
of the conversation for the summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mmcodemod.review.forges.forge import Change
from mmcodemod.review.forges.reviews import Reviews, own_name
from mmcodemod.review.http import Client
from mmcodemod.review.posting import Dialect, Existing, Inline, Said, marked
from mmcodemod.review.reading import login, number, part, text
from mmcodemod.review.wire import Value, Wire, agent, secret

ACCEPT = "application/vnd.github+json, application/json"
"""What is recommended, and what the description of the interface knows."""
SUGGESTIONS = Dialect("suggestion")
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
ADVICE = {
    401: "the token is not valid (any more): set GITHUB_TOKEN",
    403: "the token may not write pull requests: give the workflow `permissions: pull-requests: write`; for "
    "a change from a fork, whose token may only read, use the job summary instead",
    404: "there is no such pull request, or the token may not see the repository",
    422: "GitHub does not accept what was sent; has the change been pushed again meanwhile?",
}


@dataclass(frozen=True)
class GitHub(Reviews):
    """A pull request on GitHub or GitHub Enterprise."""

    dialect: Dialect = SUGGESTIONS
    owner: ClassVar[str] = "pulls"

    @property
    def wire(self) -> Wire:
        headers = {"Accept": ACCEPT, "X-GitHub-Api-Version": "2022-11-28"}
        return Wire(
            self.pull.base, {**headers, **agent()}, secret("Authorization", self.token, "Bearer "), ADVICE
        )

    def change(self, client: Client) -> Change:
        found = client.get(self._pull).value
        base, head = part(found, "base"), part(found, "head")
        return Change(text(base, "sha"), text(head, "sha"), target=text(base, "ref"))

    def existing(self, client: Client) -> Existing:
        own = _Own(own_name(client))
        inline = [_said(c) for c in client.pages(f"{self._pull}/comments?per_page=100") if own(c, "finding")]
        talk = client.pages(f"{self._talk}?per_page=100")
        summaries = [_said(comment) for comment in talk if own(comment, "summary")]
        return Existing(tuple(inline), summaries[0] if summaries else None)

    def _comment(self, inline: Inline) -> Value:
        """Without `start_line` for a single line: GitHub refuses a range of one."""
        first, last = inline.spot.lines
        start: dict[str, Value] = {"start_line": first, "start_side": "RIGHT"} if first < last else {}
        return {"path": inline.spot.path, **start, "line": last, "side": "RIGHT", "body": inline.body}


@dataclass(frozen=True)
class _Own:
    """Which comments are ours. A workflow's token cannot ask for its own name; but then it is a bot, which no
    person who writes our mark into a comment is."""

    login: str

    def __call__(self, comment: Any, kind: str) -> bool:
        if marked(text(comment, "body"))[0] != kind:
            return False
        user = part(comment, "user")
        if self.login:
            return login(user, "login") == self.login
        return isinstance(user, dict) and user.get("type") == "Bot"


def _said(comment: Any) -> Said:
    line, body = number(comment, "line"), text(comment, "body")
    lines = (number(comment, "start_line") or line, line) if line else None
    outdated = "line" in comment and not line
    return Said(str(number(comment, "id")), marked(body)[1], body, lines, outdated)
