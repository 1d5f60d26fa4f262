"""Objects that load the weights back after they trained, as a learning-rate range test does: from a file that
they save and remove themselves. May-analysis of the methods of one class."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project

_REMOVES = ("remove", "unlink")


def loaded_back(project: Project, function: str) -> Place | None:
    """Where an object with this method loads the weights back; None where it does not."""
    facts = project.index.function(function)
    if not facts.owner or b"load_state_dict" not in project.tree.read_bytes(facts.path):
        return None
    own = f"{facts.qualname.rpartition('.')[0]}."
    methods = [f for f in project.index.files[facts.path].functions.values() if f.qualname.startswith(own)]
    calls = [n for f in methods for n in own_nodes(f.node) if isinstance(n, ast.Call)]
    removed = {held for c in calls if _word(c) in _REMOVES for held in _held(c)}
    saved = {t for f in methods for n in own_nodes(f.node) for t in _saved(n)}
    back = (c for c in calls if "load" in _word(c) and _held(c) & removed & saved)
    call = next(back, None)
    return project.place(facts.path, call) if call is not None else None


def _word(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _held(call: ast.Call) -> set[str]:
    """The attributes of the object that a call is given."""
    return {unparse(a) for a in call.args if isinstance(a, ast.Attribute)}


def _saved(node: ast.AST) -> set[str]:
    """The attribute that keeps the name of a saved file."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and "save" in _word(node.value):
        return {unparse(t) for t in node.targets if isinstance(t, ast.Attribute)}
    return set()
