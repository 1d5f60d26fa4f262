"""MM403: only some ranks run a forward of the model that all of them train."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    Cause,
    Context,
    Dismissal,
    Divergence,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Letter,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Side,
    Site,
    Strategy,
    Unclear,
    both,
    buffers,
    conclude,
    differs,
    doubted,
    forwards,
    gathered_at,
    no_gradients,
    node_of,
    plain,
    runs_with,
    saves,
    site,
    trains_on,
    weigh,
    wrappers,
    wrapping,
    zero3_by_lightning,
)

WHO = {
    Side.MAIN: "Only the main rank runs",
    Side.OTHERS: "All ranks but the main one run",
    Side.SOME: "Only some ranks run",
}
SHARDS = (Strategy.ZERO3, Strategy.FSDP1, Strategy.FSDP2)
IGNORED = "_ddp_params_and_buffers_to_ignore"  # an attribute of a model: what DDP leaves alone
SHOWN = (
    "run it on all ranks, each on its share of the data, and let the main rank report what is gathered; "
    "under DDP `model.module` may run on one rank alone, under ZeRO-3 and FSDP nothing may"
)
GATHERS = "each forward gathers the sharded parameters from all ranks"
BROADCASTS = "DDP broadcasts the buffers of the model from the main rank in every forward"
FIRST = "DDP broadcasts the buffers of the model from the main rank in the first forward without gradients"
EVENED = (
    f"{FIRST}, which the others answer with the broadcast of their next training forward, and the next one "
    "here leaves it out. After the last step of training, or where this takes longer than the timeout of the "
    "group, nothing answers it, and the run ends with an error."
)


def trigger(project: Project) -> Iterator[Site]:
    """Tests on the rank, and decorators, that keep ranks from a forward; where they keep ranks from a
    collective that shows or a save, MM401, MM402 and MM406 speak."""
    spoken = {(d.frame.function, d.at) for d in (*project.get(plain), *project.get(saves)) if _by_rank(d)}
    for found in project.get(forwards.forwards):
        node = node_of(project, found)
        if _by_rank(found) and node is not None and (found.frame.function, found.at) not in spoken:
            yield site(project, found.frame.function, node, found)


def _by_rank(found: Divergence) -> bool:
    return found.side is not None and found.cause in (Cause.ARM, Cause.LEAVE, Cause.DECORATOR)


def pattern(node: cst.CSTNode) -> bool:
    """An `if` or `match`, a conditional expression, a call behind `and`, or a function with a decorator."""
    if isinstance(node, cst.FunctionDef):
        return bool(node.decorators)
    return isinstance(node, (cst.If, cst.Match, cst.IfExp, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Divergence = site.data
    letter, wrap = _first(project, found)
    if letter is None or wrap is None:
        return
    at = site.head if found.cause is not Cause.DECORATOR else Place(site.path, site.at.line, site.at.column)
    gathered = _gathered(project, letter, found)
    if gathered is not None:
        note = Note(gathered, project.line(gathered.path, gathered.line))
        yield Dismissal(RULE.code, at, "the parameters are gathered around it", (note,))
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found, letter, wrap))
    by_ddp = any(c.strategy is Strategy.DDP for c in verdict.contexts[:1])
    message = _message(project, found, letter, by_ddp and wrap.by != wrappers.LIGHTNING)
    notes, shown = _notes(project, letter, wrap), Fix(SHOWN, Applicability.DISPLAY)
    yield conclude(RULE.code, site, verdict, message, _anchor(site, letter), notes, at, shown)


def _first(project: Project, found: Divergence) -> tuple[Letter | None, wrapping.Wrap | None]:
    """The first forward of what is wrapped along its own calls; a wrapper before a module taken out."""
    known = [(x, w) for x in found.letters if (w := forwards.wrap_of(project, x, found.frame))]
    known.sort(key=lambda pair: (pair[1].inner is not None, pair[1].mixed))
    return known[0] if known else (None, None)


def _gathered(project: Project, letter: Letter, found: Divergence) -> Place | None:
    """The `with` that gathers the parameters around the forward."""
    frame = forwards.last(letter, found.frame)
    call = forwards.call_of(project, letter, found.frame)
    return gathered_at(project, project.index.function(frame.function), call, frame) if call else None


# -- judging ----------------------------------------------------------------------------------------------


def _judge(
    project: Project, context: Context, found: Divergence, letter: Letter, wrap: wrapping.Wrap
) -> Answer:
    answer = both(_waits(project, context, wrap), differs(project, context, found, [letter]))
    if _by_ddp(context, wrap) and _evened(project, found, letter):
        answer = doubted(answer, "whether training goes on after it", plausible=False)
    doubt = f"whether `{letter.name}` is a model that something wraps" if wrap.mixed else ""
    return doubted(answer, doubt, plausible=False)


def _waits(project: Project, context: Context, wrap: wrapping.Wrap) -> Answer:
    """Does a forward wait for other ranks in this run?"""
    if context.strategy in SHARDS:
        return runs_with(project, context)
    if wrap.by == wrappers.LIGHTNING:
        return zero3_by_lightning(project, context)
    if wrap.by == wrappers.FSDP:
        return Fatal()
    if _by_ddp(context, wrap):
        return _under_ddp(project, wrap)
    answer = runs_with(project, context)
    return Unclear(answer.fact, plausible=False) if isinstance(answer, Unclear) else answer


def _by_ddp(context: Context, wrap: wrapping.Wrap) -> bool:
    """Is the model inside DDP in this run?"""
    prepared = context.strategy is Strategy.DDP and wrap.by == wrappers.PREPARED
    return context.strategy not in SHARDS and (wrap.by == wrappers.DDP or prepared)


def _evened(project: Project, found: Divergence, letter: Letter) -> bool:
    """Does training go on after an evaluation without gradients?"""
    node = node_of(project, found)
    inside = node is not None and trains_on(project, found.frame.function, node)
    return inside and no_gradients(project, found, letter)


def _under_ddp(project: Project, wrap: wrapping.Wrap) -> Answer:
    """DDP exchanges nothing in a forward but the buffers."""
    if wrap.inner is not None:
        line = project.line(wrap.inner.path, wrap.inner.line)
        return Excluded(Note(wrap.inner, f"outside its wrapper: {line}"))
    call, function = wrap.origin.expr, wrap.origin.function
    assert isinstance(call, ast.Call)
    off = next((k.value for k in call.keywords if k.arg == "broadcast_buffers"), None)
    if isinstance(off, ast.Constant) and off.value is False:
        at = project.place(function.partition("::")[0], off)
        return Excluded(Note(at, "DDP broadcasts no buffers"))
    given = [*call.args, *(k.value for k in call.keywords if k.arg in ("module", "model"))]
    held = [p for expr in given if (p := buffers(project, project.values(expr, function)))]
    if held and not any(True for _ in project.mentioning(IGNORED)):
        return Fatal(Note(held[0], "a buffer of the model"))
    return Unclear("whether the model has buffers, which DDP broadcasts in every forward", plausible=False)


# -- what is said -----------------------------------------------------------------------------------------


def _message(project: Project, found: Divergence, letter: Letter, ddp: bool) -> str:
    through = f" (through `{letter.via[0].callee.function.partition('::')[2]}`)" if letter.via else ""
    who = WHO[_side(found)]
    if ddp and _evened(project, found, letter):
        return f"{who} `{letter.name}`{through}: {EVENED}"
    broadcasts = FIRST if no_gradients(project, found, letter) else BROADCASTS
    why = broadcasts if ddp else GATHERS
    return (
        f"{who} `{letter.name}`{through}: {why}, and the ranks that are not here wait elsewhere, until a "
        "timeout ends the run."
    )


def _side(found: Divergence) -> Side:
    """The ranks that get to the forward."""
    flipped = {Side.MAIN: Side.OTHERS, Side.OTHERS: Side.MAIN}
    side = found.side or Side.SOME
    return side if found.then else flipped.get(side, side)


def _notes(project: Project, letter: Letter, wrap: wrapping.Wrap) -> tuple[Note, ...]:
    """The calls that lead to the forward, the forward, and where the model is wrapped."""
    notes = [
        Note(
            Place(edge.caller.function.partition("::")[0], edge.line),
            f"calls `{edge.callee.function.partition('::')[2]}`",
        )
        for edge in letter.via
    ]
    if letter.at:
        notes.append(Note(letter.at, f"`{letter.name}` runs the model"))
    if wrap.by != wrappers.LIGHTNING:  # what is called is the model, or a part of it
        at = project.place(wrap.origin.function.partition("::")[0], wrap.origin.expr)
        notes.append(Note(at, "the model that all ranks train"))
    return tuple(dict.fromkeys(notes))


def _anchor(site: Site, letter: Letter) -> str:
    test = getattr(site.node, "test", getattr(site.node, "subject", None))
    text = ast.unparse(test) if test is not None else getattr(site.node, "name", "")
    return f"{site.symbol}: {text}: {letter.name}"


RULE = Rule(
    code="MM403",
    name="forward-under-rank-guard",
    summary="Only some ranks run a forward of the model that all of them train",
    family="collectives",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
