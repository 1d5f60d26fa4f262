"""MM411: every rank maps the whole dataset for itself before training."""

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
    Finding,
    Fix,
    Project,
    Rule,
    Severity,
    Site,
    both,
    comes_by,
    conclude,
    mapped_everywhere,
    several_ranks,
    site,
    weigh,
)

Mapped = mapped_everywhere.Mapped


def trigger(project: Project) -> Iterator[Site]:
    """Calls that go through all examples of a dataset and write them to disk."""
    for found in project.get(mapped_everywhere.mapped):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Mapped = site.data
    if found.safe is not None:
        yield Dismissal(RULE.code, site.head, found.safe.note, (found.safe,))
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found))
    anchor = f"{found.method}: {ast.unparse(site.node)}"
    yield conclude(RULE.code, site, verdict, _message(found), anchor, (), site.head)


def _judge(project: Project, context: Context, found: Mapped) -> Answer:
    way = comes_by(project, context, found.function, found.call)
    return way if isinstance(way, Excluded) else both(several_ranks(project, context), way)


def _message(found: Mapped) -> str:
    return (
        f"Every rank runs `{found.method}` over the whole dataset by itself: the ranks of a machine do the "
        "same work at the same time, share its cores and memory for it, and write the same cache."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown: it changes who waits for whom, and long work needs a longer timeout then (MM410)."""
    return Fix(
        "let the main rank go first, as `with training_args.main_process_first():` does (see MM410)", SHOWN
    )


SHOWN = Applicability.DISPLAY

RULE = Rule(
    code="MM411",
    name="preprocess-on-every-rank",
    summary="Every rank maps the whole dataset for itself before training",
    family="collectives",
    severity=Severity.INFO,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
