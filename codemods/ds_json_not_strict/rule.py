"""MM501: the Trainer and Accelerate read a DeepSpeed configuration as strict JSON, which it is not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    JsonLines,
    JsonNode,
    Note,
    Origin,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    configs,
    dies_untold,
    member_place,
    replaced_words,
)

from .codemod import COMMENT, NO_COMMA, UNQUOTED, slips, strict

Reader = config_answers.Reader
LOADS = ("json.load", "json.loads")
FORGIVING = tuple(f"{m}.{f}" for m in ("hjson", "json5", "commentjson") for f in ("load", "loads"))


def trigger(project: Project) -> Iterator[Site]:
    """DeepSpeed configurations that `json.load` refuses, and those that name a key twice."""
    for torn in project.get(configs.unreadable):
        yield config_site(torn.at, torn)
    for path, document in sorted(project.get(configs.parsed).items()):
        if document.root is None:
            continue
        found = [] if document.strict else slips(project.index.text(path), document.root)
        if found:
            lines = JsonLines(project.index.text(path))
            place = Place(path, *lines.position(found[0].start), *lines.position(found[0].end))
            yield config_site(place, (document.root, found))
        for at, key in _twice(path, document.root):
            yield config_site(at, key)


def _twice(path: str, node: JsonNode) -> Iterator[tuple[Place, str]]:
    """The members whose key the same object has had before."""
    seen: set[str] = set()
    for member in node.members:
        if member.key in seen:
            yield member_place(path, member.key_start, member.node), member.key
        seen.add(member.key)
        yield from _twice(path, member.node)
    for item in node.items:
        yield from _twice(path, item)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    data = site.data
    judge = _judge_torn if _torn(data) else _judge_twice if isinstance(data, str) else _judge_slips
    answers = config_answers.answered(project, site.path, partial(judge, project, site))

    def message(context: Context, answer: Answer) -> str:
        if _torn(data):
            return _told_torn(data)
        return _told_twice(project, context, data) if isinstance(data, str) else _told(site)

    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, _anchor(data), ends=dies_untold
    )


def _torn(data: object) -> bool:
    return isinstance(data, configs.Unreadable)


def _anchor(data: Any) -> str:
    if _torn(data):
        return "not readable"
    return f"{data} twice" if isinstance(data, str) else f"not strict: {data[1][0].kind}"


def _judge_slips(project: Project, site: Site, context: Context) -> Answer:
    """The same of a file that may be a template, which no launch names."""
    filled = _filled(project, site) if context.origin is not Origin.LAUNCHED else None
    return Excluded(filled) if filled else _judge(project, site, context)


def _filled(project: Project, site: Site) -> Note | None:
    """The line of a script that fills in a value of the file, where one does so for each that is not strict;
    the comma behind such a word is a part of it for hjson."""
    text, words = project.index.text(site.path), project.get(replaced_words)
    slips = [slip for slip in site.data[1] if slip.kind != NO_COMMA]
    found = [words.get(text[s.start : s.end].rstrip(", \t")) for s in slips if s.kind == UNQUOTED]
    first = found[0] if found and len(found) == len(slips) and all(found) else None
    return Note(first, "a template: a script fills in its values") if first else None


def _judge(project: Project, site: Site, context: Context) -> Answer:
    """Does `json.load` read the file of this run?"""
    match config_answers.reader(project, context):
        case Reader.HF if not any(project.calls_library(name, context.entry) for name in FORGIVING):
            return Fatal()
        case Reader.DEEPSPEED if not any(project.calls_library(name, context.entry) for name in LOADS):
            return Excluded(Note(site.at, "deepspeed.initialize reads the file by hjson, which allows this"))
    return Unclear("who loads the file: not every loader refuses it", plausible=False)


def _judge_twice(project: Project, site: Site, context: Context) -> Answer:
    """Does DeepSpeed read the file of this run? It refuses what `json.load` takes."""
    if config_answers.reader(project, context) is Reader.DEEPSPEED:
        return Fatal()
    return Unclear("which of them is meant", plausible=False)


def _judge_torn(project: Project, site: Site, context: Context) -> Answer:
    """Does the run stop at a file that our own reader of hjson cannot read? A text that ends too early stops
    every loader."""
    ends = site.data.ends
    match config_answers.reader(project, context):
        case Reader.DEEPSPEED if not ends:
            return Unclear("whether hjson, by which DeepSpeed reads it, forgives this", plausible=False)
        case Reader.HF if not ends:
            return _judge(project, site, context)
        case Reader.UNKNOWN:
            return Unclear("who loads the file", plausible=ends)
    return Fatal()


def _told(site: Site) -> str:
    kind = site.data[1][0].kind
    return (
        f"This configuration is not strict JSON ({kind}): DeepSpeed's own loader accepts it, but the Trainer "
        "and Accelerate read it by `json.load`, which raises JSONDecodeError before training."
    )


def _told_torn(torn: configs.Unreadable) -> str:
    if torn.ends:
        return "This configuration is no JSON, its text ends too early: no loader reads it, and the run ends."
    return (
        f"This configuration is no JSON ({torn.error}): the Trainer and Accelerate read it by `json.load`, "
        "which raises JSONDecodeError before training."
    )


def _told_twice(project: Project, context: Context, key: str) -> str:
    if config_answers.reader(project, context) is Reader.DEEPSPEED:
        return f'"{key}" stands twice in one object: DeepSpeed raises ValueError for duplicate keys.'
    return f'"{key}" stands twice in one object: the Trainer and Accelerate take the last one.'


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Write the same values as strict JSON, which every loader reads. Comments have no place in it."""
    if isinstance(site.data, str) or _torn(site.data):
        return None
    root, found = site.data
    edits = strict(project.index.text(site.path), site.path, root)
    if not edits:
        return None
    lost = sum(slip.kind == COMMENT for slip in found)
    if not lost:
        return Fix("write strict JSON", Applicability.SAFE, edits)
    comments = f"{lost} comments" if lost > 1 else "a comment"
    return Fix(f"write strict JSON, which takes {comments} out", Applicability.UNSAFE, edits)


RULE = Rule(
    code="MM501",
    name="ds-json-not-strict",
    summary="The Trainer and Accelerate refuse a DeepSpeed configuration with comments or stray commas",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("deepspeed",),
    trigger=trigger,
    check=check,
    fix=fix,
)
