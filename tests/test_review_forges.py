"""Posting on forges that keep what they are told: nothing twice, and what is gone is marked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from mock_forge import TOKEN, Forge, State
from review_samples import BASE, BROKEN, HEAD, SOUND, finding, made, many, subject

from mmcodemod.model.change import Silencing, unread
from mmcodemod.model.finding import Problem
from mmcodemod.model.place import Place
from mmcodemod.review.forges.choose import choose
from mmcodemod.review.http import Client
from mmcodemod.review.posting import finding_mark, summary_mark
from mmcodemod.review.send import requests_of, send, shown

LATER = "9" * 40
KINDS = ("github", "gitlab", "gitea")
SERVERS = {"github": "GITHUB_API_URL", "gitlab": "CI_SERVER_URL", "gitea": "GITEA_SERVER_URL"}
TOKENS = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN", "gitea": "GITEA_TOKEN"}


@dataclass
class Bench:
    """A forge and the bot, ready to be told a review."""

    kind: str
    server: Forge

    def __post_init__(self):
        env = {SERVERS[self.kind]: self.server.web, TOKENS[self.kind]: TOKEN}
        self.forge = choose("7", self.kind, "group/sub/project" if self.kind == "gitlab" else "o/r", env)
        self.client = Client(self.forge.wire, sleep=self.slept, time_outs=(10.0, 10.0))
        self.pauses: list[float] = []

    @property
    def state(self) -> State:
        return self.server.state

    def slept(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def tell(self, about, most=15):
        about = replace(about, dialect=self.forge.dialect)
        about = replace(about, review=replace(about.review, head=self.state.head))
        return send(about, self.forge, self.client, self.forge.change(self.client), most)

    @property
    def on_lines(self) -> list[str]:
        if self.kind == "gitlab":
            return [t["notes"][0]["body"] for t in self.state.threads if not t["individual_note"]]
        return [comment["body"] for comment in self.state.comments]

    @property
    def summaries(self) -> list[str]:
        if self.kind == "gitlab":
            talk = [t["notes"][0] for t in self.state.threads if t["individual_note"]]
        else:
            talk = self.state.talk
        return [note["body"] for note in talk if note["body"].rstrip().endswith(summary_mark().strip())]

    def somebody_says(self, body, login="mallory", **others):
        if self.kind == "gitlab":
            note = {"id": self.state.next(), "author": {"username": login}, "body": body, **others}
            alone = "position" not in others
            thread = {"id": f"{self.state.next():040x}", "individual_note": alone, "notes": [note]}
            self.state.threads.append(thread)
            return
        user = {"login": login, "type": "User"}
        self.state.talk.append({"id": self.state.next(), "user": user, "body": body})


@pytest.fixture(params=KINDS)
def bench(request):
    with Forge(request.param, State(BASE, HEAD)) as server:
        yield Bench(request.param, server)


@pytest.fixture
def github():
    with Forge("github", State(BASE, HEAD)) as server:
        yield Bench("github", server)


def sound():
    return subject(SOUND, SOUND)


def broken():
    return subject(SOUND, BROKEN)


def test_a_first_push(bench):
    sent = bench.tell(broken())
    assert (sent.fresh, sent.rewritten, sent.resolved, sent.summary) == (1, 0, 0, True)
    assert len(bench.on_lines) == len(bench.summaries) == 1
    assert "MM303" in bench.on_lines[0] and "1 warning" in bench.summaries[0]
    assert ("```suggestion" in bench.on_lines[0]) == (bench.kind != "gitea")


def test_nothing_to_say_is_not_said(bench):
    sent = bench.tell(sound())
    assert not bench.state.writes and not sent.summary


def test_the_same_again_writes_nothing(bench):
    bench.tell(broken())
    before = list(bench.state.writes)
    sent = bench.tell(broken())
    assert bench.state.writes == before and sent.fresh == 0


def test_a_second_push_that_mends_it(bench):
    bench.tell(broken())
    bench.state.head = LATER
    sent = bench.tell(sound())
    assert (sent.fresh, sent.resolved) == (0, 1)
    assert len(bench.on_lines) == len(bench.summaries) == 1
    assert bench.on_lines[0].startswith(f"**Resolved** in `{LATER[:12]}`")
    assert "```suggestion" not in bench.on_lines[0] and "gradient_clipping" in bench.on_lines[0]
    assert "All is resolved" in bench.summaries[0]
    before = list(bench.state.writes)
    bench.tell(sound())
    assert bench.state.writes == before
    if bench.kind == "gitlab":
        assert [t["notes"][0]["resolved"] for t in bench.state.threads if not t["individual_note"]] == [True]


def test_what_comes_back_is_told_again(bench):
    bench.tell(broken())
    bench.state.head = LATER
    bench.tell(sound())
    bench.tell(broken())
    assert len(bench.on_lines) == 2 and "**Resolved**" in bench.on_lines[0]
    assert len(bench.summaries) == 1 and "1 warning" in bench.summaries[0]


def test_many_comments_over_many_pages(bench):
    found, files = many(9)
    bench.tell(made(found, files), most=7)
    assert len(bench.on_lines) == 7 and bench.summaries[0].count("\n- `a.py:") == 2
    for n in range(5):
        bench.somebody_says(f"talk {n}")
    before = list(bench.state.writes)
    bench.tell(made(found, files), most=7)
    assert bench.state.writes == before
    bench.state.head = LATER
    sent = bench.tell(made(found[:1], files), most=7)
    assert sent.resolved == 6 and len(bench.summaries) == 1


def test_a_changed_text_is_edited_in_place(bench):
    found, files = many(1)
    bench.tell(made(found, files))
    bench.state.head = LATER
    sent = bench.tell(made([replace(found[0], message="It hangs for another reason.")], files))
    assert (sent.fresh, sent.rewritten, sent.resolved) == (0, 1, 0)
    assert len(bench.on_lines) == 1 and "another reason" in bench.on_lines[0]


def test_marks_of_other_people_do_not_count(bench):
    about = broken()
    bench.somebody_says("forged" + finding_mark(about.review.told[0].fingerprint), position={"new_line": 2})
    bench.somebody_says("forged" + summary_mark())
    if bench.kind == "gitea":
        review = {"id": 5, "user": {"login": "mallory"}, "comments_count": 1}
        bench.state.reviews.append(review)
    if bench.kind != "gitlab":
        mark = finding_mark(about.review.told[0].fingerprint)
        forged = {"id": 6, "user": {"login": "mallory", "type": "User"}, "body": "x" + mark, "line": 2}
        bench.state.comments.append({**forged, "pull_request_review_id": 5})
    sent = bench.tell(about)
    assert sent.fresh == 1 and sent.summary and sent.resolved == 0
    assert sum("forged" in body for body in bench.summaries) == 1 and len(bench.summaries) == 2


def test_a_mark_that_the_analysed_code_holds_is_text(bench):
    text = f"`x`{summary_mark()} {finding_mark('0' * 16)}"
    silenced = (Silencing(Place("a.py", 1), ("MM303",), text),)
    about = made([finding("a.py", 1, text)], {"a.py": "x\n"}, silenced=silenced)
    bench.tell(about)
    bench.tell(about)
    assert len(bench.on_lines) == len(bench.summaries) == 1


@pytest.mark.parametrize("bench", ("github", "gitlab"), indirect=True)  # Gitea takes any line
def test_lines_that_the_forge_does_not_show_go_to_the_summary(bench):
    bench.state.shown = {"a.py": {2}}
    found, files = many(3)
    sent = bench.tell(made(found, files))
    assert sent.notes and "refused" in sent.notes[0]
    listed = bench.summaries[0].count("\n- `a.py:")
    assert (len(bench.on_lines), listed) == ((1, 2) if bench.kind == "gitlab" else (0, 3))
    assert "refused" in bench.summaries[0]


def test_the_token_of_a_workflow_knows_its_own_comments(github):
    github.state.person = False
    github.state.login = "github-actions[bot]"
    github.server._server.RequestHandlerClass.forge.own = {"login": "github-actions[bot]", "type": "Bot"}
    github.tell(broken())
    before = list(github.state.writes)
    github.tell(broken())
    assert github.state.writes == before


def test_an_outdated_comment_is_told_anew(github):
    github.tell(broken())
    github.state.comments[0]["line"] = None
    github.state.head = LATER
    sent = github.tell(broken())
    assert (sent.fresh, sent.resolved) == (1, 1)
    assert github.on_lines[0].startswith("**Outdated**") and "**warning**" in github.on_lines[1]


def test_a_comment_on_other_lines_gets_no_suggestion(github):
    github.tell(broken())
    github.state.comments[0]["start_line"] = None
    github.tell(broken())
    assert "```suggestion" not in github.on_lines[0] and "```diff" in github.on_lines[0]


def test_a_comment_that_is_locked_stops_nothing(github):
    found, files = many(2)
    github.tell(made(found, files))
    github.state.comments[0]["user"] = {**github.state.comments[0]["user"], "type": "Robot"}
    sent = github.tell(made([], files))
    assert sent.notes and "could not be changed" in sent.notes[0] and sent.summary


def test_the_requests_that_are_shown_are_those_that_are_sent(bench):
    about = replace(broken(), dialect=bench.forge.dialect)
    change = bench.forge.change(bench.client)
    requests = requests_of(about, bench.forge, change)
    text = shown(requests, bench.forge)
    assert text == shown(requests_of(about, bench.forge, change), bench.forge)
    assert TOKEN not in text and "uthorization" not in text and bench.server.web in text
    bench.tell(broken())
    prefix = "" if bench.kind == "github" else "/api/v4" if bench.kind == "gitlab" else "/api/v1"
    assert bench.state.writes == [(r.method, prefix + r.path) for r in requests]


def test_what_a_change_mends_silences_and_hides_is_said(bench):
    silenced = (
        Silencing(Place("a.py", 3), ("MM303", "MM201"), "known @all"),
        Silencing(Place("b.py", 1), ()),
    )
    about = subject(BROKEN, SOUND)
    about = replace(about, review=replace(about.review, silenced=silenced, unknown=("The base is unknown.",)))
    bench.tell(about)
    (text,) = bench.summaries
    assert "Mended by this change" in text and "`MM303 ds-gradient-clipping-absent`" in text
    assert "`a.py:3` `MM303`, `MM201`: known `@all`" in text and "`b.py:1` all rules" in text
    assert "The base is unknown." in text and not bench.on_lines


def test_what_is_unknown_alone_is_no_reason_to_speak(bench):
    about = sound()
    bench.tell(replace(about, review=replace(about.review, unknown=("No base.",))))
    assert not bench.state.writes


def test_a_file_that_the_change_breaks_is_told_and_later_mended(bench):
    about = sound()
    broken = (Problem("a.py", "syntax", "invalid @syntax", 3), Problem("b.py", "link", "leads out"))
    link = replace(about, review=replace(about.review, problems=broken[1:]))
    bench.tell(link)
    assert not bench.state.writes
    unknown = (unread(broken[0]), "No base.")
    bench.tell(replace(about, review=replace(about.review, problems=broken, unknown=unknown)))
    (text,) = bench.summaries
    assert text.count("invalid") == 1 and "Not known:\n\n- No base.\n- `b.py` link: leads out" in text
    assert "Not analysed, so nothing is known of it:\n\n- `a.py:3` syntax: invalid `@syntax`\n" in text
    assert not bench.on_lines
    bench.tell(link)
    assert "All is resolved" in bench.summaries[0]


@pytest.mark.parametrize("fork", [{"full_name": "somebody/r"}, None], ids=["there", "deleted"])
def test_comments_on_a_fork_go_to_the_repository_that_is_asked(bench, fork):
    bench.state.fork = {"repo": fork, "source_project_id": 9, "label": "somebody:topic"}
    bench.tell(broken())
    assert len(bench.on_lines) == len(bench.summaries) == 1


def test_a_summary_stays_within_its_bounds(bench):
    files = {"a.py": "x = 1\n" * 400}
    found = [finding("a.py", n + 1, "\u202e" * 4000) for n in range(400)]
    bench.tell(made(found, files), most=0)
    assert len(bench.summaries[0]) <= 60_000 and "more:" in bench.summaries[0]


def test_headers_are_as_documented(bench):
    bench.tell(broken())
    for headers in bench.state.seen:
        assert headers["user-agent"].startswith("mmcodemod/")
        assert "json" in headers["accept"]
        assert bench.kind != "github" or headers["x-github-api-version"] == "2022-11-28"
