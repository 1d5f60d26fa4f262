"""MM410: ranks wait in a collective, with its default timeout, while one rank does long work."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    MISSING,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Option,
    Origin,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    both,
    come_through,
    conclude,
    configured_call,
    doubted,
    handed_timeouts,
    launched,
    lengthy,
    longwork,
    several_ranks,
    site,
    timeouts,
    versions,
    weigh,
)

from .codemod import ACCELERATOR, GROUP, TRAINER, Setting, with_setting

HOW_LONG = "how long that takes"  # an open fact
TIMEOUT = "ddp_timeout"
MINUTES = "DEEPSPEED_TIMEOUT"  # of groups that DeepSpeed makes (deepspeed/constants.py of 0.14.4 and 0.19.8)
BY_DEEPSPEED = ("deepspeed.init_distributed", "deepspeed.initialize")
ENDED_BY = ("NCCL_ASYNC_ERROR_HANDLING", "NCCL_BLOCKING_WAIT")
ENOUGH = 1800  # seconds; a longer timeout was set on purpose
MAKERS = {
    "torch.distributed.init_process_group": GROUP,
    "deepspeed.init_distributed": GROUP,
    "transformers.TrainingArguments": TRAINER,
    "transformers.Seq2SeqTrainingArguments": TRAINER,
    "accelerate.Accelerator": ACCELERATOR,
}
SLOWER = "a rank that really hangs is then told later"


def trigger(project: Project) -> Iterator[Site]:
    """Tests for the main rank, and context managers, that hold long work for which others wait; collectives
    that are made to wait long."""
    for wait in project.get(longwork.waits):
        yield site(project, wait.frame.function, wait.node, wait)
    for found in project.get(longwork.patient):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, a conditional expression or a call."""
    return isinstance(node, (cst.If, cst.IfExp, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, longwork.Patient):
        reason = f"`{site.data.name}` has a timeout of its own"
        yield Dismissal(RULE.code, site.at, reason, (Note(*site.data.since),))
        return
    wait: longwork.Wait = site.data
    safe = _safe_here(project, wait)
    if safe is not None:
        yield Dismissal(RULE.code, site.head, safe[0], (safe[1],))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, wait))
    related = [Note(wait.work.at, f"the long work: `{wait.work.name}`")] if wait.work.at else []
    related += [_why(project, seen) for seen in lengthy.lengthy(project, wait.frame, wait.work)[:1]]
    if wait.wait and wait.wait.at:
        related.append(Note(wait.wait.at, f"the others wait here in `{wait.wait.name}`"))
    message = _message(project, verdict.contexts, wait)
    anchor = f"{wait.work.name}: {_head(site.node)}"
    yield conclude(RULE.code, site, verdict, message, anchor, tuple(related), site.head)


def _why(project: Project, seen: lengthy.Lengthy) -> Note:
    return Note(project.place(seen.function.partition("::")[0], seen.node), seen.why)


def _head(node: ast.AST) -> str:
    return ast.unparse(node.test if isinstance(node, (ast.If, ast.IfExp)) else node)


# -- what makes it safe -----------------------------------------------------------------------------


def _safe_here(project: Project, wait: longwork.Wait) -> tuple[str, Note] | None:
    """Light work, or a collective with a timeout of its own."""
    if wait.work.hidden == longwork.LIGHT:
        called = longwork.call_of(project, wait.frame, wait.work)
        quick = longwork.light(project, *called) if called else None
        return (quick[1], Note(quick[0], project.line(quick[0].path, quick[0].line))) if quick else None
    found = longwork.call_of(project, wait.outer, wait.wait) if wait.wait else None
    own = timeouts.group_timeout(project, *found) if found else None
    return (f"`{wait.wait.name}` has a timeout of its own", Note(*own)) if own and wait.wait else None


def _answer(project: Project, context: Context, wait: longwork.Wait) -> Answer:
    """Do the others wait only as long as by default?"""
    if context.strategy is Strategy.SINGLE:
        return Excluded(_runs_alone(context))
    answer = both(_launched(project, context, wait), _waited(project, context, wait))
    return answer if isinstance(answer, Excluded) else both(answer, _seen(project, context, wait))


def _seen(project: Project, context: Context, wait: longwork.Wait) -> Answer:
    """Does the run come to work that is seen to take long?"""
    start = (wait.frame.function, wait.node)
    found = lengthy.lengthy(project, wait.frame, wait.work)
    ways = [
        come_through(project, context, [start, *seen.way, (seen.function, seen.node)], seen.settled(project))
        for seen in found
    ]
    if not ways:
        answer = come_through(project, context, [start])
        return doubted(answer, HOW_LONG, plausible=False)
    return min(ways, key=lambda way: (isinstance(way, Excluded), isinstance(way, Unclear)))


def _launched(project: Project, context: Context, wait: longwork.Wait) -> Answer:
    """Several ranks, which wait as long as the launch says."""
    if context.origin is Origin.LAUNCHED:
        return several_ranks(project, context)
    if context.origin is Origin.ENTRY and project.uses("transformers.Trainer", context.entry):
        fact = f"a launch of {context.id}, which nothing in the tree makes, and its `{TIMEOUT}`"
        return Unclear(fact, plausible=False)
    if context.origin is Origin.ENTRY and configured_call(project, wait.frame.function):
        return Fatal()  # a configuration of the tree is what it is run with
    return launched(Fatal(), context)


def _waited(project: Project, context: Context, wait: longwork.Wait) -> Answer:
    """The timeout that the others have, and what they wait in."""
    longer = _launched_with(context) or _by_environment(project, context) or _set_in_code(project, context)
    if longer is not None:
        return longer
    if wait.wait is None:
        return Unclear(HOW_LONG, plausible=False)
    found = longwork.call_of(project, wait.outer, wait.wait)
    if found and timeouts.own_group(found[0]):
        return Unclear("the timeout of the group that is waited in", plausible=False)
    return _ended(context)


def _ended(context: Context) -> Answer:
    """Does a wait end when its time is over? Before torch 2.1 NCCL's does only where a variable asks for it,
    which torchrun sets and DeepSpeed's launcher does not."""
    asked = any(context.option(f"env.{name}").at is not None for name in ENDED_BY)
    if asked or context.launched_by != "deepspeed" or versions.below(context, "torch", "2.1") is not True:
        return Fatal()
    return Unclear(f"`{ENDED_BY[0]}`, without which NCCL waits for ever before torch 2.1", plausible=False)


def _runs_alone(context: Context) -> Note:
    at = context.launcher or Place(context.entry.path if context.entry else "", 1)
    return Note(at, "runs in a single process")


def _launched_with(context: Context) -> Answer | None:
    option = context.option(TIMEOUT)
    if option.at is None or option.value is MISSING:
        return None
    if isinstance(option.value, (int, float)):
        longer = option.value > ENOUGH
        return Excluded(Note(option.at, f"{TIMEOUT} is {option.value} seconds")) if longer else None
    return Unclear(f"`{TIMEOUT}`, which is set to something that does not show", plausible=False)


def _by_environment(project: Project, context: Context) -> Answer | None:
    """What the environment gives the groups that DeepSpeed makes; None where it is short, or says nothing."""
    option = _environment(project, context)
    if option.at is None:
        return None
    if not isinstance(option.value, int):
        return Unclear(f"`{MINUTES}`, which is set to something that does not show", plausible=False)
    longer = option.value * 60 > ENOUGH
    return Excluded(Note(option.at, f"{MINUTES} is {option.value} minutes")) if longer else None


def _environment(project: Project, context: Context) -> Option:
    """DEEPSPEED_TIMEOUT, in minutes; missing where torch or a Trainer makes the group."""
    by_torch = project.calls_library("torch.distributed.init_process_group", context.entry)
    if by_torch or not any(project.calls_library(name, context.entry) for name in BY_DEEPSPEED):
        return Option(MISSING)
    option = context.option(f"env.{MINUTES}")
    text = str(option.value)
    return Option(int(text), option.at) if text.isdecimal() else option


def _set_in_code(project: Project, context: Context) -> Answer | None:
    """A timeout that reached code sets; one that the user gives may be long enough."""
    unknown = None
    for found in timeouts.reached(project, context):
        note = Note(found.at, project.line(found.at.path, found.at.line))
        seconds = timeouts.seconds(project, found, context)
        if seconds is not None and seconds > ENOUGH:
            return Excluded(note)
        if seconds is None:
            unknown = unknown or Unclear(f"the timeout that is set at {found.at}", plausible=False)
    return unknown


# -- what is said -----------------------------------------------------------------------------------


def _message(project: Project, contexts: list[Context], wait: longwork.Wait) -> str:
    limit = _limit(project, contexts[0] if contexts else project.contexts[0])
    work = f"`{wait.work.name}`" + (f" (through `{_through(wait)}`)" if wait.work.via else "")
    if wait.wait is None:
        return f"The main rank runs {work} while all others wait in a barrier, which gives up after {limit}."
    return (
        f"The main rank runs {work} alone while all others already wait in `{wait.wait.name}` of the default "
        f"process group, which gives up after {limit}: a large dataset or a slow disk ends the run."
    )


def _through(wait: longwork.Wait) -> str:
    return wait.work.via[0].callee.function.partition("::")[2]


def _limit(project: Project, context: Context) -> str:
    """How long they wait: as the code says, else what the maker of the group takes."""
    given = timeouts.given(project, context)
    if given is not None:
        return f"{_span(given[0])} (set at {given[1]})"
    if project.uses("transformers.Trainer", context.entry):
        return "30 minutes (`ddp_timeout` is not set)"
    minutes = _environment(project, context).value
    if isinstance(minutes, int):
        return f"{minutes} minute{'s' * (minutes != 1)} ({MINUTES})"
    if timeouts.backends(project, context) == {"gloo"}:
        return "30 minutes with gloo"
    return "10 minutes with NCCL (30 before torch 2.2)"


def _span(seconds: float) -> str:
    """`3 minutes`, `90 seconds`"""
    whole = seconds >= 60 and seconds % 60 == 0
    number, unit = (seconds / 60, "minute") if whole else (seconds, "second")
    return f"{number:g} {unit}{'s' * (number != 1)}"


# -- the fix ----------------------------------------------------------------------------------------


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """A timeout where the process group is made; shown only where that is not in the tree. The Trainer makes
    it from its arguments."""
    trainer = _by_trainer(project, finding)
    for where, setting in _makers(project, finding):
        if (setting is TRAINER) is not trainer:
            continue
        edits = with_setting(project, where, setting)
        if edits:
            return Fix(f"{_advice(setting)}; {SLOWER}", Applicability.SAFE, edits)
    if trainer:
        return Fix(f"launch with `--{TIMEOUT} 7200`; {SLOWER}", Applicability.DISPLAY)
    text = "let the others wait in `monitored_barrier` of a gloo group with a longer timeout first, or give "
    return Fix(f"{text}the default group one; {SLOWER}", Applicability.DISPLAY)


def _by_trainer(project: Project, finding: Finding) -> bool:
    """Is it the Trainer that makes the group, in all these runs?"""
    entries = [c.entry for c in project.contexts if c.id in finding.contexts]
    return bool(entries) and all(project.uses("transformers.Trainer", entry) for entry in entries)


def _advice(setting: Setting) -> str:
    return f"set `{setting.keyword}={setting.said}`"


def _makers(project: Project, finding: Finding) -> list[tuple[Site, Setting]]:
    """The calls that make the group, or its arguments, without saying how long to wait."""
    entries = [c.entry for c in project.contexts if c.entry and c.id in finding.contexts]
    reaches = [project.reach(entry) for entry in entries]
    found = {}
    for frame, calls in project.graph.external.items():
        if any(frame.function in reach for reach in reaches):
            for outside in calls:
                setting = MAKERS.get(outside.name)
                given = [k.arg for k in outside.site.keywords]
                position = handed_timeouts.POSITIONS.get(outside.name.rpartition(".")[2])
                by_place = position is not None and len(outside.site.args) > position
                if setting and None not in given and setting.keyword not in given and not by_place:
                    where = site(project, frame.function, outside.call)
                    found[where.path, where.ordinal] = (where, setting)
    return [found[key] for key in sorted(found)]


RULE = Rule(
    code="MM410",
    name="long-work-under-default-pg-timeout",
    summary="Ranks wait in a collective, with its default timeout, while one rank does long work",
    family="collectives",
    severity=Severity.WARNING,
    since="0.1.0",
    options=("ddp_timeout", f"env.{MINUTES}", *(f"env.{name}" for name in ENDED_BY), "strategy"),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
