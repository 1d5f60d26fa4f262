"""Why a call could not be resolved, in words, decided from what the resolver knows of the callee: it is an
object of a library, a parameter that nothing passes, a name that nothing defines, or not known at all."""

from __future__ import annotations

import ast
import builtins
from posixpath import commonprefix

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.callmap import Doubt, Unknown
from mmcodemod.project.asked import Asked
from mmcodemod.project.callgraph import CallGraph, Unresolved
from mmcodemod.project.edges import callee_of, line_of, trusting_calls
from mmcodemod.project.frame import Frame
from mmcodemod.project.naming import Naming
from mmcodemod.project.stubs import MODELS, class_of
from mmcodemod.project.values import (
    Bound,
    ClassRef,
    FunctionRef,
    Instance,
    Items,
    Made,
    Mapping,
    Super,
    Text,
    Value,
    ordered,
)

LONGEST = 60  # characters of a callee as written
_LOADERS = (".from_pretrained", ".from_config")
_BUILTIN = {Items: "a list, tuple or set", Mapping: "a dict", Text: "a string"}
OBJECTS = ("remote-code", "library-object", "parameter", "value")
"""Kinds of callees that may be any object, so that the call may run any `__call__` or `forward`."""


class Reasons:
    """Explains the unresolved calls of one graph."""

    def __init__(self, resolver: Asked, graph: CallGraph, naming: Naming) -> None:
        self._resolver = resolver
        self._naming = naming
        self._remote = _remote_loads(graph)

    def of(self, call: Unresolved) -> Unknown:
        """The call with the reason why nothing is known."""
        expr = callee_of(call)
        kind, reason = self._reason(expr, call.caller)
        path = call.caller.function.partition("::")[0]
        caller = self._naming.function(call.caller.function)
        return Unknown(caller, written(expr), path, line_of(call), kind, reason)

    def _reason(self, expr: ast.expr, frame: Frame) -> tuple[Doubt, str]:
        for value in ordered(self._resolver.infer(expr, frame)):
            if isinstance(value, Made):
                return self._made(written(expr), value, frame)
            if isinstance(value, (FunctionRef, Bound, ClassRef, Instance)):
                return self._refused(written(expr), value)
        if isinstance(expr, ast.Attribute):
            return self._member(expr, frame)
        if isinstance(expr, ast.Name):
            return self._name(expr.id, frame)
        if isinstance(expr, ast.Subscript):
            return "value", f"which entry of `{written(expr.value)}` is meant is not known"
        return "value", _unknown(written(expr))

    def _refused(self, name: str, value: FunctionRef | Bound | ClassRef | Instance) -> tuple[Doubt, str]:
        """The callee is known, and cannot be called like this."""
        known = value.function if isinstance(value, (FunctionRef, Bound)) else class_of(value.cls)
        return "arguments", f"`{name}` is {self._naming.function(known)}, which does not take these arguments"

    def _made(self, name: str, value: Made, frame: Frame) -> tuple[Doubt, str]:
        """The callee is what a library call returned."""
        places = self._remote.get(value.by)
        if places is None:
            return "library-object", f"`{name}` comes from {value.by}(), {_UNSEEN}"
        by = f"{value.by}(trust_remote_code=True) ({_nearest(places, frame)})"
        return "remote-code", f"{_unknown(name)}: it comes from {by}, {_UNSEEN}"

    def _member(self, expr: ast.Attribute, frame: Frame) -> tuple[Doubt, str]:
        owner = written(expr.value)
        values = ordered(self._resolver.infer(expr.value, frame))
        for value in values:
            if isinstance(value, Made):
                return self._made(owner, value, frame)
        for value in values:
            if isinstance(value, (Instance, Super)):
                return self._no_member(owner, expr.attr, value)
        for value in values:
            if type(value) in _BUILTIN:
                return (
                    "builtin-value",
                    f"`{owner}` is {_BUILTIN[type(value)]}, whose methods are not followed",
                )
        if values:
            return "member", f"`{owner}` has no `{expr.attr}` in the tree"
        return self._unknown_root(expr, frame)

    def _no_member(self, owner: str, name: str, value: Value) -> tuple[Doubt, str]:
        cls = value.cls if isinstance(value, Instance) else getattr(value, "receiver", "")
        if self._resolver.attribute_sources(cls, name):
            return "value", f"nothing that is known is stored in `{owner}.{name}`"
        shown = self._naming.function(class_of(cls))
        if cls.startswith(MODELS) or any(c.path.startswith(MODELS) for c in self._resolver.classes.own(cls)):
            return "member", f"`{name}` of `{shown}` is not in mmcodemod's model of its framework"
        return "member", f"nothing defines `{name}` for `{owner}`, an object of `{shown}`"

    def _unknown_root(self, expr: ast.expr, frame: Frame) -> tuple[Doubt, str]:
        """Nothing is known of `a.b.c`: is it because nothing is known of `a`?"""
        root = expr
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(root, ast.Name) and not self._resolver.infer(root, frame):
            return self._name(root.id, frame)
        if isinstance(root, ast.Constant):
            return "builtin-value", f"`{written(root)}` is a constant, whose methods are not followed"
        owner = expr.value if isinstance(expr, ast.Attribute) else expr
        return "value", _unknown(written(owner))

    def _name(self, name: str, frame: Frame) -> tuple[Doubt, str]:
        index = self._resolver.index
        facts = index.function(frame.function)
        while facts.parent is not None:
            if name in facts.parameters.names:
                return "parameter", f"parameter `{name}`: nothing that is known is passed for it"
            if name in self._resolver.body(facts.id).names:
                return "value", _unknown(name)
            facts = index.function(f"{facts.path}::{facts.parent}")
        return self._global(name, facts.path)

    def _global(self, name: str, path: str) -> tuple[Doubt, str]:
        file = self._resolver.index.files[path]
        bound = bool(file.imported(name)) or name in dir(builtins)
        if bound or name in file.bindings or name in self._resolver.body(f"{path}::<module>").names:
            return "value", _unknown(name)
        stars = [item.module for item in file.stars]
        if stars:
            listed = ", ".join(f"`from {module} import *`" for module in dict.fromkeys(stars))
            return "name", f"nothing in the tree defines `{name}`; it may come from {listed}"
        return "name", f"nothing in the tree defines `{name}`"


_UNSEEN = "whose code is not in the tree"


def _unknown(name: str) -> str:
    return f"it is not known what `{name}` is"


def written(expr: ast.expr) -> str:
    """An expression as written, on one line and not too long."""
    text = " ".join(unparse(expr).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _remote_loads(graph: CallGraph) -> dict[str, list[str]]:
    """Where library loaders are called with trust_remote_code=True, by their dotted names."""
    found: dict[str, list[str]] = {}
    for frame in sorted(graph.external):
        for name, line in trusting_calls(graph, frame):
            if name.endswith(_LOADERS):
                place = f"{frame.function.partition('::')[0]}:{line}"
                found[name] = list(dict.fromkeys((*found.get(name, ()), place)))
    return found


def _nearest(places: list[str], frame: Frame) -> str:
    """The place whose path has most in common with the caller's, and how many others there are."""
    path = frame.function.partition("::")[0]
    best = max(places, key=lambda place: len(commonprefix([place, path])))
    others = len(places) - 1
    return f"{best} and {others} more place{'s' * (others > 1)}" if others else best
