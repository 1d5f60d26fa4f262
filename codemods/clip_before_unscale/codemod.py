"""Takes the loss scale off the gradients before they are clipped.

before: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
after:  scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
"""

from __future__ import annotations

import ast

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Grad,
    GradCall,
    Gradients,
    Project,
    Site,
    before,
    by_kind,
    edits_between,
    flow_of,
    frozen,
    site,
)

Conditions = dict[str, tuple[ast.expr, bool]]


@frozen()
class Level:
    """`node` runs the clip in `function`: the clip itself, or the call of a helper that clips."""

    function: str
    node: ast.Call


@frozen()
class Clip:
    """A clip after a scaled backward pass. `home` is where the scaler steps (else where the clip stands),
    `top` where the backward pass is; `unscale` is what comes between, `sure` if it always does."""

    call: GradCall
    home: Level
    top: Level
    backward: GradCall
    step: GradCall | None
    unscale: GradCall | None
    sure: bool


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """`scaler.unscale_(optimizer)` before the clip, where it runs exactly once per step."""
    clip: Clip = site.data
    if clip.step is None or clip.step.optimizer is None or clip.unscale or not _once(project, clip):
        return None
    guard = _guard(project, clip)
    if guard is None:
        return None
    line = f"{ast.unparse(clip.step.receiver)}.unscale_({ast.unparse(clip.step.optimizer)})\n"
    lines = f"if {guard}:\n\t{line}" if guard else line
    later = _later(project, clip)
    if len(later) > 1:
        return None
    moved = _site(project, later[0]) if later else None
    edits = unscaled(project, site, moved, lines)
    title = f"{'move' if later else 'add'} `{line.strip()}` before the clip"
    return Fix(title, Applicability.SAFE, edits) if edits else None


def _site(project: Project, call: GradCall) -> Site:
    return site(project, call.function, call.call)


def _once(project: Project, clip: Clip) -> bool:
    """Is there one clip for each step? `unscale_` may run only once between two updates."""
    assert clip.step is not None
    gradients = project.get(Gradients)
    function = clip.home.function
    flow = flow_of(project, function)
    if flow.loop_of(clip.home.node) is not flow.loop_of(clip.step.call):
        return False
    known = gradients.conditions(function, clip.home.node) | _scaling(gradients, clip)
    return all(text in known for text in gradients.conditions(function, clip.step.call))


def _scaling(gradients: Gradients, clip: Clip) -> Conditions:
    """The conditions of the scaled backward pass, as far as the fixed function asks them."""
    return gradients.conditions(clip.top.function, clip.backward.top) if _here(clip) else {}


def _here(clip: Clip) -> bool:
    return clip.top.function == clip.home.function


def _guard(project: Project, clip: Clip) -> str | None:
    """The test under which there is a scale to take off: "" when there always is, None when it is not
    one test."""
    assert clip.step is not None
    gradients = project.get(Gradients)
    given = gradients.conditions(clip.home.function, clip.home.node)
    needed = gradients.conditions(clip.home.function, clip.step.call) | _scaling(gradients, clip)
    open_ = [(test, outcome) for text, (test, outcome) in needed.items() if text not in given]
    if not open_:
        return ""
    return _test(*open_[0]) if len(open_) == 1 else None


def _test(test: ast.expr, outcome: bool) -> str:
    """The test as it has to be asked to get the outcome of its normalised form."""
    negated = isinstance(test, ast.UnaryOp) or (
        isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and _is_none(test)
    )
    text = ast.unparse(test)
    return text if outcome is not negated else f"not ({text})"


def _is_none(test: ast.Compare) -> bool:
    right = test.comparators[0]
    return isinstance(right, ast.Constant) and right.value is None


def _later(project: Project, clip: Clip) -> list[GradCall]:
    """`unscale_` of the same optimizer that comes too late, between the clip and the step."""
    assert clip.step is not None and clip.step.optimizer is not None
    wanted = ast.unparse(clip.step.optimizer)
    return [
        g
        for g in project.get(Gradients).own(clip.home.function)
        if g.kind is Grad.UNSCALE
        and before(clip.home.node, g.call)
        and before(g.call, clip.step.call)
        and g.optimizer
        and ast.unparse(g.optimizer) == wanted
    ]


# -- the rewrite ----------------------------------------------------------------------------------------


class Unscale(cst.CSTTransformer):
    """Puts `lines` before the statement that holds `clip`, and drops the statement that is `moved`."""

    def __init__(self, clip: cst.CSTNode, moved: cst.CSTNode | None, lines: str) -> None:
        super().__init__()
        self.clip, self.moved, self.lines = clip, moved, lines
        self.config = cst.PartialParserConfig()
        self._in_clip = self._in_moved = False
        self.inserted = False
        self.removed = moved is None

    def visit_Module(self, node: cst.Module) -> None:
        self.config = node.config_for_parsing

    def visit_Call(self, node: cst.Call) -> None:
        self._in_clip = self._in_clip or node is self.clip
        self._in_moved = self._in_moved or node is self.moved

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        in_clip, in_moved = self._in_clip, self._in_moved
        self._in_clip = self._in_moved = False
        if in_moved and len(original_node.body) == 1:
            self.removed = True
            return cst.RemoveFromParent()
        if not in_clip:
            return updated_node
        self.inserted = True
        return cst.FlattenSentinel([cst.parse_statement(self.lines, self.config), updated_node])


def unscaled(project: Project, clip: Site, moved: Site | None, lines: str) -> tuple[Edit, ...]:
    """The edits, () when the code cannot be rewritten."""
    text = project.index.text(clip.path)
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError):
        return ()
    calls = by_kind(module, {"Call"})["Call"]
    lines = lines.replace("\t", module.default_indent)
    change = Unscale(calls[clip.ordinal], calls[moved.ordinal] if moved else None, lines)
    changed = module.visit(change)
    return edits_between(clip.path, text, changed.code) if change.inserted and change.removed else ()
