"""MM112: a second model is cut into shards by its load, and runs without an engine that gathers them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    AuxRun,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Project,
    Rule,
    Seen,
    Severity,
    Site,
    Unclear,
    aux_runs,
    both,
    comes_by,
    comes_sharded,
    conclude,
    config_order,
    doubted,
    flow_of,
    gathered_at,
    site,
    weigh,
    without_zero3,
)

SHOWN = "give it an engine of its own: `deepspeed.initialize` with the configuration less the optimizer"
_RECORDS = ("no_grad", "inference_mode", "autocast", "open")  # managers that leave the parameters alone


def trigger(project: Project) -> Iterator[Site]:
    """The first call of every loaded model that nothing prepares."""
    for found in project.get(aux_runs):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    safe = _safe(project, site)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    found: AuxRun = site.data
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site))
    loaded = Note(project.place(found.loader.partition("::")[0], found.load), "loads it in shards")
    anchor, shown = f"{site.symbol}: {ast.unparse(site.node.func)}", Fix(SHOWN, Applicability.DISPLAY)
    yield conclude(RULE.code, site, verdict, _message(site), anchor, (loaded,), fix=shown)


def _safe(project: Project, site: Site) -> Note | None:
    """A gather around the call, a test on ZeRO-3, or a `with` around the load that may switch ZeRO off."""
    found: AuxRun = site.data
    facts = project.index.function(site.function)
    for frame in project.frames(site.function):
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            return Note(gather, "gathers the parameters around the call")
    for function, node in ((site.function, site.node), (found.loader, found.load)):
        off = without_zero3(project, function, node)
        if off is not None:
            return Note(off.at, "only without ZeRO-3")
    return _switched(project, found)


def _switched(project: Project, found: AuxRun) -> Note | None:
    for around in flow_of(project, found.loader).around(found.load):
        if isinstance(around, (ast.With, ast.AsyncWith)):
            items = [ast.unparse(item.context_expr) for item in around.items]
            if not all(any(word in item for word in _RECORDS) for item in items):
                at = project.place(found.loader.partition("::")[0], around.items[0].context_expr)
                return Note(at, f"`{items[0]}` around the load may switch the sharding off")
    return None


def _answer(project: Project, context: Context, site: Site) -> Answer:
    found: AuxRun = site.data
    if context.entry is None:
        return Excluded(Note(site.at, "its callers decide whether ZeRO-3 runs"))
    answer = comes_sharded(project, context, site.function, site.node)
    for function, node in ((site.function, site.node), (found.loader, found.load)):
        way = comes_by(project, context, function, node)
        if isinstance(way, Excluded):
            return way
        answer = doubted(answer, way.fact) if isinstance(way, Unclear) else answer
    return both(answer, _cut(project, context, found))


def _cut(project: Project, context: Context, found: AuxRun) -> Answer:
    """Does the load cut the parameters up?"""
    known = config_order(project, context).before(found.loader, found.load)
    if known is not None and known.seen is Seen.ALWAYS:
        return Fatal(Note(min(known.at), "transformers knows the configuration from here on"))
    if known is not None and known.seen is Seen.NEVER:
        at = project.place(found.loader.partition("::")[0], found.load)
        return Excluded(Note(at, "loads it before transformers knows the configuration"))
    return Unclear("whether transformers knows the DeepSpeed configuration at the load", plausible=False)


def _message(site: Site) -> str:
    return (
        f"`{ast.unparse(site.node.func)}` runs on empty placeholders: under ZeRO-3 its load has cut the "
        "weights into shards, and no engine gathers them, for nothing hands it to `prepare` or `initialize`."
    )


RULE = Rule(
    code="MM112",
    name="zero3-aux-model-not-prepared",
    summary="A second model is loaded in shards under ZeRO-3, and runs without an engine that gathers them",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
