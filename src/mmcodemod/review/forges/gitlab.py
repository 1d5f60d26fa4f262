"""GitLab's REST interface, version 4 (docs.gitlab.com/api/discussions and /api/notes): one thread a finding,
one note for the summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any
from urllib.parse import quote

from mmcodemod.review.forges.forge import Change, Note, Pull
from mmcodemod.review.http import Client
from mmcodemod.review.posting import Dialect, Existing, Inline, Posting, Said, marked
from mmcodemod.review.reading import login, number, part, text
from mmcodemod.review.spots import Line, Spot
from mmcodemod.review.wire import ForgeError, Request, Value, Wire, agent, secret

SUGGESTIONS = Dialect("suggestion:-{above}+0")
TOKENS = ("GITLAB_TOKEN",)
JOB_TOKENS = ("CI_JOB_TOKEN",)
_RIGHTS = (
    "the token may not comment: set GITLAB_TOKEN to an access token of the project with the scope api and "
    "the role Reporter or higher (CI_JOB_TOKEN may not write notes)"
)
ADVICE = {
    400: "GitLab does not accept what was sent",
    401: _RIGHTS,
    403: _RIGHTS,
    404: "there is no such merge request, or the token may not see the project (a job token may not)",
}


@dataclass(frozen=True)
class GitLab:
    """A merge request. `job` tells that the token is that of a job."""

    pull: Pull
    token: str = field(default="", repr=False)
    job: bool = False
    dialect: Dialect = SUGGESTIONS

    @property
    def wire(self) -> Wire:
        header = "JOB-TOKEN" if self.job else "PRIVATE-TOKEN"
        return Wire(
            self.pull.base, {"Accept": "application/json", **agent()}, secret(header, self.token), ADVICE
        )

    @property
    def refs(self) -> str:
        return f"merge-requests/{self.pull.number}/head"

    def change(self, client: Client) -> Change:
        found = client.get(self._request).value
        refs = part(found, "diff_refs")
        if not text(refs, "head_sha"):
            raise ForgeError(f"{client.wire.host} still prepares the merge request: run it again in a minute")
        base, head, start = (text(refs, name) for name in ("base_sha", "head_sha", "start_sha"))
        return Change(base, head, start, text(found, "target_branch"))

    def existing(self, client: Client) -> Existing:
        name = self._login(client)
        inline: list[Said] = []
        summary: Said | None = None
        for thread in client.pages(f"{self._request}/discussions?per_page=100"):
            for kind, said in _own(thread, name):
                if kind == "finding":
                    inline.append(said)
                elif kind == "summary" and summary is None:
                    summary = said
        return Existing(tuple(inline), summary)

    def notes(self, posting: Posting, change: Change) -> tuple[Note, ...]:
        path = f"{self._request}/discussions"
        return tuple(
            Note(Request("POST", path, _thread(inline, change)), frozenset({inline.fingerprint}))
            for inline in posting.fresh
        )

    def rewrites(self, posting: Posting) -> tuple[Request, ...]:
        """The thread of a finding that is gone is resolved."""
        requests: list[Request] = []
        for rewrite in posting.rewrites:
            thread, _, note = rewrite.said.id.partition("/")
            path = f"{self._request}/discussions/{thread}"
            requests.append(Request("PUT", f"{path}/notes/{note}", {"body": rewrite.body}))
            if rewrite.resolved:
                requests.append(Request("PUT", path, {"resolved": True}))
        return tuple(requests)

    def summary(self, posting: Posting) -> tuple[Request, ...]:
        if not posting.summary:
            return ()
        body: Value = {"body": posting.summary}
        if posting.standing:
            note = posting.standing.id.partition("/")[2]
            return (Request("PUT", f"{self._request}/notes/{note}", body),)
        return (Request("POST", f"{self._request}/notes", body),)

    @property
    def _request(self) -> str:
        return f"/projects/{quote(self.pull.repository, safe='')}/merge_requests/{self.pull.number}"

    def _login(self, client: Client) -> str:
        """Our own name. A job asks for itself: its token may not ask for a user."""
        try:
            found = client.get("/job" if self.job else "/user").value
        except ForgeError as error:
            if error.status in (401, 403, 404):
                return ""
            raise
        return login(part(found, "user") if self.job else found, "username")


def _own(thread: Any, name: str) -> Iterator[tuple[str, Said]]:
    """The first note of a thread, when it is ours; its id is that of the thread and that of the note. Without
    a name of our own no mark is believed."""
    notes = part(thread, "notes")
    note = notes[0] if isinstance(notes, list) and notes else None
    body = text(note, "body")
    kind, fingerprint = marked(body)
    if kind and name and login(part(note, "author"), "username") == name:
        place = part(note, "position")
        line = number(place, "new_line")
        first = number(part(part(place, "line_range"), "start"), "new_line") or line
        lines = (first, line) if line else None
        yield kind, Said(f"{text(thread, 'id')}/{number(note, 'id')}", fingerprint, body, lines)


def _thread(inline: Inline, change: Change) -> Value:
    spot = inline.spot
    position: dict[str, Value] = {
        "position_type": "text",
        "base_sha": change.base,
        "start_sha": change.start or change.base,
        "head_sha": change.head,
        "old_path": spot.old_path,
        "new_path": spot.path,
        "new_line": spot.last.new,
        **({} if spot.last.added else {"old_line": spot.last.old}),
    }
    if spot.first != spot.last:
        position["line_range"] = {"start": _end(spot, spot.first), "end": _end(spot, spot.last)}
    return {"body": inline.body, "position": position}


def _end(spot: Spot, line: Line) -> Value:
    """One end of a range. A line code is the digest of the path, then both line numbers; `old` is the type of
    a line that the change leaves as it is."""
    code = f"{sha1(spot.path.encode('utf-8', 'surrogateescape')).hexdigest()}_{line.old}_{line.new}"
    old: dict[str, Value] = {} if line.added else {"old_line": line.old}
    return {"line_code": code, "type": "new" if line.added else "old", **old, "new_line": line.new}
