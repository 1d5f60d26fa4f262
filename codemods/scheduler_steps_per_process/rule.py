"""MM316: a prepared schedule advances by as many steps as there are processes, and its length does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Place,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Unclear,
    accumulated_steps,
    both,
    comes_to,
    conclude,
    doubted,
    flow_of,
    own_nodes,
    prepared_schedules,
    schedule_kinds,
    site,
    step_counts,
    weigh,
)

Schedule = prepared_schedules.Schedule
Part = step_counts.Part
Multiplied = accumulated_steps.Multiplied

SWITCHES = {"split_batches": True, "step_scheduler_with_optimizer": False}
SET_LATER = {"split_batches": True, "step_with_optimizer": False}
ASKS = "distributed_type"
UNSEEN = (None, "dataloader_config")
MANY = "that many times too early"
SAFE = {Part.RANKS: "grows with the number of processes", Part.WHOLE: "counts the batches of all processes"}


def trigger(project: Project) -> Iterator[Site]:
    """Calls that make a schedule, which an Accelerator prepares and a run steps."""
    for schedule in project.get(prepared_schedules.schedules):
        yield site(project, schedule.function, schedule.call, schedule)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    schedule: Schedule = site.data
    verdict = weigh(project, schedule.stepped_in, lambda context: _judge(project, context, schedule))
    wrap, step = schedule.wrap.origin, schedule.step
    notes = (
        Note(project.place(wrap.function.partition("::")[0], wrap.expr), "the schedule is prepared here"),
        Note(project.place(schedule.stepped_in.partition("::")[0], step), "each step here is one a process"),
    )
    message = _message(project, verdict.contexts, schedule)
    yield conclude(RULE.code, site, verdict, message, ast.unparse(schedule.call), notes)


def _message(project: Project, contexts: list[Context], schedule: Schedule) -> str:
    """Names the lengths that do not grow in one of the runs, or where none is known for sure, those that
    are not known to fit, each with how much too early it is over."""
    runs = [Settings(project, c if c.entry else None, stores=False) for c in contexts] or [Settings(project)]
    every = [(n, v, [_length(project, run, schedule, v) for run in runs]) for n, v in schedule.lengths()]
    sure = [(n, v) for n, v, answers in every if any(isinstance(a, Fatal) for a in answers)]
    left = [(n, v) for n, v, answers in every if not all(isinstance(a, Excluded) for a in answers)]
    short: dict[str, list[str]] = {}
    for name, value in sure or left:
        over = dict.fromkeys(_over(project, run, schedule, value) for run in runs)
        short.setdefault(" or ".join(over), []).append(f"`{name}={ast.unparse(value)}`")
    told = (f"what {' and '.join(lengths)} counts is over {over}" for over, lengths in short.items())
    return (
        "The schedule is prepared by the Accelerator, so that it advances by as many steps as there are "
        "processes each time the optimizer steps, but not all of its length grows with them: "
        f"{', and '.join(told) or f'what it is given counts is over {MANY}'}."
    )


def _over(project: Project, settings: Settings, schedule: Schedule, value: ast.expr) -> str:
    """How much too early or too late a length is over."""
    found = _multiplied(project, settings, schedule, value)
    if found is None or found.batches == 1:
        return MANY
    if found.batches is None or found.processes is None:
        return f"too early by the number of processes divided by `{found.factor}`"
    times = max(found.processes / found.batches, found.batches / found.processes)
    when = "early" if found.processes > found.batches else "late"
    return f"{times:g} times too {when} ({found.processes} processes, {found.batches} batches accumulated)"


def _judge(project: Project, context: Context, schedule: Schedule) -> Answer:
    settings = Settings(project, context if context.entry else None, stores=False)
    set_later = _set_later(project, context) or _asked(project, schedule)
    safe = set_later or _accelerators(project, settings, schedule)
    if isinstance(safe, Excluded):
        return safe
    answer = both(_lengths(project, settings, schedule), prepared_schedules.processes(project, context))
    answer = both(answer, _conditions(project, context, schedule))
    return both(answer, safe) if safe is not None else answer


def _conditions(project: Project, context: Context, schedule: Schedule) -> Answer:
    """Do the tests hold under which it is made, prepared and stepped?"""
    origin, steps = schedule.wrap.origin, (schedule.stepped_in, schedule.step)
    answer: Answer = Fatal()
    for function, node in ((origin.function, origin.expr), (schedule.function, schedule.call), steps):
        answer = both(answer, comes_to(project, context, function, node))
    return (
        doubted(answer, "whether the schedule is prepared", plausible=False)
        if schedule.wrap.mixed
        else answer
    )


# -- the Accelerator -----------------------------------------------------------------------------------


def _accelerators(project: Project, settings: Settings, schedule: Schedule) -> Answer | None:
    """Is it told to split batches, or to step schedules by themselves?"""
    origin = schedule.wrap.origin
    func = origin.expr.func if isinstance(origin.expr, ast.Call) else None
    ends = settings.origins(func.value, origin.function) if isinstance(func, ast.Attribute) else []
    made = [(o.expr, o.function) for o in ends if isinstance(o.expr, ast.Call)]
    for call, function in made:
        for keyword in call.keywords:
            if keyword.arg in SWITCHES:
                return _switched(project, settings, keyword, function)
    unseen = not made or any(k.arg in UNSEEN for call, _ in made for k in call.keywords)
    return Unclear("how the Accelerator is made", plausible=False) if unseen else None


def _switched(project: Project, settings: Settings, keyword: ast.keyword, function: str) -> Answer | None:
    values = {s.value for s in settings.of(keyword.value, function)}
    safe = SWITCHES[keyword.arg or ""]
    if values == {safe}:
        at = project.place(function.partition("::")[0], keyword.value)
        return Excluded(Note(at, f"{keyword.arg} is {safe}: the schedule advances by one step"))
    return None if values == {not safe} else Unclear(f"whether `{keyword.arg}` is {safe}", plausible=False)


def _asked(project: Project, schedule: Schedule) -> Excluded | None:
    """The test on how processes work together that decides what is prepared."""
    origin = schedule.wrap.origin
    for test, _ in flow_of(project, origin.function).tests(origin.expr):
        if any(getattr(n, "attr", "") == ASKS for n in ast.walk(test.test)):
            at = project.place(origin.function.partition("::")[0], test)
            return Excluded(Note(at, f"`{ast.unparse(test.test)}` decides whether it is prepared"))
    return None


def _set_later(project: Project, context: Context) -> Excluded | None:
    """The line of reached code that sets the same on the prepared schedule."""
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning(*(f".{name} = " for name in SET_LATER)):
        for node in own_nodes(facts.node) if reach is None or facts.id in reach else ():
            if isinstance(node, ast.Assign) and any(_sets(t, node.value) for t in node.targets):
                return Excluded(Note(project.place(facts.path, node), "set after it is prepared"))
    return None


def _sets(target: ast.expr, value: ast.expr) -> bool:
    named = isinstance(target, ast.Attribute) and target.attr in SET_LATER
    return named and isinstance(value, ast.Constant) and value.value is SET_LATER[target.attr]  # type: ignore[attr-defined]


# -- lengths -------------------------------------------------------------------------------------------


def _lengths(project: Project, settings: Settings, schedule: Schedule) -> Answer:
    """Fatal where one length that counts is the same for any number of processes."""
    kinds = _kinds(settings, schedule)
    path = schedule.function.partition("::")[0]
    if kinds and kinds <= schedule_kinds.FLAT and schedule.asked is not None:
        return Excluded(Note(project.place(path, schedule.asked), "a constant schedule counts no steps"))
    answers = [
        _length(project, settings, schedule, value)
        for name, value in schedule.lengths()
        if not (name == "num_training_steps" and kinds and kinds <= schedule_kinds.WARMUP_ONLY)
    ]
    found: Answer | None = next((a for a in answers if isinstance(a, Fatal)), None)
    found = found or next((a for a in answers if isinstance(a, Unclear)), None)
    counts_none = Note(project.place(path, schedule.call), "it is given no number of steps")
    return found or next(iter(answers), Excluded(counts_none))


def _kinds(settings: Settings, schedule: Schedule) -> set[object]:
    asked = schedule.asked
    return {s.value for s in settings.of(asked, schedule.function)} if asked is not None else set()


def _length(project: Project, settings: Settings, schedule: Schedule, value: ast.expr) -> Answer:
    ways = step_counts.StepCounts(project, settings).of(value, schedule.function)
    at = project.place(schedule.function.partition("::")[0], value)
    verdicts = {_fits(way) for way in ways}
    if verdicts == {True}:
        why = next((SAFE[p] for way in ways for p in SAFE if p in way), "is zero")
        return Excluded(Note(at, f"`{ast.unparse(value)}` {why}"))
    found = _multiplied(project, settings, schedule, value)
    if found is not None and found.batches != 1:
        return _in_place_of(found, ast.unparse(value), at)
    if verdicts == {False}:
        return Fatal(Note(at, f"`{ast.unparse(value)}` is the same for any number of processes"))
    return Unclear(f"what `{ast.unparse(value)}` counts", plausible=False)


def _multiplied(
    project: Project, settings: Settings, schedule: Schedule, value: ast.expr
) -> Multiplied | None:
    """Of a share of the batches, the factor makes no length."""
    ways = step_counts.StepCounts(project, settings).of(value, schedule.function)
    if any(Part.SHARE in way for way in ways):
        return None
    return accumulated_steps.multiplied(project, settings, schedule, value)


def _in_place_of(found: Multiplied, value: str, at: Place) -> Answer:
    """A length that is multiplied by the batches that are accumulated needs as many processes."""
    if found.batches is None:
        return Unclear(f"how many batches are accumulated: `{value}` is multiplied by `{found.factor}`")
    by = f"`{value}` is multiplied by {found.batches} batches that are accumulated ({found.at})"
    if found.processes is None:
        return Unclear(f"whether as many processes run as the length allows for: {by}")
    launch = f" ({found.launch})" if found.launch else ""
    if found.processes == found.batches:
        return Excluded(Note(at, f"{by}, and as many processes run{launch}"))
    return Fatal(Note(at, f"{by}, and {found.processes} processes run{launch}"))


def _fits(way: step_counts.Parts) -> bool | None:
    """Does a number of steps made of these parts fit what a prepared schedule counts? None: not known."""
    if way & {Part.RANKS, Part.WHOLE, Part.NONE}:
        return True
    return None if Part.OPEN in way and Part.SHARE not in way else False


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown: which of the numbers is meant for one process, only the author knows."""
    return Fix(
        "multiply the steps by `accelerator.num_processes`, or step a schedule that is not prepared", SHOWN
    )


SHOWN = Applicability.DISPLAY

RULE = Rule(
    code="MM316",
    name="scheduler-steps-per-process",
    summary="A schedule that accelerate prepares advances by as many steps as there are processes",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
