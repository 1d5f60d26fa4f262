"""MM122: a state dict is loaded in the `__init__` that from_pretrained runs, and is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Edge,
    Excluded,
    Fatal,
    Finding,
    Note,
    Place,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Strategy,
    Unclear,
    both,
    building,
    conclude,
    doubted,
    flow_of,
    gathered_at,
    partitioned,
    skipped_by,
    state_loads,
    switched_off,
    tests,
    transformers_gates,
    versions,
    weigh,
)

from .codemod import fix

METHOD, LOADER = "load_state_dict", "from_pretrained"
SINCE = transformers_gates.INIT_ON_META


def trigger(project: Project) -> Iterator[Site]:
    """Loads of a state dict in what training reaches while a model is built."""
    reaches = [project.reach(c.entry) for c in project.contexts if c.entry]
    for found in state_loads(project):
        if any(reach.built_inside(found.function) for reach in reaches):
            yield found


def pattern(node: cst.CSTNode) -> bool:
    """A call of an attribute `load_state_dict` with at least one argument."""
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == METHOD
        and len(node.args) > 0
    )


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    facts = project.index.function(site.function)
    frames = project.frames(site.function)
    gather = next((g for f in frames if (g := gathered_at(project, facts, site.node, f))), None)
    sharded = next((c for c in project.contexts if _partitions(project, c, site)), None)
    if sharded is not None and gather is None:
        note = Note(sharded.launcher or site.at, "a run with ZeRO-3, in which MM103 speaks of this line")
        yield Dismissal(RULE.code, site.at, "under ZeRO-3 it ends in a size mismatch first", (note,))
        return
    nested = any(partitioned(project, site.node.func.value, frame) for frame in frames)
    verdict = weigh(project, site.function, lambda c: _answer(project, c, site, nested), inside=True)
    message, anchor = _message(site), f"{site.symbol}: {ast.unparse(site.node)}"
    yield conclude(RULE.code, site, verdict, message, anchor, tuple(_related(project, site)))


def _partitions(project: Project, context: Context, site: Site) -> bool:
    """Is it a ZeRO-3 run that comes there while a model is built?"""
    inside = context.entry is not None and project.reach(context.entry).built_inside(site.function)
    return inside and context.strategy is Strategy.ZERO3


def _answer(project: Project, context: Context, site: Site, nested: bool) -> Answer:
    """Is what is loaded here lost?"""
    if context.entry is None:
        return Excluded(Note(site.at, "no code is known to run with this configuration"))
    answer = both(_built(project, context, site), _release(context))
    off = switched_off(project, project.index.function(site.function), site.node)
    answer = doubted(answer, f"`{off}`, which nothing in the tree passes" if off else "", plausible=False)
    return doubted(answer, f"whether the {LOADER} inside `__init__` gets that far" if nested else "")


def _built(project: Project, context: Context, site: Site) -> Answer:
    """Does the load run while from_pretrained builds the model?"""
    assert context.entry is not None
    reach = project.reach(context.entry)
    skipped = skipped_by(project, context, site.function, site.node)
    if skipped is not None or not reach.built_inside(site.function):
        return Excluded(skipped or Note(site.at, f"runs outside {LOADER}, on real tensors"))
    known = building(project, context)
    path = reach.path(site.function, inside=True)
    load = next(edge for edge in path if edge.builds)
    if getattr(load.call.func, "attr", "") != LOADER:
        return Excluded(Note(_place(load.caller.function, load.line), f"built without {LOADER}"))
    visits = known.visits.get(site.function, [])
    ways = [(visit, *tests(project, visit, site.node)) for visit in visits]
    stopped = next((dead for _, dead, _ in ways if dead is not None), None)
    stopped = stopped or next((known.blocked[e.callee] for e in path if e.callee in known.blocked), None)
    alive = [(*visit.open, *undecided) for visit, dead, undecided in ways if dead is None]
    if not alive and stopped is not None:
        return Excluded(Note(stopped.at, f"switched off while the model is built: `{stopped.note}`"))
    asked = min(alive, key=len, default=()) if visits else tuple(_asked(project, context, path, site))
    return Unclear(f"`{asked[-1].note}` ({asked[-1].at})", plausible=False) if asked else Fatal()


def _asked(project: Project, context: Context, path: list[Edge], site: Site) -> Iterator[Note]:
    """The tests from the line that builds the model to the load, in a run that is not followed with what it
    passes along."""
    first = next(n for n, edge in enumerate(path) if edge.builds)
    ways = [(edge.caller.function, edge.call) for edge in path[first + 1 :] if edge.site is not None]
    for function, node in (*ways, (site.function, site.node)):
        for test, outcome in flow_of(project, function).tests(node):
            if Settings(project, context).truths(test.test, function) == {outcome}:
                continue
            at = project.place(function.partition("::")[0], test.test)
            yield Note(at, ast.unparse(test.test) if outcome else f"not ({ast.unparse(test.test)})")


def _release(context: Context) -> Answer:
    old = versions.below(context, "transformers", SINCE)
    if old:
        fact = f"which layers these are: transformers before {SINCE} initialises Linear and Embedding anew"
        return Unclear(fact, plausible=False)
    either = versions.contradiction(context, "transformers")
    fact = f"the transformers version{either}: before {SINCE} only Linear and Embedding layers are lost"
    return Unclear(fact, plausible=True) if old is None else Fatal()  # most runs are of such a release


def _place(function: str, line: int) -> Place:
    return Place(function.partition("::")[0], line)


def _related(project: Project, site: Site) -> Iterator[Note]:
    """The line that builds the model."""
    for context in project.contexts:
        path = project.reach(context.entry).path(site.function, inside=True) if context.entry else []
        for edge in [e for e in path if e.builds][:1]:
            yield Note(_place(edge.caller.function, edge.line), f"{LOADER} runs this `__init__`")
            return


def _message(site: Site) -> str:
    return (
        f"What `{ast.unparse(site.node.func)}` loads is lost without an error: {LOADER} is building the "
        f"model here, on the meta device from transformers {SINCE} on, and gives every weight that its own "
        "checkpoint lacks a random value afterwards."
    )


RULE = Rule(
    code="MM122",
    name="load-in-init-is-noop",
    summary="A state dict that is loaded in the __init__ that from_pretrained runs is lost",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
