"""MM415: each rank gives its DistributedSampler another seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Bits,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Note,
    Origins,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    both,
    conclude,
    copied,
    doubted,
    frozen,
    ranks_apart,
    samplers,
    several_ranks,
    site,
    weigh,
)

from .codemod import fix


@frozen()
class Seeded:
    """A sampler, its seed, and why ranks may give it different ones."""

    sampler: samplers.Sampler
    seed: ast.expr
    why: Bits


def trigger(project: Project) -> Iterator[Site]:
    """The samplers whose seed depends on the rank, or on what each rank gets for itself."""
    for sampler in project.get(samplers.samplers):
        seed = sampler.given("seed")
        why = ranks_apart(project, sampler.function, seed) if seed is not None else Bits.NONE
        if seed is not None and why & (Bits.RANK | Bits.LOCAL):
            yield site(project, sampler.function, sampler.call, Seeded(sampler, seed, why))


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Seeded = site.data
    at = project.place(site.path, found.seed)
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found))
    anchor = f"{site.symbol}: {ast.unparse(found.seed)}"
    yield conclude(RULE.code, site, verdict, _message(found), anchor, (), at)


def _judge(project: Project, context: Context, found: Seeded) -> Answer:
    settings = Settings(project, context if context.entry else None)
    path, function = found.sampler.function.partition("::")[0], found.sampler.function
    for name, value, reason in (
        ("shuffle", False, "it does not shuffle, so it uses no seed"),
        ("num_replicas", 1, "each rank samples from all of its own data"),
    ):
        given = found.sampler.given(name)
        if given is not None and {s.value for s in settings.of(given, function)} == {value}:
            return Excluded(Note(project.place(path, given), reason))
    answer = several_ranks(project, context)
    copy = copied(project, found.sampler, found.seed)
    if copy is not None:
        return both(answer, copy)
    if not found.why & Bits.RANK:
        return doubted(answer, "whether all ranks draw the same number", plausible=False)
    return doubted(answer, _kept(project, found), plausible=False)


def _kept(project: Project, found: Seeded) -> str:
    """The open fact about a seed that is an item of something else; "" for one that is worked out."""
    origins = Origins(project).of(found.seed, found.sampler.function)
    apart = [o.expr for o in origins if ranks_apart(project, o.function, o.expr) & Bits.RANK]
    kept = apart and all(isinstance(expr, (ast.Subscript, ast.Attribute)) for expr in apart)
    return f"whether `{ast.unparse(apart[0])}` holds the rank's own number" if kept else ""


def _message(found: Seeded) -> str:
    return (
        f"Each rank shuffles with a seed of its own, `{ast.unparse(found.seed)}`, and takes its share of "
        "another order: in one epoch some samples are seen several times and others never, and no error says "
        "so."
    )


RULE = Rule(
    code="MM415",
    name="rank-dependent-sampler-seed",
    summary="Each rank gives its DistributedSampler another seed",
    family="collectives",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
