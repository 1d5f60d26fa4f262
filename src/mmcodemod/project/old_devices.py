"""Code that runs only on devices without bfloat16: what tests come to on a GPU that has it. May-analysis; a
test that asks for anything else leaves both sides open."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.origins import BOTH, Origins

# True on every GPU that has bfloat16
SUPPORT = {
    "torch.cuda.is_available",
    "torch.cuda.is_bf16_supported",
    "transformers.utils.is_torch_bf16_available",
    "transformers.utils.is_torch_bf16_gpu_available",
    "transformers.utils.import_utils.is_torch_bf16_available",
    "transformers.utils.import_utils.is_torch_bf16_gpu_available",
    "accelerate.utils.is_bf16_available",
}
CAPABILITY = "torch.cuda.get_device_capability"
AMPERE = 8  # the first major capability with bfloat16, in NVIDIA's table of compute capabilities


def without_bf16(project: Project, at: Place) -> Note | None:
    """The test because of which a place of a Python file is not reached on a GPU that has bfloat16."""
    for facts in project.index.files[at.path].functions.values() if at.path.endswith(".py") else ():
        flow = flow_of(project, facts.id)
        held = [s for s in flow.statements if s.lineno <= at.line <= (s.end_lineno or s.lineno)]
        for asked, outcome in flow.tests(held[-1]) if held else ():
            if outcome not in _truths(project, asked.test, facts.id):
                place = project.place(at.path, asked.test)
                return Note(place, f"`{unparse(asked.test)}` asks whether the GPU has bfloat16")
    return None


def _truths(project: Project, test: ast.expr, function: str) -> frozenset[bool]:
    """The outcomes of a test on a GPU that has bfloat16."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return frozenset(not t for t in _truths(project, test.operand, function))
    if isinstance(test, ast.BoolOp):
        parts = [_truths(project, value, function) for value in test.values]
        deciding = isinstance(test.op, ast.Or)
        if {deciding} in parts:
            return frozenset((deciding,))
        return frozenset((not deciding,)) if all(p == {not deciding} for p in parts) else BOTH
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(project, test, function)
    return _followed(project, test, function)


def _followed(project: Project, test: ast.expr, function: str) -> frozenset[bool]:
    """A name, or a call of the library or of the tree."""
    if isinstance(test, ast.Call) and project.names(test.func, function) & SUPPORT:
        return frozenset((True,))
    found = (
        Origins(project).of(test, function) if isinstance(test, (ast.Name, ast.Attribute, ast.Call)) else []
    )
    nearer = [o for o in found if o.expr is not test]
    if not nearer or len(nearer) < len(found):
        return BOTH
    return frozenset(t for o in nearer for t in _truths(project, o.expr, o.function))


def _compared(project: Project, test: ast.Compare, function: str) -> frozenset[bool]:
    """`get_device_capability() >= (8, 0)`, `get_device_capability()[0] < 8`."""
    asked, bound = test.left, _major(test.comparators[0])
    asked = asked.value if isinstance(asked, ast.Subscript) else asked
    origins = Origins(project).of(asked, function) if isinstance(asked, (ast.Name, ast.Call)) else []
    calls = [o for o in origins if isinstance(o.expr, ast.Call)]
    if bound is None or not calls or len(calls) < len(origins):
        return BOTH
    if not all(_asks_capability(project, o.expr, o.function) for o in calls):
        return BOTH
    least = {ast.GtE: True, ast.Lt: False}.get(test.ops[0].__class__)
    return frozenset((least,)) if least is not None and bound <= AMPERE else BOTH


def _asks_capability(project: Project, expr: ast.expr, function: str) -> bool:
    return isinstance(expr, ast.Call) and CAPABILITY in project.names(expr.func, function)


def _major(bound: ast.expr) -> int | None:
    """The major part of `8` or `(8, 0)`."""
    first = bound.elts[0] if isinstance(bound, ast.Tuple) and bound.elts else bound
    number = first.value if isinstance(first, ast.Constant) else None
    return number if isinstance(number, int) else None
