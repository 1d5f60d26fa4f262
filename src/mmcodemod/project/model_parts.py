"""The followed model of which a module is a part, as one function spells it: through names, attributes,
getters and loops. Must-analysis: what may hang there only later is no part that is known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import flow_of
from mmcodemod.project.later_parts import later_parts
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance, ordered

# What a loop over the parts of a module takes: the element itself, or one of a pair.
_EACH = {"children": -1, "modules": -1, "named_children": 1, "named_modules": 1}
_NOT_MODULES = (*_EACH, "parameters", "named_parameters", "buffers", "named_buffers", "state_dict")
_ADAPTERS = ("lora_", "modules_to_save")  # peft adds them to a model that is there
_GETTER = "get_submodule"
MAX_STEPS = 4


@frozen()
class ModelParts:
    """`whole` says which expressions are a followed model."""

    project: Project
    function: str
    whole: Callable[[ast.expr], bool]

    def owner(self, expr: ast.expr, steps: int = 0) -> ast.expr | None:
        """The followed model of which `expr` is a part, or which it is itself."""
        if self.whole(expr):
            return expr
        if isinstance(expr, ast.Name):
            return self._name(expr.id, steps) if steps < MAX_STEPS else None
        if isinstance(expr, ast.Attribute):
            return self._below(expr.value, expr.attr, steps)
        if isinstance(expr, ast.Subscript):
            return None if isinstance(expr.slice, ast.Slice) else self.owner(expr.value, steps)
        return self._given(expr, steps) if isinstance(expr, ast.Call) else None

    def chosen(self, node: ast.AST, part: ast.expr) -> bool:
        """Does a test on what a loop gives choose the part? Then it may be one that was added later."""
        names = self.project.resolver.body(self.function).names
        root = next((n.id for n in walk(part) if isinstance(n, ast.Name)), "")
        over = [ast.dump(s.expr) for s in names.get(root, ()) if s.via is Via.ELEMENT]
        loop = {n for n, sources in names.items() for s in sources if ast.dump(s.expr) in over}
        tests = [test.test for test, _ in flow_of(self.project, self.function).tests(node)]
        return any(isinstance(n, ast.Name) and n.id in loop for test in tests for n in walk(test))

    def _name(self, name: str, steps: int) -> ast.expr | None:
        handed = name in self.project.index.function(self.function).parameters.names
        sources = self.project.resolver.body(self.function).names.get(name, ())
        found = [None if handed else self._source(source, steps) for source in sources]
        return found[0] if found and all(found) else None

    def _source(self, source: NodeSource, steps: int) -> ast.expr | None:
        if source.inner or source.starred:
            return None
        if source.via is Via.VALUE and source.index < 0:
            return self.owner(source.expr, steps + 1)
        return self._element(source.expr, source.index, steps) if source.via is Via.ELEMENT else None

    def _element(self, over: ast.expr, index: int, steps: int) -> ast.expr | None:
        """`for _, part in model.named_children()`, `for i, layer in enumerate(model.model.layers)`"""
        func = over.func if isinstance(over, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr in _EACH:
            return self.owner(func.value, steps + 1) if _EACH[func.attr] == index else None
        if isinstance(over, ast.Call) and isinstance(func, ast.Name):
            counted = func.id == "enumerate" and index == 1 and len(over.args) > 0
            return self._element(over.args[0], -1, steps) if counted else None
        return self.owner(over, steps + 1) if index < 0 and isinstance(over, ast.Attribute) else None

    def _given(self, call: ast.Call, steps: int) -> ast.expr | None:
        """`model.get_input_embeddings()`, `getattr(model, "lm_head", None)`, `model.get_submodule("a.b")`"""
        func = call.func
        if isinstance(func, ast.Name) and func.id == "getattr" and len(call.args) > 1:
            sure = all(isinstance(a, ast.Constant) and a.value is None for a in call.args[2:])
            return self._named(call.args[0], call.args[1], steps) if sure else None
        if not isinstance(func, ast.Attribute) or func.attr in _NOT_MODULES:
            return None
        if func.attr == _GETTER and len(call.args) == 1:
            return self._named(func.value, call.args[0], steps)
        return self._below(func.value, func.attr, steps) if not call.args else None

    def _named(self, of: ast.expr, name: ast.expr, steps: int) -> ast.expr | None:
        value = name.value if isinstance(name, ast.Constant) else None
        return self._below(of, value, steps) if isinstance(value, str) else None

    def _below(self, of: ast.expr, path: str, steps: int) -> ast.expr | None:
        later = self.project.get(later_parts)
        words = path.split(".")
        if any(word in later or word.startswith(_ADAPTERS) for word in words):
            return None
        getters = self._getters(of, words[0])
        return self.owner(of, steps) if all(self._gives_part(g, steps) for g in getters) else None

    def _getters(self, of: ast.expr, name: str) -> list[str]:
        """The methods and properties of the tree that the name of a part means."""
        classes = self.project.resolver.classes
        values = ordered(self.project.values(of, self.function))
        found = [classes.find(v.cls, name) for v in values if isinstance(v, Instance)]
        return [method for method in found if method and not is_stub(method)]

    def _gives_part(self, method: str, steps: int) -> bool:
        """Does a method return parts of its object, and nothing else?"""
        own = self.project.index.function(method).parameters.first
        parts = ModelParts(self.project, method, lambda e: isinstance(e, ast.Name) and e.id == own)
        returns = self.project.resolver.body(method).returns if steps < MAX_STEPS else []
        return bool(returns) and all(parts.owner(given, steps + 1) for given in returns)
