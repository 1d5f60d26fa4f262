"""Optimizers that step through a GradScaler, and whose parameters a line before made float16. Must-analysis
of the lines of one function: whatever could make some of them float32 again ends the trail.

Source: torch/amp/grad_scaler.py, `_unscale_grads_`: "Attempting to unscale FP16 gradients."
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import holds
from mmcodemod.project.gradients import Grad, GradCall, Gradients, before
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.trained import builders, owners

_HALF = ("torch.float16", "torch.half")
_DTYPES = ("torch_dtype", "dtype")
_MADE_OF = ("from_pretrained", "from_config")
_KEEPS = (
    "cuda", "train", "eval", "parameters", "named_parameters", "state_dict", "zero_grad", "children",
    "modules", "named_modules", "gradient_checkpointing_enable", "enable_input_require_grads",
)  # fmt: skip
_TAKES = ("torch.nn.parallel.DistributedDataParallel", "torch.compile", "torch.nn.DataParallel")
_TORCH = ("torch.optim.", "bitsandbytes.optim.")
_SHARDED = "ShardedGradScaler"


@frozen()
class HalfParameters:
    """`made` in `function` makes the parameters of `model` float16; `built` is the optimizer that is given
    them, and `step` what unscales their gradients."""

    function: str
    made: ast.Call
    model: str
    built: ast.Call
    step: GradCall


def half_parameters(project: Project) -> list[HalfParameters]:
    """One for each line that makes them so. Use through `project.get(half_parameters)`."""
    found: dict[tuple[str, int, int], HalfParameters] = {}
    if not any(True for _ in project.mentioning("GradScaler")):
        return []
    for facts in project.mentioning(".step(", "unscale_"):
        for step in project.get(Gradients).own(facts.id):
            for half in _of(project, step) if step.kind in (Grad.SCALER_STEP, Grad.UNSCALE) else ():
                found.setdefault((half.function, half.made.lineno, half.made.col_offset), half)
    return list(found.values())


def _of(project: Project, step: GradCall) -> Iterator[HalfParameters]:
    if step.optimizer is None or not step.call.args or any(_SHARDED in name for name in step.names):
        return
    for built in builders(project, step.optimizer, step.function):
        owned = owners(project, built) if _of_torch(project, built) else []
        for owner in owned if len(owned) == 1 and owned[0].function == built.function else ():
            made = _made_half(project, owner, built)
            if made is not None and isinstance(built.expr, ast.Call):
                yield HalfParameters(owner.function, made, unparse(owner.expr), built.expr, step)


def _of_torch(project: Project, built: Origin) -> bool:
    names = project.names(built.expr.func, built.function) if isinstance(built.expr, ast.Call) else set()
    return any(name.startswith(_TORCH) for name in names)


def _made_half(project: Project, owner: Origin, built: Origin) -> ast.Call | None:
    """The line that makes a model float16 before the optimizer is built, where nothing between the two may
    undo it."""
    text, last = unparse(owner.expr), None
    nodes = own_nodes(project.index.function(owner.function).node)
    statements = [n for n in nodes if isinstance(n, ast.stmt) and before(n, built.expr)]
    for node in sorted(statements, key=lambda n: n.lineno):
        touches = any(unparse(n) == text for n in _parts(node))
        if not touches or holds(node, built.expr):
            continue
        last = _after(project, owner.function, text, node, last)
    return last


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The names and attributes of a statement, without those of the statements inside."""
    todo: list[ast.AST] = list(ast.iter_child_nodes(statement))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            continue
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield node
        todo += ast.iter_child_nodes(node)


def _after(
    project: Project, function: str, text: str, node: ast.stmt, last: ast.Call | None
) -> ast.Call | None:
    """What has made the model float16 after one more statement that names it."""
    value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    stored = [unparse(t) for t in node.targets] if isinstance(node, ast.Assign) else []
    if value is None or (stored and stored != [text]):
        read_only = isinstance(node, (ast.If, ast.Assert)) or (
            value is not None and _reads(value, text, stored)
        )
        return last if read_only else None
    if not isinstance(value, ast.Call):
        return None
    return _called(project, function, text, value, last)


def _reads(value: ast.expr, text: str, stored: list[str]) -> bool:
    """Is something else made of the model's parameters, and nothing stored into the model?"""
    calls = [n for n in walk(value) if isinstance(n, ast.Call)]
    plain = not any(s.startswith(f"{text}.") for s in stored)
    return plain and all(
        _on(c, text) and c.func.attr in _KEEPS for c in calls if isinstance(c.func, ast.Attribute)
    )


def _on(call: ast.Call, text: str) -> bool:
    return isinstance(call.func, ast.Attribute) and unparse(call.func.value) == text


def _called(
    project: Project, function: str, text: str, call: ast.Call, last: ast.Call | None
) -> ast.Call | None:
    """The same through a chain of methods: `build().half().cuda()`, innermost first."""
    func = call.func
    names = project.names(func, function)
    if names & {*_TAKES} and call.args and unparse(call.args[0]) == text:
        return last
    if isinstance(func, ast.Attribute) and func.attr in _MADE_OF:
        return call if _dtype(project, function, call) is True else None
    if not isinstance(func, ast.Attribute):
        return None
    inner = func.value
    if isinstance(inner, ast.Call):
        last = _called(project, function, text, inner, None)
    elif unparse(inner) != text:
        return None
    if func.attr == "half":
        return call
    if func.attr == "to":
        half = _dtype(project, function, call)
        return call if half else last if half is None else None
    return last if func.attr in _KEEPS else None


def _dtype(project: Project, function: str, call: ast.Call) -> bool | None:
    """True for float16, None where no type is named, False for another or one that does not show."""
    named = [k.value for k in call.keywords if k.arg in _DTYPES]
    given = named or [a for a in call.args if not _device(a)]
    if any(k.arg is None for k in call.keywords):
        return False
    if not given or (isinstance(call.func, ast.Attribute) and call.func.attr in _MADE_OF and not named):
        return None
    return all(bool(project.names(g, function) & {*_HALF}) for g in given)


def _device(expr: ast.expr) -> bool:
    """`"cuda"`, `device`, `args.gpu`, `0`"""
    if isinstance(expr, ast.Constant):
        return True
    text = unparse(expr).lower()
    return "dtype" not in text and any(word in text for word in ("device", "gpu", "rank"))
