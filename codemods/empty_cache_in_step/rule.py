"""MM602: the cache of the GPU's allocator is emptied in every training step."""

from __future__ import annotations

import ast
import re
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
    Project,
    Rule,
    Severity,
    Site,
    comes_by,
    conclude,
    inference_only,
    per_step,
    site,
    weigh,
)

EMPTY = "empty_cache"
_LIBRARY = re.compile(
    r"torch\.(cuda|npu|xpu|mps|mlu|musa)(\.memory)?\.empty_cache|.*get_accelerator\(\)\.empty_cache"
)


def trigger(project: Project) -> Iterator[Site]:
    """Calls that empty the cache, at the place in a training step by which they run."""
    found: dict[tuple[str, int], per_step.EachStep] = {}
    for facts in project.mentioning(EMPTY):
        for call in project.calls_of(facts.id, (EMPTY,)):
            if not any(_LIBRARY.fullmatch(name) for name in project.names(call.func, facts.id)):
                continue
            for step in per_step.each_step(project, facts.id, call):
                known = found.get((step.function, id(step.node)))
                if known is None or known.guard is not None:
                    found[step.function, id(step.node)] = step
    yield from (site(project, step.function, step.node, step) for step in found.values())


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    step: per_step.EachStep = site.data
    at = inference_only(project, project.index.function(site.function))
    if step.guard is not None:
        yield Dismissal(RULE.code, site.at, step.guard.note, (step.guard,))
    elif at is not None:
        yield Dismissal(RULE.code, site.at, "runs only for inference", (step.why,))
    else:
        verdict = weigh(project, site.function, lambda context: _answer(project, site, context))
        yield conclude(RULE.code, site, verdict, _message(site), ast.unparse(site.node), (step.why,))


def _answer(project: Project, site: Site, context: Context) -> Answer:
    """A step that tests stand in front of is a step all the same, unless the run is kept from it."""
    answer = comes_by(project, context, site.function, site.node)
    return answer if isinstance(answer, Excluded) else Fatal()


def _message(site: Site) -> str:
    return (
        f"`{ast.unparse(site.node)}` empties the cache of the GPU's allocator in every training step: it "
        "waits for the GPU and gives all unused blocks back to the driver, and the next step has to ask for "
        "each of them again."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown: whether the run would be short of memory without it, only a GPU tells."""
    return Fix("empty it every few steps (`torch_empty_cache_steps` of the Trainer), or not at all", SHOWN)


SHOWN = Applicability.DISPLAY

RULE = Rule(
    code="MM602",
    name="empty-cache-in-step",
    summary="The cache of the GPU's allocator is emptied in every training step",
    family="cost",
    severity=Severity.INFO,
    since="0.1.0",
    preview=True,
    options=(),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
