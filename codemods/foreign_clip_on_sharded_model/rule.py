"""MM305: the gradients of a sharded model are clipped by the norm of one rank's shards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    both,
    comes_by,
    comes_to,
    conclude,
    doubted,
    foreign_clips,
    several_ranks,
    site,
    weigh,
)

from .codemod import fix

KEYWORD = "sharding_strategy"
_POSITION = 2  # FullyShardedDataParallel(module, process_group, sharding_strategy, ...)
WHOLE = "NO_SHARD"
SHARDS = ("FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2")


def trigger(project: Project) -> Iterator[Site]:
    """Clips of torch on the parameters of a model that FSDP wraps."""
    for found in project.get(foreign_clips.foreign_clips):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: foreign_clips.ForeignClip = site.data
    other = foreign_clips.own_clip(project, found)
    if other is not None:
        yield Dismissal(RULE.code, site.at, "the sharded model has an arm of its own", (other,))
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found))
    origin = found.origin
    at = project.place(origin.function.partition("::")[0], origin.expr)
    message = (
        f"`{ast.unparse(found.call.func)}` sees the shards of its own rank alone: each rank scales its part "
        f"of `{ast.unparse(found.model)}` by another factor, none of them that of the whole norm."
    )
    yield conclude(
        RULE.code, site, verdict, message, ast.unparse(site.node), (Note(at, "the model is sharded here"),)
    )


def _judge(project: Project, context: Context, found: foreign_clips.ForeignClip) -> Answer:
    origin = found.origin
    shards = comes_by(project, context, origin.function, origin.expr)
    if isinstance(shards, Excluded):
        return shards
    tests = both(
        comes_to(project, context, found.function, found.call),
        comes_to(project, context, origin.function, origin.expr),
    )
    told = foreign_clips.chosen(project, found.origin)
    answer = both(both(several_ranks(project, context), _sharded(project, found)), tests)
    if found.mixed and not told:
        return doubted(answer, "which of its wrappers holds the model", plausible=False)
    return answer


def _sharded(project: Project, found: foreign_clips.ForeignClip) -> Answer:
    """FSDP shards unless it is told not to."""
    origin = found.origin
    call = origin.expr
    if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
        return Unclear("what FSDP is given", plausible=False)
    given = next((k.value for k in call.keywords if k.arg == KEYWORD), None)
    given = call.args[_POSITION] if given is None and len(call.args) > _POSITION else given
    if given is None:
        return Fatal()
    members = {n.rpartition(".")[2] for n in project.names(given, origin.function)}
    if members == {WHOLE}:
        at = project.place(origin.function.partition("::")[0], given)
        return Excluded(Note(at, "nothing is sharded: each rank holds all gradients"))
    return Fatal() if members and members <= {*SHARDS} else Unclear(f"whether `{ast.unparse(given)}` shards")


RULE = Rule(
    code="MM305",
    name="foreign-clip-on-sharded-model",
    summary="The gradients of a sharded model are clipped by the norm of one rank's shards",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
