"""The requests for GitHub are valid against GitHub's description of its interface."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from review_samples import BROKEN, SOUND, finding, made, many, subject

from mmcodemod.model.change import Silencing
from mmcodemod.model.finding import Problem
from mmcodemod.model.place import Place
from mmcodemod.review.forges.choose import choose
from mmcodemod.review.forges.forge import Change
from mmcodemod.review.http import Client
from mmcodemod.review.plan import plan
from mmcodemod.review.posting import Existing, Said
from mmcodemod.review.send import requests_of, send, shown
from mmcodemod.review.wire import ForgeError

CHANGE = Change("0" * 40, "1" * 40)


@pytest.fixture
def forge(prism):
    return choose("7", "github", "octocat/Hello-World", {"GITHUB_API_URL": prism, "GITHUB_TOKEN": "t"})


@pytest.fixture
def client(forge):
    return Client(forge.wire, sleep=lambda _: None)


def status(row: dict) -> int:
    """What the server answers to a request exactly as `--dry-run` prints it."""
    data = None if row["body"] is None else json.dumps(row["body"]).encode()
    try:
        with urlopen(Request(row["url"], data, row["headers"], method=row["method"])) as answer:
            assert answer.headers.get("sl-violations") is None
            return answer.status
    except HTTPError as error:
        return error.code


def rows(about, forge, existing=Existing(), most=15) -> list[dict]:  # noqa: B008
    return json.loads(shown(requests_of(about, forge, CHANGE, existing, most), forge))


def wide():
    return made([finding("a.py", 2, at=Place("a.py", 2, 1, 4, 2))], {"a.py": "1\n2\n3\n4\n5\n"})


def standing(about) -> Existing:
    """The comments of an earlier push, which found one thing more."""
    posting = plan(about)
    inline = tuple(Said(str(n + 1), c.fingerprint, c.body, c.spot.lines) for n, c in enumerate(posting.fresh))
    gone = Said("99", "f" * 16, "old", (1, 1))
    return Existing((*inline, gone), Said("77", "", posting.summary))


@pytest.mark.parametrize(
    "about",
    [
        lambda: subject(SOUND, BROKEN),
        lambda: subject(BROKEN, SOUND),
        wide,
        lambda: made(*many(30)),
        lambda: made([finding("\u2028@é`.py", 1, "\ud800 <b>")], {"\u2028@é`.py": "x\n"}),
        lambda: made([], {}, silenced=(Silencing(Place("a.py", 1), ("MM303",), "known"),)),
        lambda: made([], {}, problems=(Problem("a.py", "syntax", "invalid syntax", 1),)),
        lambda: made([finding("a.py", 1, "x" * 70_000)] * 20, {"a.py": "x" * 70_000}),
    ],
    ids=["a fix", "mended", "lines", "many", "hostile names", "a suppression", "broken", "a long line"],
)
def test_first_push(about, forge):
    sent = rows(about(), forge)
    assert sent
    assert {status(row) for row in sent} <= {200, 201}


def test_second_push(forge):
    about = wide()
    later = replace(about, review=replace(about.review, head="2" * 40, mended=()))
    sent = rows(later, forge, standing(about))
    assert [(row["method"], row["url"].rpartition("/")[2]) for row in sent] == [
        ("PATCH", "99"),
        ("PATCH", "77"),
    ]
    assert {status(row) for row in sent} == {200}


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["comments"][0].update(line="2"),
        lambda body: body["comments"][0].update(start_lines=2),
        lambda body: body["comments"][0].pop("body"),
        lambda body: body.update(event="COMMENTS"),
        lambda body: body.update(comments={}),
    ],
)
def test_the_server_refuses_what_is_wrong(forge, change):
    review = rows(wide(), forge)[0]
    assert status(review) == 200
    change(review["body"])
    assert status(review) == 422


def test_what_github_answers_is_read(forge, client):
    change = forge.change(client)
    assert len(change.base) == len(change.head) == 40 and change.target
    sent = send(subject(SOUND, BROKEN), forge, client, change)
    assert (sent.fresh, sent.summary) == (1, True)


@pytest.mark.parametrize(
    ("code", "words"),
    [(404, "there is no such pull request"), (500, "has a problem"), (503, "has a problem")],
)
def test_what_github_refuses_is_read(forge, code, words):
    wire = replace(forge.wire, headers={**forge.wire.headers, "Prefer": f"code={code}"})
    with pytest.raises(ForgeError, match=words):
        forge.change(Client(wire, sleep=lambda _: None))


@pytest.mark.parametrize(("code", "words"), [(403, "pull-requests: write"), (422, "does not accept")])
def test_what_github_does_not_take_is_read(forge, code, words):
    about = subject(SOUND, BROKEN)
    (note,) = forge.notes(plan(about), CHANGE)
    wire = replace(forge.wire, headers={**forge.wire.headers, "Prefer": f"code={code}"})
    with pytest.raises(ForgeError, match=words):
        Client(wire).send(note.request)
