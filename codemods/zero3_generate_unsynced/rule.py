"""MM113: a model in shards generates texts of different lengths, and one rank stops before the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Generation,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    asks_rank,
    both,
    comes_sharded,
    conclude,
    doubted,
    ends_apart,
    flow_of,
    gathered_at,
    generations,
    in_shards,
    of_one_length,
    several_ranks,
    site,
    weigh,
    without_zero3,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Every `generate` of the trained model in code that training reaches."""
    for found in project.get(generations):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call of an attribute."""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    safe = _safe(project, site)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    if _rank_decides(project, site):
        return  # another failure: only some ranks generate
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site))
    yield conclude(RULE.code, site, verdict, _message(site), f"{site.symbol}: {ast.unparse(site.node)}")


def _safe(project: Project, site: Site) -> Note | None:
    found: Generation = site.data
    if found.synced is not None and not _is_false(found.synced):
        return Note(project.place(site.path, found.synced), "says whether ranks wait for each other")
    facts = project.index.function(site.function)
    for frame in project.frames(site.function):
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            return Note(gather, "gathers the parameters around it")
    if of_one_length(project, found.call, site.function):
        return Note(site.at, "asks for texts of one length")
    return without_zero3(project, site.function, site.node)


def _is_false(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is False


def _rank_decides(project: Project, site: Site) -> bool:
    tests = [test.test for test, _ in flow_of(project, site.function).tests(site.node)]
    return any(asks_rank(project, f, t) for f in project.frames(site.function) for t in tests)


def _answer(project: Project, context: Context, site: Site) -> Answer:
    found: Generation = site.data
    answer = comes_sharded(project, context, site.function, site.node)
    if isinstance(answer, Excluded):
        return answer
    for other in (several_ranks(project, context), ends_apart(project, context, found)):
        answer = both(answer, other)
    answer = both(answer, in_shards(project, context, found))
    return doubted(answer, "whether ranks generate for different inputs") if found.alike else answer


def _message(site: Site) -> str:
    text = ast.unparse(site.node.func)
    return (
        f"The run hangs when one rank's text ends before another's: under ZeRO-3 each token of `{text}` "
        "gathers the parameters from all ranks, and without `synced_gpus` a rank that is done takes no part."
    )


RULE = Rule(
    code="MM113",
    name="zero3-generate-unsynced",
    summary="generate on a model in shards without synced_gpus hangs when ranks end at different lengths",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
