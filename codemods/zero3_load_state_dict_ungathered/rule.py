"""MM103: a state dict is loaded into parameters that ZeRO-3 has partitioned to size 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Finding,
    Frame,
    Note,
    Partitioned,
    Project,
    Rule,
    Severity,
    Site,
    comes_sharded,
    conclude,
    doubted,
    flow_of,
    function_scope,
    gathered_at,
    loaded_part,
    part_saved,
    partitioned,
    state_loads,
    switched_off,
    takes_parts,
    weigh,
    without_zero3,
)

from .codemod import fix

METHOD = "load_state_dict"


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
    receiver = site.node.func.value
    frames = project.frames(site.function)
    for frame in frames:
        gather = gathered_at(project, facts, site.node, frame)
        if gather is not None:
            note = Note(gather, "gathers the parameters around the load")
            yield Dismissal(RULE.code, site.at, "loads inside GatheredParameters", (note,))
            return
    off = without_zero3(project, site.function, site.node)
    if off is not None:
        yield Dismissal(RULE.code, site.at, "runs only without ZeRO-3", (off,))
        return
    if site.function not in project.trained:
        verdict = weigh(project, site.function, lambda context: _answer(project, site, context, ""))
        builds = bool(facts.owner) and project.is_module(f"{facts.path}::{facts.owner}")
        if verdict.severity is None or (builds and facts.name == "__init__"):
            yield from _judged(project, site, None, None)
        return
    held = next((p for f in frames if (p := _held(project, site, f))), None)
    inside = _inside(project, site, receiver, frames)
    if held or inside is not False:
        yield from _judged(project, site, held, inside)


def _held(project: Project, site: Site, frame: Frame) -> Partitioned | None:
    """The receiver itself, or the loaded model of which it is a part."""
    return partitioned(project, site.node.func.value, frame) or loaded_part(project, site.node, frame)


def _inside(project: Project, site: Site, receiver: ast.expr, frames: list[Frame]) -> bool | None:
    """Is the receiver built while a factory builds the model? True on every path seen, None when it is
    also built outside, False when it never is."""
    built = _builders(project, site, receiver, frames)
    reaches = [project.reach(c.entry) for c in project.contexts if c.entry]
    within = any(r.built_inside(f) for r in reaches for f in built)
    outside = any(r.built_outside(f) for r in reaches for f in built)
    return None if within and outside else within


def _builders(project: Project, site: Site, receiver: ast.expr, frames: list[Frame]) -> set[str]:
    """The functions that build the receiver: those that store the attribute, or the class's `__init__`."""
    found: set[str] = set()
    for frame in frames:
        if isinstance(receiver, ast.Attribute):
            for value in project.resolver.infer(receiver.value, frame):
                cls = getattr(value, "cls", "")
                if cls:
                    found |= {f for f, _ in project.resolver.attribute_sources(cls, receiver.attr)}
        elif isinstance(receiver, ast.Name) and receiver.id == "self" and frame.receiver:
            init = project.resolver.classes.find(frame.receiver, "__init__")
            found |= {init} if init else set()
    return found


def _judged(
    project: Project, site: Site, held: Partitioned | None, inside: bool | None
) -> Iterator[Finding | Dismissal]:
    unknown = _unknown(project, site, held, inside)
    asked = _part(project, site) or _handed(site, held) or ("" if unknown else _asked(project, site))
    verdict = weigh(project, site.function, lambda context: _answer(project, site, context, unknown, asked))
    if verdict.severity is None or held or inside is not False:
        message, anchor = _message(site, held, unknown), f"{site.symbol}: {ast.unparse(site.node)}"
        yield conclude(RULE.code, site, verdict, message, anchor, _held_note(held))


def _asked(project: Project, site: Site) -> str:
    """A flag around the load that the function itself works out: nothing shows what it comes to."""
    facts = project.index.function(site.function)
    scope = function_scope(project, facts)
    for around in flow_of(project, facts.id).around(site.node)[1:]:
        if isinstance(around, ast.If) and isinstance(around.test, ast.Name):
            if around.test.id in scope.body.names and around.test.id not in scope.parameters:
                return f"whether `{around.test.id}` holds"
    return ""


def _part(project: Project, site: Site) -> str:
    """A file that holds what was trained, or another part: it may hold none that is partitioned."""
    part = part_saved(project, site.function, site.node)
    what = "whether `{}`, which {} saves with some parameters alone, holds any that is partitioned"
    return what.format(part.name, part.at) if part else ""


def _handed(site: Site, held: Partitioned | None) -> str:
    """A model around parts that it is given ready-made: its own file may hold none of those."""
    if held is None or not held.handed or not takes_parts(site.node):
        return ""
    return f"whether what is loaded holds weights of `{held.name}`, which the model is given ready-made"


def _unknown(project: Project, site: Site, held: Partitioned | None, inside: bool | None) -> str:
    """The deciding fact that the tree leaves open, "" when the receiver is partitioned for certain."""
    off = switched_off(project, project.index.function(site.function), site.node)
    if off:
        return f"`{off}`, which nothing in the tree passes"
    receiver = ast.unparse(site.node.func.value)
    if held is not None and held.certain:
        return ""
    if inside is None:
        return f"whether the checkpoint that is fine-tuned already builds `{receiver}` in from_pretrained"
    return "" if inside else f"which of its classes `{receiver}` is"


def _answer(project: Project, site: Site, context: Context, unknown: str, asked: str = "") -> Answer:
    answer = comes_sharded(project, context, site.function, site.node, unknown)
    return doubted(answer, asked, plausible=False)


def _held_note(held: Partitioned | None) -> tuple[Note, ...]:
    return (Note(held.by, "partitioned here: from_pretrained runs in zero.Init"),) if held else ()


def _message(site: Site, held: Partitioned | None, unknown: str) -> str:
    receiver = ast.unparse(site.node.func.value)
    what = f"`{receiver}.{held.name}`" if held and receiver == "self" else f"`{receiver}`"
    may = "may hold" if unknown else "holds"
    return (
        f"The run dies here with `size mismatch ... torch.Size([0])`: under ZeRO-3 {what} {may} parameters "
        "that from_pretrained has partitioned, and `load_state_dict` copies into them without a gather."
    )


RULE = Rule(
    code="MM103",
    name="zero3-load-state-dict-ungathered",
    summary="A state dict is loaded into parameters that ZeRO-3 has partitioned",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=state_loads,
    pattern=pattern,
    check=check,
    fix=fix,
)
