"""MM118: a weight is read where DeepSpeed does not gather it under ZeRO-3."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    EMBEDDINGS,
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Origin,
    Project,
    Rule,
    Severity,
    Site,
    Spelling,
    both,
    comes_sharded,
    conclude,
    deepspeed_gates,
    doubted,
    external_reads,
    gathered_at,
    partitioned_by,
    site,
    versions,
    weigh,
    without_zero3,
)

from .codemod import fix

THRESHOLD = "deepspeed.zero_optimization.stage3_param_persistence_threshold"


def trigger(project: Project) -> Iterator[Site]:
    """Every weight of the trained model that is read outside of its forward; of the forwards around the
    engine, one in each function, the first that nothing makes safe."""
    around: dict[str, list[Site]] = {}
    for found in project.get(external_reads.external_reads):
        here = site(project, found.function, found.call, found)
        if isinstance(found, external_reads.Read):
            yield here
        else:
            around.setdefault(found.function, []).append(here)
    for sites in around.values():
        yield next((one for one in sites if _safe(project, one) is None), sites[0])


def pattern(node: cst.CSTNode) -> bool:
    """A call, or a product of matrices."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.MatrixMultiply)
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    safe = _safe(project, site)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site))
    anchor = f"{site.symbol}: {_what(site)}"
    yield conclude(RULE.code, site, verdict, _message(site), anchor, _notes(project, site))


def _safe(project: Project, site: Site) -> Note | None:
    """A gather around the call, or a test on ZeRO-3."""
    facts = project.index.function(site.function)
    for frame in project.frames(site.function):
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            return Note(gather, "gathers parameters around the call")
    off = without_zero3(project, site.function, site.node)
    return Note(off.at, "runs only without ZeRO-3") if off else None


# -- judging ----------------------------------------------------------------------------------------------


def _answer(project: Project, context: Context, site: Site) -> Answer:
    answer = comes_sharded(project, context, site.function, site.node)
    if isinstance(answer, Excluded):
        return answer
    if context.origin is not Origin.CONFIGURED:
        answer = both(answer, partitioned_by(project, context, site.function, site.node, loaded=False))
    if isinstance(site.data, external_reads.Read):
        spelled = Spelling(project, site.function).of(site.data.weight)
        large = any(word in spelled for word in EMBEDDINGS)
        return answer if large else _if_large(answer, context)
    return both(answer, _around(project, context, site))


def _if_large(answer: Answer, context: Context) -> Answer:
    """DeepSpeed leaves small parameters whole."""
    if context.option(THRESHOLD).value == 0:
        return answer
    return doubted(answer, "whether the weight has more elements than `stage3_param_persistence_threshold`")


def _around(project: Project, context: Context, site: Site) -> Answer:
    """Is anything left in shards by a forward around the engine?"""
    older = versions.below(context, "deepspeed", deepspeed_gates.WATCHED_BY_HOOK)
    if older is False and not site.data.part:
        begins = context.begins
        why = versions.pinned(context, "deepspeed", ", which watches every forward of the model")
        return Excluded(why or Note(begins or site.at, "deepspeed watches every forward of the model"))
    if context.origin is Origin.CONFIGURED:
        return Fatal()  # told as what would be, with the condition that the message names
    answer: Answer = Fatal()
    if external_reads.foreign_attention(project) is None:
        answer = doubted(answer, "whether its modules read weights of others", plausible=False)
    if older is None and not site.data.part:
        return doubted(answer, _version(), plausible=False)
    return _if_large(answer, context)


def _version() -> str:
    return f"whether deepspeed is older than {deepspeed_gates.WATCHED_BY_HOOK}"


# -- what is said -----------------------------------------------------------------------------------------


def _message(site: Site) -> str:
    func = _what(site)
    if isinstance(site.data, external_reads.Read):
        return (
            f"`{func}` computes with `{ast.unparse(site.data.weight)}` outside of the model's forward: under "
            "ZeRO-3 an empty placeholder stands in its place here, and the run stops."
        )
    since = "" if site.data.part else f" before {deepspeed_gates.WATCHED_BY_HOOK}"
    return (
        f"`{func}` goes around the DeepSpeed engine: under ZeRO-3, a weight that one module reads of another "
        "(`nn.MultiheadAttention` reads that of its `out_proj`) is then not gathered by "
        f"deepspeed{since}, and the run stops."
    )


def _what(site: Site) -> str:
    """The function that is called; a product as it is written."""
    return ast.unparse(site.node.func if isinstance(site.node, ast.Call) else site.node)


def _notes(project: Project, site: Site) -> tuple[Note, ...]:
    """The module that reads a foreign weight, and further forwards around the engine in the function."""
    if isinstance(site.data, external_reads.Read):
        return ()
    known = external_reads.foreign_attention(project)
    others = (
        Note(project.place(site.path, found.call), "so does this call")
        for found in project.get(external_reads.external_reads)
        if found.function == site.function and found.call is not site.node
        if isinstance(found, external_reads.Around)
    )
    return (*([Note(known, "reads the weight of a module inside it")] if known else ()), *others)


RULE = Rule(
    code="MM118",
    name="zero3-external-parameter",
    summary="A weight is read where DeepSpeed does not gather it under ZeRO-3",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", THRESHOLD),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
