"""What one file defines and imports, with the `ast` nodes of it: one walk over its statements."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from mmcodemod.facts.definitions import is_setter, loosely_bound, named_lambda, own_expressions
from mmcodemod.facts.syntax import FunctionNode, blocks, is_main_guard
from mmcodemod.model.frozen import mutable

MODULE = "<module>"  # the name of a module's own code
MAIN = "<main>"  # the name of the code under `if __name__ == "__main__"`
MAX_DEPTH = 400  # statements nested deeper than this are not looked into


class Import(NamedTuple):
    """One imported binding: `from {'.' * level}module import name as bound`; `name` None for `import m`."""

    bound: str
    module: str
    name: str | None
    level: int
    line: int


@mutable(eq=False, slots=True)
class DefinedFunction:
    """A function, or the module's own code. `owner` is the qualified name of its class."""

    qualname: str
    node: FunctionNode
    owner: str | None = None
    parent: str | None = None
    imports: list[Import] = field(default_factory=list)


@mutable(eq=False, slots=True)
class DefinedClass:
    """A class with its methods (name -> qualified name) and the assignments of its body."""

    qualname: str
    node: ast.ClassDef
    scope: str
    methods: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, list[ast.expr]] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    setters: dict[str, str] = field(default_factory=dict)


@mutable(eq=False, slots=True)
class Outline:
    """Functions and classes by qualified name, the module's assignments, and its imports."""

    tree: ast.Module
    functions: dict[str, DefinedFunction] = field(default_factory=dict)
    classes: dict[str, DefinedClass] = field(default_factory=dict)
    bindings: dict[str, list[ast.expr]] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
    stars: list[Import] = field(default_factory=list)
    exported: tuple[str, ...] | None = None
    loose: set[str] = field(default_factory=set)  # module names bound by unpacking, loops and `with`
    writers: dict[str, list[str]] = field(default_factory=dict)  # functions that say `global name`
    lambdas: dict[int, str] = field(default_factory=dict)  # qualified name by id of the `ast.Lambda`
    qualnames: dict[int, str] = field(default_factory=dict)  # by id of the `def` or `class`


def outline(tree: ast.Module, lambdas: Sequence[int]) -> Outline:
    """Everything that a file defines. `lambdas`: the lines that have one, in order."""
    found = Outline(tree)
    _Walk(found, lambdas).run()
    return found


# Statements without blocks; they are most of them.
_SIMPLE = frozenset((ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Pass))


class _Walk:
    """Walks statements only; expressions are left to whoever needs them."""

    def __init__(self, found: Outline, lambdas: Sequence[int]) -> None:
        self.found = found
        self.lines = lambdas
        self.lambdas: Counter[str] = Counter()

    def run(self) -> None:
        module = DefinedFunction(MODULE, self.found.tree)
        self.found.functions[MODULE] = module
        self.body(self.found.tree.body, module, None, 0)

    def body(
        self, body: list[ast.stmt], function: DefinedFunction, owner: DefinedClass | None, depth: int
    ) -> None:
        if depth > MAX_DEPTH:
            return
        local = owner is None and function.qualname != MODULE
        for statement in body:
            kind = statement.__class__
            if self.lines and self.may_hold_lambda(statement):
                self.anonymous(statement, function, owner)
            if local and kind in _SIMPLE:
                continue
            if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
                self.function(statement, function, owner, depth)  # type: ignore[arg-type]
            elif kind is ast.ClassDef:
                self.klass(statement, function, owner, depth)  # type: ignore[arg-type]
            elif kind is ast.Import or kind is ast.ImportFrom:
                self.imported(statement, function, owner)
            else:
                self.other(statement, function, owner, depth)

    def other(
        self, statement: ast.stmt, function: DefinedFunction, owner: DefinedClass | None, depth: int
    ) -> None:
        at_module = function.qualname == MODULE
        if at_module or owner is not None:
            self.assigned(statement, owner)
        if isinstance(statement, (ast.Global, ast.Nonlocal)):
            for name in statement.names:
                self.found.writers.setdefault(name, []).append(function.qualname)
        if at_module and owner is None and is_main_guard(statement):
            self.guarded(statement.body)  # type: ignore[attr-defined]
        for block in blocks(statement) if statement.__class__ not in _SIMPLE else ():
            self.body(block, function, owner, depth + 1)

    def guarded(self, body: list[ast.stmt]) -> None:
        """Code under `if __name__ == "__main__"` is a function of its own: importing does not run it."""
        main = self.found.functions.get(MAIN)
        if main is None:
            module = ast.Module(body=[], type_ignores=[])
            main = DefinedFunction(MAIN, module, parent=MODULE)
            self.found.functions[MAIN] = main
        main.node.body.extend(body)

    def assigned(self, statement: ast.stmt, owner: DefinedClass | None) -> None:
        into = self.found.bindings if owner is None else owner.attributes
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    into.setdefault(target.id, []).append(statement.value)
                    if target.id == "__all__" and owner is None:
                        self.found.exported = _strings(statement.value)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if statement.value is not None:
                into.setdefault(statement.target.id, []).append(statement.value)
            if owner is not None:
                owner.annotations[statement.target.id] = statement.annotation
        if owner is None:
            self.found.loose.update(loosely_bound(statement))

    def function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        outer: DefinedFunction,
        owner: DefinedClass | None,
        depth: int,
    ) -> None:
        qualname = self._qualname(node.name, outer, owner)
        while is_setter(node) and qualname in self.found.functions:
            qualname += "'"
        found = DefinedFunction(qualname, node, owner.qualname if owner else None, outer.qualname)
        self.found.functions[qualname] = found
        self.found.qualnames[id(node)] = qualname
        if owner is not None:
            into = owner.setters if is_setter(node) else owner.methods
            into.setdefault(node.name, qualname)
        self.body(node.body, found, None, depth + 1)

    def may_hold_lambda(self, statement: ast.stmt) -> bool:
        """Is there a line with a lambda in its text, decorators included?"""
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        at = bisect_left(self.lines, first)
        return at < len(self.lines) and self.lines[at] <= (statement.end_lineno or first)

    def anonymous(self, statement: ast.stmt, function: DefinedFunction, owner: DefinedClass | None) -> None:
        """The lambdas in the expressions of a statement, in source order."""
        todo: list[tuple[ast.AST, DefinedFunction, DefinedClass | None]] = []
        todo += [(expr, function, owner) for expr in own_expressions(statement)][::-1]
        while todo:
            node, scope, owner = todo.pop()
            inner: list[ast.AST] = list(ast.iter_child_nodes(node))
            if isinstance(node, ast.Lambda):
                made = self.named(node, scope, owner)
                todo.append((node.body, made, None))
                inner = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            todo += [(child, scope, owner) for child in reversed(inner)]

    def named(
        self, node: ast.Lambda, function: DefinedFunction, owner: DefinedClass | None
    ) -> DefinedFunction:
        """The function that a lambda is."""
        made = named_lambda(node, self._number(function, owner))
        qualname = self._qualname(made.name, function, owner)
        found = DefinedFunction(qualname, made, None, function.qualname)
        self.found.functions[qualname] = found
        self.found.lambdas[id(node)] = qualname
        return found

    def _number(self, function: DefinedFunction, owner: DefinedClass | None) -> int:
        scope = owner.qualname if owner else function.qualname
        self.lambdas[scope] += 1
        return self.lambdas[scope]

    def klass(
        self, node: ast.ClassDef, outer: DefinedFunction, owner: DefinedClass | None, depth: int
    ) -> None:
        qualname = self._qualname(node.name, outer, owner)
        found = DefinedClass(qualname, node, outer.qualname)
        self.found.classes.setdefault(qualname, found)
        self.found.qualnames[id(node)] = qualname
        self.body(node.body, outer, found, depth + 1)

    def _qualname(self, name: str, outer: DefinedFunction, owner: DefinedClass | None) -> str:
        prefix = owner.qualname if owner else "" if outer.qualname == MODULE else outer.qualname
        qualname = f"{prefix}.{name}" if prefix else name
        while owner is None and qualname in self.found.functions and outer.qualname != MODULE:
            qualname += "'"
        return qualname

    def imported(self, node: ast.stmt, function: DefinedFunction, owner: DefinedClass | None) -> None:
        into = self.found.imports if function.qualname == MODULE else function.imports
        for item in _imports(node):
            if item.name == "*":
                self.found.stars.append(item)
            else:
                into.append(item)


def _imports(node: ast.stmt) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            module = alias.name if alias.asname else bound
            yield Import(bound, module, None, 0, node.lineno)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Import(alias.asname or alias.name, node.module or "", alias.name, node.level, node.lineno)


def _strings(value: ast.expr) -> tuple[str, ...] | None:
    if isinstance(value, (ast.List, ast.Tuple)):
        found = [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        return tuple(found) if len(found) == len(value.elts) else None
    return None
