"""The resolver for those who look at syntax trees: takes `ast` nodes, and gives bodies made of them."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Body, Source
from mmcodemod.facts.lowering import Lowering
from mmcodemod.facts.python import ClassFacts, FunctionFacts
from mmcodemod.facts.terms import Call, Term, Terms
from mmcodemod.project.classes import Classes
from mmcodemod.project.frame import Frame
from mmcodemod.project.infer import Resolver
from mmcodemod.project.values import Value, Values


class Asked:
    """Finds the term that says what a node says, and asks the resolver about that."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.index = resolver.index
        self._terms: dict[int, tuple[ast.AST, Term]] = {}  # keeps the nodes, so that no id is used again

    @property
    def classes(self) -> Classes:
        return self._resolver.classes

    @property
    def params(self) -> dict[tuple[Frame, str], Values]:
        return self._resolver.params

    def body(self, function: str) -> Body[ast.expr, ast.Call]:
        """The full facts of a function with nodes for expressions: reads its file again."""
        return self.index.function(function).nodes.body

    def infer(self, node: ast.expr, frame: Frame) -> Values:
        """The values that an expression may have in one frame of its function."""
        return self._resolver.infer(self.term(node, frame.function), frame)

    def member(self, value: Value, name: str) -> Values:
        """What `value.name` may be."""
        return self._resolver.member(value, name)

    def iterated(self, values: Values) -> Values:
        """What a loop over the values gives."""
        return self._resolver.iterated(values)

    def called(self, callee: Value, node: ast.Call, frame: Frame) -> Values:
        """What calling `callee` with the arguments of a call returns."""
        call = self.term(node, frame.function)
        assert isinstance(call, Call)
        return self._resolver.called(callee, call, frame)

    def term(self, node: ast.expr, function: str) -> Term:
        """The term of a node. The facts have one of their own for most; both mean the same."""
        known = self._terms.get(id(node))
        if known is None:
            facts = self.index.function(function)
            record = Lowering(facts.nodes.lambdas).expr(node)
            known = self._terms[id(node)] = (node, Terms(facts).of(record))
        return known[1]

    def stored(self, facts: ClassFacts) -> dict[str, list[tuple[str, Source[ast.expr]]]]:
        """`self.x = ...` in the methods of one class, by attribute."""
        found: dict[str, list[tuple[str, Source[ast.expr]]]] = {}
        for name in self._resolver.stored(facts):
            found[name] = self._sources(facts, name)
        return found

    def attribute_sources(self, cls: str, name: str) -> list[tuple[str, Source[ast.expr]]]:
        """Where the methods of a class store an attribute: (function id, source)."""
        return [s for facts in self.classes.own(cls) for s in self._sources(facts, name)]

    def _sources(self, facts: ClassFacts, name: str) -> list[tuple[str, Source[ast.expr]]]:
        functions = dict.fromkeys(f for f, _ in self._resolver.stored(facts).get(name, ()))
        return [(f, source) for f in functions for source in _own_stores(self.index.function(f), name)]


def _own_stores(facts: FunctionFacts, name: str) -> list[Source[ast.expr]]:
    first = facts.parameters.first
    stores = (s for s in facts.nodes.body.stores if s.attr == name)
    return [s.value for s in stores if isinstance(s.base, ast.Name) and s.base.id == first]
