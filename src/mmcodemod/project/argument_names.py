"""Which names of a program hold the object that holds its arguments, such as the namespace that its parser
makes: those of its first module, of functions, and what other files import of the parser's. Must-analysis: a
module's name is bound once, and at the top."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from posixpath import basename, dirname

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import walk
from mmcodemod.project.made_objects import Made
from mmcodemod.project.model import Project


class Names:
    """`module`: the names of the first module, as far as the walk has come."""

    def __init__(self, project: Project, entry: str, made: Made) -> None:
        self._project, self._entry, self._home = project, entry, made.home
        self._local: dict[str, frozenset[str]] = {}
        elsewhere = made.home != entry and self.is_there(made.home)
        self._exported = self._held_at_top(made) if elsewhere else frozenset[str]()
        self._making = self._leading_to(made)
        self.module: dict[str, bool] = {}

    def is_there(self, path: str) -> bool:
        """Is a file surely the one that an import means? Python looks into the folder of the program first,
        and a file of the same name may lie there, or in another folder of the same name."""
        folder, tail = dirname(self._entry), path.rsplit("/", 2)[-2:]
        ways = {f"{folder}/{name}".lstrip("/") for name in (tail[-1], "/".join(tail))}
        if path == self._entry or path in ways:
            return True
        others = (p for p in self._project.get(_by_name).get(tail[-1], ()) if p != path)
        return not any(p in ways or p.rsplit("/", 2)[-2:] == tail for p in others)

    def _held_at_top(self, made: Made) -> frozenset[str]:
        """The names of the object's own file that hold it once that is imported."""
        body = self._project.index.files[self._home].tree.body
        names = {t.id for s in body for t in made.targets(s) if isinstance(t, ast.Name)}
        return frozenset(n for n in names if self._is_single(self._home, n))

    def _is_single(self, path: str, name: str) -> bool:
        outline = self._project.index.trees.outline(path)
        once = len(outline.bindings.get(name, ())) == 1
        return once and name not in outline.loose and name not in outline.writers

    def _leading_to(self, made: Made) -> frozenset[str]:
        """The functions from which some call leads to one that makes the object."""
        functions = self._project.index.files[self._home].functions.values()
        own = (f for f in functions if any(map(made.returned_by, self._project.resolver.body(f.id).calls)))
        found = {f.id for f in own}
        todo = sorted(found)
        while todo:
            for edge in self._project.callers(todo.pop()):
                if edge.site is not None and edge.caller.function not in found:
                    found.add(edge.caller.function)
                    todo.append(edge.caller.function)
        return frozenset(found)

    def says(self, function: str, outer: dict[str, bool]) -> bool:
        """May a function make the object, or know it without being given it? `outer`: what the names hold
        that it closes over."""
        facts = self._project.index.function(function)
        known = {n for names in (self.module, outer) for n, holds in names.items() if holds} | self._exported
        source = self._project.source(facts) if known else b""
        return function in self._making or any(name.encode() in source for name in known)

    def holds(self, function: str, name: str, held: dict[str, bool]) -> bool:
        """Does a name hold it now? `held`: what the function's own names do."""
        path = function.partition("::")[0]
        if name in held:
            return held[name]
        if self._project.index.function(function).is_module or self._is_nested(function):
            return False
        if path != self._entry:
            return self._of_module(path, name)
        return self.module.get(name, False) and self._is_single(path, name)

    def _is_nested(self, function: str) -> bool:
        """Is it defined in another function, whose names it knows?"""
        facts = self._project.index.function(function)
        return "." in facts.qualname and f"{facts.owner}.{facts.name}" != facts.qualname

    def closes_over(self, function: str, outer: str) -> bool:
        """Is it defined in the other one, so that it sees that one's names, and binds none of them?"""
        inside = function.startswith(f"{outer}.") and "." not in function[len(outer) + 1 :]
        node = self._project.index.function(function).node
        return inside and not any(isinstance(n, ast.Nonlocal) for n in walk(node))

    def _of_module(self, path: str, name: str) -> bool:
        if path == self._home:
            return name in self._exported
        facts = self._project.index.files[path]
        bound = facts.imported(name)
        if len(bound) != 1 or name in self._project.index.trees.outline(path).bindings:
            return False
        found = self._file(bound[0].module, bound[0].level, path)
        return found == self._home and bound[0].name in self._exported

    def _file(self, module: str, level: int, path: str) -> str | None:
        modules = self._project.index.modules
        return modules.find(modules.absolute(module, level, path), path)

    def may_hold(self, function: str, name: str) -> bool:
        """Does no function rebind a name of the module meanwhile?"""
        facts = self._project.index.function(function)
        return not facts.is_module or name not in self._project.index.trees.outline(facts.path).writers

    def imported_by(self, function: str, statement: ast.stmt, name: str) -> bool:
        """Does `from options import args` bring it?"""
        path = function.partition("::")[0]
        if not isinstance(statement, ast.ImportFrom):
            return False
        names = {a.name for a in statement.names if (a.asname or a.name) == name}
        found = self._file(statement.module or "", statement.level, path)
        single = name not in self._project.index.trees.outline(path).bindings
        return single and found == self._home and bool(names) and names <= self._exported

    def local(self, function: str) -> frozenset[str]:
        """The names that are a function's own."""
        if function not in self._local:
            node = self._project.index.function(function).node
            outer = {n for s in own_nodes(node) if isinstance(s, ast.Global) for n in s.names}
            given = (a.arg for a in walk(node.args) if isinstance(a, ast.arg))  # type: ignore[union-attr]
            self._local[function] = frozenset((*given, *bound_in(node.body))) - outer
        return self._local[function]


def names_in(target: ast.expr) -> str:
    """A plain name, or an attribute of `self`; "" for other expressions."""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"self.{target.attr}" if target.value.id == "self" else ""
    return target.id if isinstance(target, ast.Name) else ""


def bound_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that some code binds, also on the way to something else."""
    for node in (inner for outer in nodes for inner in own_nodes_of(outer)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
        elif isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            yield names_in(node)


def own_nodes_of(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement or an expression, with itself; of a definition, only that."""
    scope = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return iter((node,)) if scope else own_nodes(node)


def _by_name(project: Project) -> dict[str, list[str]]:
    """The Python files of a tree by their names."""
    found: dict[str, list[str]] = {}
    for path in project.index.python_files:
        found.setdefault(basename(path), []).append(path)
    return found
