"""Clips the gradients right before the optimizer uses them.

before: optimizer.step()
after:  torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Grad,
    GradCall,
    Named,
    Project,
    Site,
    Strategy,
    Wanted,
    by_kind,
    edits_between,
    frozen,
    named,
    site,
    trained,
)

CLIP = Wanted("torch.nn.utils.clip_grad_norm_", "torch")


@frozen()
class Loop:
    """A loop (or a function that a loop calls) that runs backward and steps optimizers."""

    function: str
    steps: tuple[GradCall, ...]
    passes: tuple[GradCall, ...]
    clips: tuple[GradCall, ...]
    engines: tuple[GradCall, ...]
    unscales: tuple[GradCall, ...]
    functions: tuple[str, ...]
    beside: tuple[GradCall, ...] = ()  # steps on other sides of a test, which a run may take instead
    idle: tuple[GradCall, ...] = ()  # clips that stand where no gradient is left for them

    @property
    def optimizers(self) -> set[str]:
        return {ast.unparse(s.optimizer) for s in self.steps if s.optimizer}


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """A clip before every step of the loop, where the model that the optimizer trains has a name."""
    loop: Loop = site.data
    if loop.clips or loop.idle or loop.engines or any(s.path != site.path for s in loop.steps):
        return None
    if any(c.strategy is Strategy.FSDP1 for c in project.contexts):
        return None  # FSDP1 clips with a method of the wrapped module
    lines, imports = {}, list[Edit]()
    for step in loop.steps:
        clip = _clip(project, step)
        text = _lines(project, loop, step, clip.text) if clip else ""
        if clip is None or not text:
            return None
        lines[_site(project, step)] = text
        imports += clip.edits if f"{clip.text}(" in text else ()
    edits = clipped(project, site.path, lines)
    if not edits:
        return None
    every = tuple(dict.fromkeys((*imports, *edits)))
    return Fix("clip the gradients to norm 1.0 before the step", Applicability.UNSAFE, every)


def _site(project: Project, call: GradCall) -> Site:
    return site(project, call.function, call.call)


def _lines(project: Project, loop: Loop, step: GradCall, name: str) -> str:
    """The lines before one step, "" when they cannot be written."""
    model = trained.model_here(project, step.optimizer, step.function) if step.optimizer else ""
    accelerated = {p.accelerated for p in loop.passes}
    if not model or len(accelerated) > 1 or step.optimizer is None:
        return ""
    if True in accelerated:
        receivers = {ast.unparse(p.receiver) for p in loop.passes if p.function == step.function}
        here = receivers.pop() if len(receivers) == 1 else ""
        clip = f"{here}.clip_grad_norm_({model}.parameters(), 1.0)"
        return f"if {here}.sync_gradients:\n\t{clip}\n" if here else ""
    clip = f"{name}({model}.parameters(), 1.0)\n"
    if step.kind is Grad.SCALER_STEP and not loop.unscales:
        return f"{ast.unparse(step.receiver)}.unscale_({ast.unparse(step.optimizer)})\n{clip}"
    return clip


def _clip(project: Project, step: GradCall) -> Named | None:
    """What the file calls `clip_grad_norm_` at this step."""
    tree, text = project.index.files[step.path].tree, project.index.text(step.path)
    return named(step.path, text, tree, step.call, CLIP)


# -- the rewrite ----------------------------------------------------------------------------------------


class ClipBeforeSteps(cst.CSTTransformer):
    """Puts lines before the statement that holds each of some calls."""

    def __init__(self, lines: Mapping[cst.CSTNode, str]) -> None:
        super().__init__()
        self.lines = lines
        self.config = cst.PartialParserConfig()
        self._pending = ""
        self.inserted = 0

    def visit_Module(self, node: cst.Module) -> None:
        self.config = node.config_for_parsing

    def visit_Call(self, node: cst.Call) -> None:
        self._pending += self.lines.get(node, "")

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        pending, self._pending = self._pending, ""
        if not pending:
            return updated_node
        self.inserted += 1
        new = cst.parse_module(pending, self.config).body
        return cst.FlattenSentinel([*new, updated_node])


def clipped(project: Project, path: str, lines: Mapping[Site, str]) -> tuple[Edit, ...]:
    """The edits, () when one of the steps cannot be rewritten. Tabs in `lines` are one indentation."""
    text = project.index.text(path)
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError):
        return ()
    calls = by_kind(module, {"Call"})["Call"]
    wanted: dict[cst.CSTNode, str] = {
        calls[step.ordinal]: new.replace("\t", module.default_indent) for step, new in lines.items()
    }
    change = ClipBeforeSteps(wanted)
    changed = module.visit(change)
    return edits_between(path, text, changed.code) if change.inserted == len(lines) else ()
