"""Mixtures of experts: the model that a run trains, as far as its name shows one, and loops of the tree's own
modules that call only some experts, chosen by the data."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.consoles import LEAVES
from mmcodemod.knowledge.moe import LEAF_CALLS, LEAF_FLAG, Family, family_of
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.flow import Flow, flow_of, holds
from mmcodemod.project.hf_loads import METHODS
from mmcodemod.project.modality import in_training
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

_NAMES = (
    "model_name_or_path",
    "model_name",
    "model_id",
    "model",
    "base_model",
    "pretrained_model_name_or_path",
)
_WORDS = ("ixtral", "Moe", "MoE", "-A", "amba", "eepSeek", "eepseek", "glm-4", "GLM-4")
_CHOOSES = ("nonzero", "unique", "where")  # what gives the experts that got tokens
_COUNTS = ("numel", "any", "sum", "size", "nelement", "item", "len", "count_nonzero")


@frozen()
class Loop:
    """A loop in a module that calls `expert` only where the data says so; `test` is what says it."""

    function: str
    node: ast.For
    expert: str
    test: str


def family_in(project: Project, context: Context) -> tuple[Family, Place] | None:
    """The family of the model that a run loads, and where it is named."""
    for name in _NAMES:
        option = context.option(name)
        family = family_of(option.value) if isinstance(option.value, str) else None
        if family and option.at:
            return family, option.at
    reach = project.reach(context.entry) if context.entry else ()
    return next(((f, at) for function, f, at in project.get(_loaded) if function in reach), None)


def own_block(project: Project, context: Context, block: str) -> Note | None:
    """The tree's own class of this name, which the run calls in place of the library's."""
    reach = project.reach(context.entry) if context.entry else ()
    own = (
        facts
        for facts in project.mentioning(block)
        if facts.owner == block and facts.name == "forward" and facts.id in reach
    )
    found = next(own, None)
    note = f"the tree's own {block} is called, which is judged by its code"
    return Note(project.place(found.path, found.node), note) if found else None


def _loaded(project: Project) -> list[tuple[str, Family, Place]]:
    """Loads whose class or constant name shows a family. Use through `project.get`."""
    return [
        (facts.id, family, project.place(facts.path, call))
        for facts in project.mentioning(*_WORDS)
        if facts.id in project.trained and not is_stub(facts.id)
        for call in project.calls_of(facts.id, METHODS)
        if (family := _named(call)) is not None
    ]


def _named(call: ast.Call) -> Family | None:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    cls = getattr(owner, "attr", getattr(owner, "id", ""))
    if cls.endswith(("Config", "Tokenizer", "TokenizerFast", "Processor")):
        return None
    first = call.args[0] if call.args else None
    name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return family_of(cls) or family_of(name)


def leaf_call(project: Project) -> Place | None:
    """Where the tree declares leaf modules itself. Use through `project.get(leaf_call)`."""
    found = (
        project.place(facts.path, node)
        for facts in project.mentioning(*LEAF_CALLS, LEAF_FLAG)
        for node in (*project.calls_of(facts.id, LEAF_CALLS), *_flagged(project, facts))
    )
    return next(found, None)


def _flagged(project: Project, facts: FunctionFacts) -> Iterator[ast.AST]:
    """Where a function sets the attribute that says so: `module._z3_leaf = True`, or by `setattr`."""
    for node in own_nodes(facts.node) if LEAF_FLAG.encode() in project.source(facts) else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Constant(value=True)):
                yield from (node,) if name == LEAF_FLAG else ()
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), flag]):
                yield from (node,) if name == LEAF_FLAG and getattr(flag, "value", None) is True else ()


def leaf_program(context: Context) -> Note | None:
    """Does the installed program that runs declare leaf modules itself?"""
    library = context.entry.library if context.entry else ""
    at = context.begins if library in LEAVES else None
    return Note(at, f"{library} declares leaf modules itself") if at else None


def expert_loops(project: Project) -> list[Loop]:
    """Every such loop of training code. Use through `project.get(expert_loops)`."""
    return [
        loop
        for facts in project.mentioning("experts")
        if facts.owner and facts.id in project.trained and facts.body.loops
        if b"experts" in project.source(facts)
        if project.is_module(f"{facts.path}::{facts.owner}")
        for loop in _loops(project, facts)
    ]


def _loops(project: Project, facts: FunctionFacts) -> Iterator[Loop]:
    nodes = [n for n in own_nodes(facts.node) if isinstance(n, ast.For)]
    for loop in sorted(nodes, key=lambda n: (n.lineno, n.col_offset)):
        calls = [n for n in walk(loop) if isinstance(n, ast.Call) and _is_expert(facts, loop, n.func)]
        if calls and _is_list(project, facts) and not _made_for_all(flow_of(project, facts.id), loop, calls):
            chosen = _chosen(project, facts, loop, calls)
            if chosen:
                yield Loop(facts.id, loop, unparse(calls[0].func), chosen)


def _is_expert(facts: FunctionFacts, loop: ast.For, func: ast.expr) -> bool:
    """`self.experts[i](...)`, or a name that stands for it in the loop."""
    if isinstance(func, ast.Name):
        bound = [n.value for n in walk(loop) if isinstance(n, ast.Assign) and _binds(n.targets, func.id)]
        target = any(isinstance(n, ast.Name) and n.id == func.id for n in walk(loop.target))
        over = "self.experts" in unparse(loop.iter)
        return any(map(_is_item, bound)) or (target and over)
    return _is_item(func)


def _binds(targets: list[ast.expr], name: str) -> bool:
    return any(isinstance(t, ast.Name) and t.id == name for t in targets)


def _is_item(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and unparse(node.value) == "self.experts"


def _is_list(project: Project, facts: FunctionFacts) -> bool:
    """Are the experts modules of their own? Those of one parameter are gathered together."""
    sources = project.resolver.attribute_sources(f"{facts.path}::{facts.owner}", "experts")
    return any("ModuleList" in unparse(source.expr) for _, source in sources)


def _made_for_all(flow: Flow, loop: ast.For, calls: list[ast.Call]) -> bool:
    """Is an expert called on both sides of a test?"""
    arms = (flow.arms(s) for s in flow.statements if isinstance(s, ast.If) and holds(loop, s))
    return any(_calls(sides.true, calls) and _calls(sides.false, calls) for sides in arms)


def _calls(block: Sequence[ast.stmt], calls: list[ast.Call]) -> bool:
    return any(holds(statement, call) for statement in block for call in calls)


def _chosen(project: Project, facts: FunctionFacts, loop: ast.For, calls: list[ast.Call]) -> str:
    """What of the data decides in training: a test inside the loop, or what the loop runs over."""
    for asked, _ in flow_of(project, facts.id).tests(calls[0]):
        if holds(loop, asked) and _counts(asked.test) and in_training(asked.test) is None:
            return unparse(asked.test)
    over = [loop.iter]
    if isinstance(loop.iter, ast.Name):
        over = [s.expr for s in project.resolver.body(facts.id).names.get(loop.iter.id, ())]
    words = {n.attr for e in over for n in walk(e) if isinstance(n, ast.Attribute)}
    return unparse(loop.iter) if words & set(_CHOOSES) else ""


def _counts(test: ast.expr) -> bool:
    """Does a test ask how many tokens there are?"""
    nodes = list(walk(test))
    called = {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in nodes if isinstance(n, ast.Call)}
    shaped = any(isinstance(n, ast.Attribute) and n.attr == "shape" for n in nodes)
    return shaped or bool(called & set(_COUNTS))
