"""Reads what is there, decides, writes; or shows the requests instead."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mmcodemod.report.escape import storable
from mmcodemod.review.forges.forge import Change, Forge
from mmcodemod.review.http import Client
from mmcodemod.review.plan import plan, without_lines
from mmcodemod.review.posting import DEFAULT_COMMENTS, NOTHING, Existing, Posting, Subject
from mmcodemod.review.wire import ForgeError, Request, Value

_NOT_THESE_LINES = (400, 422)
"""How the forges refuse a comment on a line that they do not show."""


@dataclass(frozen=True)
class Sent:
    """What was written: comments on lines (`fresh`, `rewritten`, `resolved`), and whether the summary was.
    `notes` are sentences for people."""

    fresh: int = 0
    rewritten: int = 0
    resolved: int = 0
    summary: bool = False
    notes: tuple[str, ...] = ()


def requests_of(
    subject: Subject,
    forge: Forge,
    change: Change,
    existing: Existing = NOTHING,
    most: int = DEFAULT_COMMENTS,
) -> tuple[Request, ...]:
    """All requests that write, in their order, when the forge takes each of them."""
    posting = plan(subject, existing, most)
    notes = tuple(note.request for note in forge.notes(posting, change))
    return (*forge.rewrites(posting), *notes, *forge.summary(posting))


def shown(requests: tuple[Request, ...], forge: Forge) -> str:
    """The requests as JSON, without the token."""
    headers: dict[str, Value] = {**forge.wire.headers, "Content-Type": "application/json"}
    rows: list[Value] = [
        {"method": r.method, "url": forge.wire.url(r.path), "headers": headers, "body": r.body}
        for r in requests
    ]
    return storable(json.dumps(rows, indent=2, ensure_ascii=False)) + "\n"


def send(
    subject: Subject, forge: Forge, client: Client, change: Change, most: int = DEFAULT_COMMENTS
) -> Sent:
    """Write what is new. A comment on lines that the forge does not take is told in the summary.

    Raises:
        ForgeError: when the forge cannot be read or written.
    """
    existing = forge.existing(client)
    posting = plan(subject, existing, most)
    notes = [*_rewrite(posting, forge, client)]
    refused, words = _comment(posting, forge, client, change)
    if refused:
        posting_of_rest = without_lines(subject, existing, posting, refused, words)
        notes.append(f"{len(refused)} comments on lines were refused and are in the summary: {words}")
    else:
        posting_of_rest = posting
    for request in forge.summary(posting_of_rest):
        client.send(request)
    gone = sum(rewrite.resolved for rewrite in posting.rewrites)
    fresh = len(posting.fresh) - len(refused)
    return Sent(fresh, len(posting.rewrites) - gone, gone, bool(posting_of_rest.summary), tuple(notes))


def _rewrite(posting: Posting, forge: Forge, client: Client) -> list[str]:
    """Comments that people removed meanwhile, or locked, are no reason to stop."""
    notes = []
    for request in forge.rewrites(posting):
        try:
            client.send(request)
        except ForgeError as error:
            if error.status not in (403, 404, 410):
                raise
            notes.append(f"a comment that is there could not be changed: {error}")
    return notes


def _comment(posting: Posting, forge: Forge, client: Client, change: Change) -> tuple[frozenset[str], str]:
    """The fingerprints of what the forge refused, and its words."""
    refused: frozenset[str] = frozenset()
    words = ""
    for note in forge.notes(posting, change):
        try:
            client.send(note.request)
        except ForgeError as error:
            if error.status not in _NOT_THESE_LINES:
                raise
            refused, words = refused | note.fingerprints, str(error)
    return refused, words
