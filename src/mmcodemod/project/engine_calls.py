"""Code that is written for DeepSpeed: it saves or loads by a method that only DeepSpeed's engine has, or it
reads the plugin that Accelerate keeps at None without DeepSpeed. May-analysis: a method of that name
which the tree defines does not count."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import blocks
from mmcodemod.model.context import Entry
from mmcodemod.model.grade import How
from mmcodemod.model.place import Place
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project

_PLUGIN = "deepspeed_plugin"
_OWN = ("save_checkpoint", "load_checkpoint", "save_16bit_model", "save_fp16_model")


def engine_call(project: Project, entry: Entry | None) -> Place | None:
    """The first such call on a variable, or read, in code that the run reaches."""
    reach = project.reach(entry) if entry is not None else ()
    plugin = next((at for function, at in project.get(_plugin_reads) if function in reach), None)
    if plugin is not None:
        return plugin
    for facts in project.mentioning(*(f".{name}(" for name in _OWN)):
        for call in project.calls_of(facts.id, _OWN) if facts.id in reach else ():
            if _on_variable(call) and not _of_tree(project, facts.id, call):
                return project.place(facts.path, call)
    return None


def _plugin_reads(project: Project) -> list[tuple[str, Place]]:
    """Where functions read something of `deepspeed_plugin` whatever any test says: AttributeError without it
    (accelerate/state.py, `AcceleratorState`). Use through `project.get`."""
    found = []
    for facts in project.mentioning(f".{_PLUGIN}."):
        if _PLUGIN.encode() in project.source(facts):
            for statement in flow_of(project, facts.id).statements:
                found += [
                    (facts.id, project.place(facts.path, n))
                    for n in _plain_reads(project, facts.id, statement)
                ]
    return found


def _plain_reads(project: Project, function: str, statement: ast.stmt) -> list[ast.Attribute]:
    if flow_of(project, function).tests(statement) or any(blocks(statement)):
        return []
    parts = list(own_nodes(statement))
    reads = [n for n in parts if isinstance(n, ast.Attribute) and _is_plugin(n.value)]
    return [] if any(isinstance(n, (ast.IfExp, ast.BoolOp)) for n in parts) else reads


def _is_plugin(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == _PLUGIN


def _on_variable(call: ast.Call) -> bool:
    """`model.save_checkpoint(...)`: not a module's function, nor a method of the object's own class."""
    func = call.func
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id != "self"


def _of_tree(project: Project, function: str, call: ast.Call) -> bool:
    """Does the call graph know a function of the tree, or of another library, behind the call?"""
    edges = [e for frame in project.frames(function) for e in project.graph.edges.get(frame, ())]
    known = [e for e in edges if e.site is not None and e.how is not How.NAME_ONLY and e.call is call]
    return any("deepspeed" not in e.callee.function for e in known)
