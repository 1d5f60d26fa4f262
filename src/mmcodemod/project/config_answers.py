"""What rules on DeepSpeed configurations share: the answers of the runs that use a file, what they come to,
who loads the file, what code does to it or with it, and edits of one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from mmcodemod.facts.node import Member, Node
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.finding import Dismissal, Finding, Note, Step
from mmcodemod.model.fix import Edit
from mmcodemod.model.grade import Confidence, How, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import configs
from mmcodemod.project.absent_configs import judged
from mmcodemod.project.death import Death
from mmcodemod.project.dying import dies, outlived
from mmcodemod.project.excluding import why_excluded
from mmcodemod.project.flags import member_place
from mmcodemod.project.keys_in_code import set_in_code as set_in_code
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.trace import launch_steps
from mmcodemod.project.weigh import loudness
from mmcodemod.source.tree import UnreadableFile

Answers = Sequence[tuple[Context, Answer]]

_BY_ACCELERATE = ("accelerate.deepspeed_config_file", "accelerate.deepspeed_config.deepspeed_config_file")


class Reader(Enum):
    """Who loads a DeepSpeed configuration."""

    HF = "the Trainer or Accelerate"  # `json.load`; fills "auto" in (HfDeepSpeedConfig)
    DEEPSPEED = "deepspeed.initialize"  # `hjson.load`; knows no "auto"
    UNKNOWN = "code that is not in the tree"


def answered(project: Project, path: str, judge: Callable[[Context], Answer]) -> Answers:
    """The answer of each run that uses the configuration `path`."""
    return judged(project, configs.users(project, path), judge)


def concluded(
    project: Project,
    code: str,
    at: Place,
    answers: Answers,
    message: Callable[[Context, Answer], str],
    anchor: str,
    most: Callable[[Answer], Severity] = lambda _: Severity.ERROR,
    ends: Callable[[Project, Context], Death | None] = dies,
) -> list[Finding | Dismissal]:
    """One finding for the loudest answers, else one dismissal with the lines that exclude; nothing when
    nothing uses the file. `most`: the highest severity that the loudest answer may have; `ends`: what stops
    a run before it comes to what is found."""
    fatal = [(c, a) for c, a in answers if not isinstance(a, Excluded)]
    if fatal:
        alive = outlived(project, fatal, ends)
        return [_finding(code, at, fatal, alive, message, anchor, most)]
    reason, evidence = why_excluded(answers)
    ids = tuple(c.id for c, _ in answers)
    return [Dismissal(code, at, reason, evidence, ids)] if reason else []


def _finding(
    code: str,
    at: Place,
    fatal: Answers,
    alive: Answers,
    message: Callable[[Context, Answer], str],
    anchor: str,
    most: Callable[[Answer], Severity],
) -> Finding:
    """`alive`: the answers with what may stop the runs before."""
    severity, loudest = loudness(alive)
    context, answer = loudest[0]
    said = next(a for c, a in fatal if c is context)
    steps = list(launch_steps(context))
    if isinstance(said, Fatal) and said.why:
        steps.append(Step(said.why.at, said.why.note))
    proven = isinstance(answer, Fatal)
    depends = f" This depends on {answer.fact}." if isinstance(answer, Unclear) and answer.fact else ""
    return Finding(
        code,
        at,
        message(context, said) + depends,
        severity.capped(most(said)),
        Confidence.EXACT if proven else Confidence.INFERRED,
        contexts=tuple(c.id for c, _ in loudest),
        trace=tuple(steps),
        anchor=anchor,
    )


def set_here(code: str, path: str, member: Member, reason: str = "") -> Dismissal:
    """The member itself makes the place safe."""
    at, text = member_place(path, member.key_start, member.node), written(member)
    return Dismissal(code, at, reason or f"{text} is set", (Note(at, text),))


def written(member: Member) -> str:
    """`"stage": 2`, as the file says it."""
    return f'"{member.key}": {member.node.raw or "..."}'


def replaced(path: str, node: Node, text: str) -> Edit:
    """The edit that writes `text` in the place of one value."""
    return Edit(path, node.start, node.end, text)


def reader(project: Project, context: Context) -> Reader:
    """Must: who loads the configuration of a run, as far as its code or launch shows it."""
    entry = context.entry if context.entry and project.trains(context.entry) else None
    if project.uses("transformers.Trainer", entry):
        return Reader.HF
    if any(name in context.options for name in _BY_ACCELERATE):
        return Reader.HF
    if project.calls_library("deepspeed.initialize", entry):
        return Reader.DEEPSPEED
    return Reader.UNKNOWN


def framework_call(project: Project, entry: Entry | None, name: str) -> Place | None:
    """May: where code of the tree that a run reaches itself calls a method of a framework model, for example
    "transformers.Trainer.save_model". Calls that only a name leads to do not count."""
    module, owner, method = name.rsplit(".", 2)
    callee = f"{MODELS}/{module.replace('.', '__')}.py::{owner}.{method}"
    reach = project.reach(entry) if entry else None
    found = [
        Place(path, edge.line)
        for edge in project.callers(callee)
        if edge.site is not None and edge.how is not How.NAME_ONLY
        if not (path := edge.caller.function.partition("::")[0]).startswith(MODELS)
        if reach is None or edge.caller.function in reach
    ]
    return min(found, default=None)


def program_call(project: Project, context: Context, name: str) -> Place | None:
    """Where a run begins whose installed program itself calls a method of a framework model."""
    if context.entry is None or not context.entry.library:
        return None
    module, owner, method = name.rsplit(".", 2)
    callee = f"{MODELS}/{module.replace('.', '__')}.py::{owner}.{method}"
    reach, path = project.reach(context.entry), context.entry.path
    callers = (e.caller.function for e in project.callers(callee) if e.how is not How.NAME_ONLY)
    calls = any(f.startswith(f"{path}::") and f in reach for f in callers)
    return context.begins if calls else None


def mentioned(project: Project, words: tuple[str, ...], ends: tuple[str, ...]) -> Place | None:
    """The first line of the tree that holds one of the words, in files whose names end so."""
    wanted = [word.encode() for word in words]
    for path in (p for p in project.tree.paths if p.endswith(ends)):
        try:
            lines = project.tree.read_bytes(path).splitlines()
        except UnreadableFile:
            continue  # told as a problem of that file
        for number, line in enumerate(lines, 1):
            if any(word in line for word in wanted):
                return Place(path, number)
    return None
