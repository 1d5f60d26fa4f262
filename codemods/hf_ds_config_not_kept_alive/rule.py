"""MM121: nothing keeps the DeepSpeed configuration that transformers is told of, so it is forgotten."""

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
    HfConfig,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    comes_sharded,
    conclude,
    config_order,
    hf_configs,
    site,
    unknown_at,
    weigh,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Every `HfDeepSpeedConfig(...)` that training comes to."""
    for found in project.get(hf_configs):
        yield site(project, found.function, found.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: HfConfig = site.data
    if not found.lost:
        yield Dismissal(RULE.code, site.at, "the object is kept", (Note(site.at, "something holds it"),))
        return
    if not found.needed:
        note = Note(site.at, "no load of the trained model comes after it without a configuration")
        yield Dismissal(RULE.code, site.at, "no load misses it", (note,))
        return
    verdict = weigh(project, found.needed[0][0], lambda context: _answer(project, context, site))
    if verdict.severity is not None:
        verdict.severity = verdict.severity.capped(Severity.WARNING)
    anchor = f"{site.symbol}: {ast.unparse(site.node)}"
    yield conclude(RULE.code, site, verdict, _message(found), anchor, tuple(_notes(project, found)))


def _answer(project: Project, context: Context, site: Site) -> Answer:
    """Does the run load the model under ZeRO-3 without a configuration?"""
    function, load = site.data.needed[0]
    if not unknown_at(project, context, function, load.call, site.at):
        state = config_order(project, context).before(function, load.call)
        at = min(state.at) if state and state.at else project.place(function.partition("::")[0], load.at)
        return Excluded(Note(at, "the DeepSpeed configuration is known to this load"))
    return comes_sharded(project, context, function, load.call)


def _notes(project: Project, found: HfConfig) -> Iterator[Note]:
    for function, load in found.needed[:3]:
        at = project.place(function.partition("::")[0], load.at)
        yield Note(at, f"`{load.short}` is loaded whole on every rank")


def _message(found: HfConfig) -> str:
    load = found.needed[0][1].short
    gone = "nothing takes this object" if found.dropped else f"`{found.local}` ends with this function"
    return (
        f"Every rank loads the whole `{load}` in place of its share: {gone}, and transformers holds a weak "
        "reference alone, so it has forgotten the DeepSpeed configuration by then."
    )


RULE = Rule(
    code="MM121",
    name="hf-ds-config-not-kept-alive",
    summary="HfDeepSpeedConfig is dropped before the model is loaded, so every rank loads it whole",
    family="sharding",
    severity=Severity.WARNING,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
