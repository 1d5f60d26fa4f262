"""Where training code freezes a module, by the last name of what it is held as. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Excluded, Fatal
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.model import Project


@frozen()
class Freeze:
    """`always`: no test decides, and nothing trains it again."""

    module: str
    at: Place
    always: bool
    function: str
    node: ast.AST


@frozen()
class _Switch:
    """A line that switches the gradients of a module off, or on again."""

    module: str
    off: bool
    function: str
    node: ast.AST
    whole: bool = True  # not where it is one entry of a dict or list of modules


_ITSELF = frozenset(
    ("eval", "train", "requires_grad_", "to", "cuda", "cpu", "half", "float", "bfloat16", "double")
)
_ENTRIES = ("values", "items", "keys", "children")
_WHOLE = frozenset(("model", "self", "base_model", "module", "backbone", "net"))


def freezes(project: Project, modules: frozenset[str]) -> list[Freeze]:
    """The places of training code that freeze one of the modules, or may with the whole model."""
    found = [f for f in project.get(_every) if f.module in modules | _WHOLE]
    again = {s.module for s in project.get(_switches) if not s.off} - _WHOLE
    return found + [f for some in project.get(_only_some) for f in _left_frozen(some, modules - again)]


def freezes_inside(project: Project, classes: frozenset[str]) -> list[Freeze]:
    """The places where methods of some classes freeze something of their own."""
    return [f for f in project.get(_every) if f.function.rpartition(".")[0] in classes]


def _only_some(project: Project) -> list[tuple[str, Freeze]]:
    """Where the whole model is frozen but what stands under one name, and that name: `p.requires_grad =
    name.startswith("decoder.")`."""
    found = []
    for facts in project.mentioning("requires_grad"):
        for node in own_nodes(facts.node) if facts.id in project.trained else ():
            kept = _kept(node) if isinstance(node, ast.Assign) else ""
            if kept and kept not in _WHOLE and _owners(project, facts, node)[:1] == ["model"]:
                always = not list(flow_of(project, facts.id).tests(node))
                found.append((kept, Freeze("", project.place(facts.path, node), always, facts.id, node)))
    return found


def _left_frozen(some: tuple[str, Freeze], modules: frozenset[str]) -> list[Freeze]:
    """The freezes of those modules that do not stand under the name."""
    kept, at = some
    others = sorted(m for m in modules if not m.startswith(kept))
    return [Freeze(m, at.at, at.always, at.function, at.node) for m in others]


def _kept(node: ast.Assign) -> str:
    """`decoder` of `p.requires_grad = name.startswith("decoder.")`."""
    match node:
        case ast.Assign(
            targets=[ast.Attribute(attr="requires_grad")],
            value=ast.Call(func=ast.Attribute(attr="startswith"), args=[ast.Constant(value=str(name))]),
        ):
            return name.partition(".")[0]
    return ""


def trains(project: Project, context: Context, module: str) -> bool:
    """Must: do the tests of this run lead it past every line that freezes the module, or behind it to one
    that trains it again?"""
    again = [s for s in project.get(_switches) if s.module == module and not s.off]
    on = [s for s in again if _runs(project, context, s)]
    held = [f for f in project.get(_every) if f.module == module]
    return all(any(_behind(s, f) for s in on) or _led_past(project, context, f) for f in held)


def _runs(project: Project, context: Context, line: _Switch) -> bool:
    reached = context.entry is not None and line.function in project.reach(context.entry)
    return reached and isinstance(comes_by(project, context, line.function, line.node), Fatal)


def _led_past(project: Project, context: Context, freeze: Freeze) -> bool:
    return isinstance(comes_by(project, context, freeze.function, freeze.node), Excluded)


def _behind(line: _Switch, freeze: Freeze) -> bool:
    """Does the line run later: further down, or outside where `__init__` freezes?"""
    if line.function == freeze.function:
        return start_of(freeze.node) < start_of(line.node)
    return freeze.function.endswith(".__init__") and not line.function.endswith(".__init__")


def _switches(project: Project) -> list[_Switch]:
    return [
        _Switch(name.partition("[")[0], off, facts.id, node, "[" not in name)
        for facts in project.mentioning("requires_grad", "get_peft_model")
        if facts.id in project.trained
        for node in own_nodes(facts.node)
        for name, off in _switched(project, facts, node)
    ]


def _every(project: Project) -> list[Freeze]:
    switched = project.get(_switches)
    on_again = {s.module for s in switched if not s.off}
    return [
        Freeze(
            s.module,
            project.place(s.function.partition("::")[0], s.node),
            s.whole and s.module not in on_again and not list(flow_of(project, s.function).tests(s.node)),
            s.function,
            s.node,
        )
        for s in switched
        if s.off
    ]


def _switched(project: Project, facts: FunctionFacts, node: ast.AST) -> Iterator[tuple[str, bool]]:
    """`x` of `a.x.requires_grad_(False)`, of `a.x = build().requires_grad_(False)` and of `for p in
    a.x.parameters(): p.requires_grad = False`, and whether it is switched off; peft's adapters freeze the
    model."""
    if isinstance(node, ast.Call):
        held = _switch(node)
        if held is not None:
            for name in _owners(project, facts, node) or _each(project, facts, _plain(held)):
                yield name, _is_false(*node.args[:1])
        elif unparse(node.func).endswith("get_peft_model"):
            yield "model", True
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        switches = [call for call in _chain(node.value) if _switch(call) is not None]
        if switches:
            yield _last(node.targets[0]), _is_false(*switches[0].args[:1])
        elif node.targets[0].attr == "requires_grad":
            yield from ((n, _is_false(node.value)) for n in _owners(project, facts, node))


def _switch(node: ast.expr) -> ast.expr | None:
    """`x` of `x.requires_grad_(...)`."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) and func.attr == "requires_grad_" else None


def _chain(node: ast.expr) -> Iterator[ast.Call]:
    """`x.eval().to(device)` from its end on: calls that give back the module they are called on."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ITSELF:
        yield node
        node = node.func.value


def _plain(node: ast.expr) -> ast.expr:
    """`x` of `x.eval().to(device)`."""
    last = [call.func.value for call in _chain(node) if isinstance(call.func, ast.Attribute)][-1:]
    return last[0] if last else node


def _each(project: Project, facts: FunctionFacts, held: ast.expr) -> list[str]:
    """The names of `a.x` and `a.y` for the `part` of `for part in (a.x, a.y)`, that of `a.x` for each of its
    entries."""
    for loop in flow_of(project, facts.id).loops(held):
        if isinstance(loop, ast.For) and (entries := _entries(loop, held)) is not None:
            return _names(facts, entries)
        if isinstance(loop, ast.For) and isinstance(loop.iter, (ast.List, ast.Tuple)):
            if unparse(loop.target) == unparse(held):
                return [name for part in loop.iter.elts for name in _names(facts, part)]
    return _names(facts, held)


def _entries(loop: ast.For, held: ast.expr) -> ast.expr | None:
    """`a.x` where the loop goes over all its entries and `held` is the one in hand: `part` of `for part in
    a.x.values()`, `a.x[name]` of `for name in a.x`."""
    over = loop.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr in _ENTRIES:
        over = over.func.value
    given = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    match held:
        case ast.Name(id=name) if name in given and isinstance(over, ast.Attribute):
            return over
        case ast.Subscript(value=inner, slice=ast.Name(id=name)) if name in given:
            return inner if unparse(inner) == unparse(over) else None
    return None


def _names(facts: FunctionFacts, held: ast.expr) -> list[str]:
    """What a module is held as: of a local name, also the attributes that the function keeps it as."""
    kept = []
    if isinstance(held, ast.Name):
        stores = (n for n in own_nodes(facts.node) if isinstance(n, ast.Assign) and len(n.targets) == 1)
        alike = (n.targets[0] for n in stores if unparse(n.value) == held.id)
        kept = [target.attr for target in alike if isinstance(target, ast.Attribute)]
    return list(dict.fromkeys((_last(held), *kept)))


def _is_false(value: ast.expr | None = None) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def _owners(project: Project, facts: FunctionFacts, node: ast.AST) -> list[str]:
    """The modules whose parameters the loop around a line goes over, also those of several, side by side."""
    for loop in flow_of(project, facts.id).loops(node):
        parts = _side_by_side(getattr(loop, "iter", None))
        found = [held for part in parts if (held := _of_parameters(part)) is not None]
        if found and len(found) == len(parts):
            return [name for held in found for name in _each(project, facts, _plain(held))]
    return []


def _side_by_side(each: ast.expr | None) -> list[ast.expr | None]:
    """`a` and `b` of `chain(a, b)`, `[*a, *b]` and `list(a) + list(b)`."""
    match each:
        case ast.Call(args=parts) if _last(each.func) == "chain":
            return [*parts]
        case ast.Call(func=ast.Name("list" | "tuple"), args=[part], keywords=[]):
            return _side_by_side(part)
        case ast.List(elts=[ast.Starred(), *_] as parts) | ast.Tuple(elts=[ast.Starred(), *_] as parts):
            return [part.value if isinstance(part, ast.Starred) else part for part in parts]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_side_by_side(left), *_side_by_side(right)]
    return [each]


def _of_parameters(each: ast.expr | None) -> ast.expr | None:
    """`a.x` of `a.x.parameters()`."""
    method = each.func if isinstance(each, ast.Call) else None
    named = isinstance(method, ast.Attribute) and method.attr in ("parameters", "named_parameters")
    return method.value if named and isinstance(method, ast.Attribute) else None


def _last(expr: ast.expr) -> str:
    """The name as messages have it: `vision_tower` of `model.get_vision_tower()`."""
    return unparse(expr).rpartition(".")[2].removesuffix("()").removeprefix("get_")
