"""Which calls may lead to a training step (may-analysis on the call graph), and the only function of the tree
that a call surely runs."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.grade import How
from mmcodemod.project.argument_names import bound_in
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

Span = tuple[int, int, int, int]
BACKWARD = "backward"
_PREPARES = "deepspeed.initialize"  # a sign of training, and no step of it
_SURE = (How.DIRECT, How.SELF, How.MRO, How.POINTS_TO)
_HARMLESS = frozenset(("record", "no_grad", "staticmethod"))  # decorators that call what they decorate


class TrainingCalls:
    """Use through `project.get(TrainingCalls)`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._leading = self._backwards(tuple(How))
        self._surely = self._backwards(_SURE)
        self._outside = {
            (frame.function, outside.site.span)
            for frame, calls in project.graph.external.items()
            for outside in calls
            if outside.name != _PREPARES and outside.name.endswith((".fit", ".train", ".backward"))
            if not (outside.name.startswith("torch.") and outside.name.endswith(".train"))  # only a mode
        }
        self._edges: dict[str, dict[Span, list[Edge]]] = {}

    def _backwards(self, hows: Container[How]) -> set[str]:
        """The functions from which some call leads to a step, over edges that were resolved so."""
        todo = sorted(self._project.steps)
        found = set(todo)
        while todo:
            for edge in self._project.callers(todo.pop()):
                follows = edge.site is not None and edge.how in hows
                if follows and edge.caller.function not in found:
                    found.add(edge.caller.function)
                    todo.append(edge.caller.function)
        return found

    def holds(self, function: str, node: ast.AST) -> bool:
        """May something in a statement or expression train?"""
        return any(self.trains(function, call) for call in _calls(node))

    def shows(self, function: str, node: ast.AST) -> bool:
        """Does something there train, by calls that show what they call?"""
        return any(self._leads(function, call, self._surely, _SURE) for call in _calls(node))

    def trains(self, function: str, call: ast.Call) -> bool:
        """May the call do so?"""
        return self._leads(function, call, self._leading, tuple(How))

    def _leads(self, function: str, call: ast.Call, leading: set[str], hows: Container[How]) -> bool:
        if is_step(call) or (function, _span(call)) in self._outside:
            return True
        return any(e.callee.function in leading and e.how in hows for e in self.edges(function, call))

    def edges(self, function: str, call: ast.Call) -> list[Edge]:
        """All that a call may run of the tree and of the framework models."""
        if function not in self._edges:
            self._edges[function] = self._read(function)
        return self._edges[function].get(_span(call), [])

    def _read(self, function: str) -> dict[Span, list[Edge]]:
        found: dict[Span, list[Edge]] = {}
        for frame in self._project.frames(function):
            for edge in self._project.graph.edges.get(frame, ()):
                if edge.site is not None:
                    found.setdefault(edge.site.span, []).append(edge)
        return found

    def only(self, function: str, call: ast.Call) -> Edge | None:
        """The edge to the function, or to the `__init__` of the class, that is called by its name; None where
        that does not show, or where something wraps it."""
        edges = self.edges(function, call)
        callees = {edge.callee.function for edge in edges}
        if len(callees) != 1 or any(e.how is not How.DIRECT or e.skip is None for e in edges):
            return None
        (callee,) = callees
        known = not is_stub(callee) and self._is_plain(callee) and self._is_named_once(function, call.func)
        return edges[0] if known else None

    def _is_plain(self, callee: str) -> bool:
        """Does a call run the body at once?"""
        facts = self._project.index.function(callee)
        plain = isinstance(facts.node, ast.FunctionDef) and facts.decorators <= _HARMLESS
        plain = plain and all(
            self._is_defined_once(facts.path, n) for n in (facts.qualname, facts.owner) if n
        )
        return plain and not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes(facts.node))

    def _is_named_once(self, function: str, func: ast.expr) -> bool:
        """Does the first name of what is called stand for one thing in the file?"""
        path, name = function.partition("::")[0], unparse(func).partition(".")[0]
        file, outline = self._project.index.files[path], self._project.index.trees.outline(path)
        inner = (i for f in file.functions.values() for i in f.imports)
        bound = len(file.imported(name)) + sum(i.bound == name for i in inner)
        bound += list(outline.qualnames.values()).count(name) + len(outline.bindings.get(name, ()))
        return (bound == 1 or (bound == 0 and self._is_inner(function, name))) and name not in outline.loose

    def _is_inner(self, function: str, name: str) -> bool:
        """Is it a function in the one that calls it, and nothing else of that name in the file?"""
        path, _, outer = function.partition("::")
        facts = self._project.index.function(function)
        every = self._project.index.trees.outline(path).qualnames.values()
        defined = [q for q in every if q.rpartition(".")[2] == name]
        once = list(bound_in(facts.node.body)).count(name) == 1
        return once and defined == [f"{outer}.{name}"] and name not in facts.parameters.names

    def _is_defined_once(self, path: str, name: str) -> bool:
        outline = self._project.index.trees.outline(path)
        return list(outline.qualnames.values()).count(name) == 1 and name not in outline.bindings


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in own_nodes(node) if isinstance(inner, ast.Call))


def is_step(call: ast.Call) -> bool:
    """`loss.backward()`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == BACKWARD


def _span(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
