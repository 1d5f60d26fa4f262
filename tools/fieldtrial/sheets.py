"""The sheets of a round: one for the judge, one for the second reader, who sees code and message alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldtrial.data import VERDICTS, DataError, Verdict, ends_before_mistakes
from fieldtrial.draw import Drawn, Place, shuffled

AROUND, BESIDE = 25, 6  # lines above and below the finding, and above and below other places
MOST = 8  # other places that are shown

HOW = """For each finding write, in the file `{answers}`, "verdict": right, wrong or unclear, and a "reason"
of one line in your own words, without code. *right*: what the message says is so in this code, and a
maintainer would want to know it. *wrong*: it is not so, or the runs that it speaks of do not do that.
*unclear*: the tree does not say. Where it is wrong only because every run that it speaks of ends before
the place, of something else, add "ends_before": "yes".
"""
JUDGE, BLIND = "judge", "blind"


@dataclass(frozen=True)
class Vote:
    """What one reader says of one finding."""

    verdict: str
    reason: str
    ends_before: str = ""


NONE = Vote("", "")


def write(folder: Path, found: Sequence[Drawn]) -> None:
    """Both sheets, and a file for the answers to each. A file that holds answers is not written over.

    Raises:
        DataError: when a file for answers is there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    there = [name for name in (JUDGE, BLIND) if (folder / f"{name}.jsonl").exists()]
    if there:
        raise DataError("\n".join(f"{name}.jsonl is there and may hold answers" for name in there))
    mixed = sorted(found, key=lambda one: shuffled(BLIND, one))
    _write(folder, JUDGE, found, [_for_judge(one) for one in found])
    _write(folder, BLIND, mixed, [_for_second(one) for one in mixed])


def _write(folder: Path, name: str, found: Sequence[Drawn], entries: Sequence[str]) -> None:
    head = HOW.format(answers=f"{name}.jsonl")
    (folder / f"{name}.md").write_text("\n".join([head, *entries]), encoding="utf-8", newline="\n")
    empty = [json.dumps({"id": one.id, "verdict": "", "reason": ""}) + "\n" for one in found]
    (folder / f"{name}.jsonl").write_text("".join(empty), encoding="utf-8", newline="\n")


def _for_judge(one: Drawn) -> str:
    title = (
        f"## {one.id} {one.rule} {one.name} ({one.severity}): {one.tree.repository} {one.tree.commit[:12]}\n"
    )
    launches = [f"- launch {at.path}:{at.line} `{at.note}`\n" for at in one.launches]
    trace = [f"- {at.path}:{at.line} {at.note}\n" for at in one.trace]
    code = _excerpt(one.tree.tree, Place(one.file, one.line, ""), AROUND)
    return "\n".join([title, f"{one.tree.tree}\n", f"{one.message}\n", "".join([*launches, *trace]), code])


def _for_second(one: Drawn) -> str:
    """Neither rule nor severity nor what the tool says of the way to it; the places on that way as code."""
    others = [*one.launches, *one.trace]
    places = {(at.path, at.line): at for at in others if (at.path, at.line) != (one.file, one.line)}
    shown = [_excerpt(one.tree.tree, at, BESIDE) for at in list(places.values())[:MOST]]
    code = _excerpt(one.tree.tree, Place(one.file, one.line, ""), AROUND)
    return "\n".join([f"## {one.id}\n", f"{one.message}\n", code, *shown])


def _excerpt(tree: Path, at: Place, around: int) -> str:
    """Lines of a file with their numbers, the one that is meant with a mark."""
    file = tree / at.path
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    first = max(1, at.line - around)
    shown = enumerate(lines[first - 1 : at.line + around], start=first)
    body = "".join(f"{'>' if n == at.line else ' '}{n:5} {line}\n" for n, line in shown)
    return f"{at.path}:{at.line}\n~~~~text\n{body}~~~~\n"


def votes(file: Path, found: Iterable[Drawn]) -> dict[str, Vote]:
    """The answers of one reader, by finding.

    Raises:
        DataError: with every finding that has no answer, and every answer that is none.
    """
    wanted, given, mistakes = {one.id for one in found}, dict[str, Vote](), list[str]()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            answer = json.loads(line)
            name, reason = answer["id"], " ".join(answer["reason"].split())
            vote = Vote(answer["verdict"], reason, answer.get("ends_before", ""))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            mistakes.append(f"{file.name}:{number}: {type(error).__name__}: {error}")
            continue
        mistakes += [f"{file.name}:{number}: {what}" for what in _wrong(name, vote, wanted, given)]
        given[name] = vote
    mistakes += [f"{file.name}: no answer for {name}" for name in sorted(wanted - set(given))]
    if mistakes:
        raise DataError("\n".join(mistakes))
    return given


def _wrong(name: str, vote: Vote, wanted: set[str], given: dict[str, Vote]) -> Iterable[str]:
    if name not in wanted:
        yield f"no finding was drawn as {name}"
    if name in given:
        yield f"{name} is answered twice"
    if vote.verdict not in VERDICTS:
        yield f"{name}: the verdict is {', '.join(VERDICTS)}, not {vote.verdict!r}"
    if not vote.reason:
        yield f"{name}: a reason is missing"
    for mistake in ends_before_mistakes(vote.verdict, vote.ends_before):
        yield f"{name}: {mistake}"


def joined(
    number: int, found: Sequence[Drawn], judge: dict[str, Vote], second: dict[str, Vote]
) -> list[Verdict]:
    """The rows of a round; without a second reader `second` is empty."""
    return sorted(
        Verdict(
            number,
            one.tree.repository,
            one.tree.commit,
            one.rule,
            one.file,
            one.line,
            one.severity,
            judge[one.id].verdict,
            judge[one.id].reason,
            second.get(one.id, NONE).verdict,
            second.get(one.id, NONE).reason,
            ends_before=judge[one.id].ends_before,
        )
        for one in found
    )
