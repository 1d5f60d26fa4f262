"""Calls that are written nowhere, by function: decorators, operators, loops, `with`, `raise`, properties."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

from mmcodemod.facts.definitions import Decoration
from mmcodemod.facts.protocols import BUILTIN_METHODS, ITERATING, implied, iteration, method_call
from mmcodemod.project.infer import Resolver
from mmcodemod.project.signatures import is_property

Made = TypeVar("Made", bound=ast.expr)
NOT_CALLED = frozenset(("__init__", "__new__", "__post_init__", "__call__"))


class Implicit:
    """Synthetic calls, made once for each function: the memo of values is keyed by their identity."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._index = resolver.index
        self._calls: dict[str, list[ast.Call]] = {}
        self._reads: dict[str, list[ast.Call]] = {}
        self._raised: dict[str, list[ast.Call]] = {}
        self._always: dict[str, set[int]] = {}
        self._by_builtin: dict[int, list[ast.Call]] = {}

    @cached_property
    def _methods(self) -> frozenset[str]:
        """The special methods that some class defines."""
        every = (n for f in self._index.files.values() for c in f.classes.values() for n in c.methods)
        return frozenset(n for n in every if n.startswith("__") and n not in NOT_CALLED)

    @cached_property
    def _properties(self) -> frozenset[str]:
        """The names that are a property of some class."""
        return frozenset(
            facts.name
            for file in self._index.files.values()
            for facts in file.functions.values()
            if facts.owner and not isinstance(facts.node, ast.Module) and facts.node.decorator_list
            if is_property(facts.node)
        )

    def calls(self, function: str) -> list[ast.Call]:
        """What decorators, operators, loops and `with` call."""
        if function not in self._calls:
            nodes = self._resolver.body(function).implicit
            found = [c for node in nodes for c in self._of_node(function, node)]
            self._calls[function] = found
        return self._calls[function]

    def _of_node(self, function: str, node: ast.AST) -> Iterator[ast.Call]:
        file = self._index.files[function.partition("::")[0]]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found: ast.expr | None = file.decorations.get(id(node))
            while isinstance(found, Decoration):
                yield found
                found = found.args[0]
        else:
            yield from implied(node, self._methods)

    def raised(self, function: str) -> list[ast.Call]:
        """`raise Class` makes an object."""
        if function not in self._raised:
            nodes = self._resolver.body(function).implicit
            named = [n.exc for n in nodes if isinstance(n, ast.Raise)]
            kept = [e for e in named if isinstance(e, (ast.Name, ast.Attribute))]
            self._raised[function] = [_placed(ast.Call(e, [], []), e) for e in kept]
        return self._raised[function]

    def reads(self, function: str) -> list[ast.Call]:
        """Reads of properties, and assignments to them."""
        if function not in self._reads:
            body = self._resolver.body(function)
            found = [_placed(ast.Call(r, [], []), r) for r in body.reads if r.attr in self._properties]
            for store in body.stores:
                if store.attr in self._properties:
                    target = _placed(ast.Attribute(store.base, store.attr, ast.Store()), store.base)
                    found.append(_placed(ast.Call(target, [store.value.expr], []), store.base))
            self._reads[function] = found
        return self._reads[function]

    def by_builtin(self, name: str, call: ast.Call) -> list[ast.Call]:
        """The methods of its arguments that a builtin calls."""
        if id(call) not in self._by_builtin:
            self._by_builtin[id(call)] = list(self._of_builtin(name, call))
        return self._by_builtin[id(call)]

    def _of_builtin(self, name: str, call: ast.Call) -> Iterator[ast.Call]:
        for argument in call.args if name in BUILTIN_METHODS or name in ITERATING else ():
            if name in ITERATING:
                yield from (c for c in iteration(argument) if c.func.attr in self._methods)  # type: ignore
            for names in BUILTIN_METHODS.get(name, ()):
                yield from (method_call(argument, n) for n in names if n in self._methods)

    def always(self, function: str) -> set[int]:
        """The ids of the bases of attribute stores that module code always runs."""
        if function not in self._always:
            node = self._index.function(function).node
            body = node.body if isinstance(node, ast.Module) else []
            targets = [t for s in body if isinstance(s, ast.Assign) for t in s.targets]
            self._always[function] = {id(t.value) for t in targets if isinstance(t, ast.Attribute)}
        return self._always[function]


def _placed(made: Made, where: ast.expr) -> Made:
    return ast.copy_location(made, where)
