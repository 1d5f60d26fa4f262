"""What an argument of a call is, where straight code before it says so: a text, or a dictionary, also one
that is copied, merged, imported, or changed key by key. May miss; what a branch, a loop or another function
may change is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.syntax import FunctionNode
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.code_changes import changed_by_functions, touched_by
from mmcodemod.project.code_names import CodeNames
from mmcodemod.project.config_values import Settings, Value
from mmcodemod.project.file_values import file_value
from mmcodemod.project.index import Index
from mmcodemod.project.sources import Sources
from mmcodemod.project.straight_code import StraightCode, bound_names, parameters
from mmcodemod.project.stubs import is_stub

_SIMPLE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Delete)
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAX_IMPORTS = 3  # of one file from another


class CodeValues:
    """What the files of one tree say."""

    def __init__(self, sources: Sources, index: Index) -> None:
        self._sources = sources
        self._modules = index.modules

    def before(
        self, path: str, module: ast.Module, function: FunctionNode, call: ast.Call, expr: ast.expr
    ) -> Value:
        """The value of `expr`, an argument of `call`, which stands in `function` or in the module itself."""
        reading, at = self._reading(path, (path,)), Place(path, call.lineno)
        if isinstance(function, ast.Module):
            _follow(reading, module.body, call, last=True)
            reading.forget(changed_by_functions(module.body), at)
            return reading.names.value(expr)
        _follow(reading, module.body, call, last=False)
        reading.forget(changed_by_functions(_others(module, function)), at)
        for name in (*_bound_around(module, function), *parameters(function)):
            reading.known[name] = Value(UNKNOWN, at)
        body = function.body if isinstance(function.body, list) else []
        _follow(reading, body, call, last=True)
        reading.forget(changed_by_functions(body), at)
        return reading.names.value(expr)

    def _reading(self, path: str, inside: tuple[str, ...]) -> StraightCode:
        def taken(node: ast.ImportFrom) -> Settings:
            return self._imported(node, path, inside)

        def load(named: str) -> Value | None:
            return self.of_file(path, named)

        return StraightCode(self._sources, path, inside, CodeNames(path, load=load), taken=taken)

    def of_file(self, path: str, named: str) -> Value | None:
        """What a file holds that the code loads; of a DeepSpeed configuration others say that."""
        return None

    def _home(self, node: ast.ImportFrom, path: str) -> str | None:
        """The file of the tree that an import means."""
        absolute = self._modules.absolute(node.module or "", node.level, path)
        home = self._modules.find(absolute, path)
        return None if home is None or is_stub(home) else home

    def _imported(self, node: ast.ImportFrom, path: str, inside: tuple[str, ...]) -> Settings:
        """What names of another file of the tree hold; UNKNOWN what code elsewhere may change."""
        home = self._home(node, path)
        module = self._sources.python(home) if home and home not in inside else None
        if home is None or module is None or len(inside) > MAX_IMPORTS:
            return {}
        reading = self._reading(home, (*inside, home))
        _follow(reading, module.body, None, last=False)
        wanted = {a.name: a.asname or a.name for a in node.names if a.name in reading.known}
        changed = {*changed_by_functions(module.body), *self._changed_elsewhere(wanted, home, inside)}
        reading.forget(changed, Place(path, node.lineno))
        return {wanted[name]: value for name, value in reading.known.items() if name in wanted}

    def _changed_elsewhere(self, names: Iterable[str], home: str, inside: tuple[str, ...]) -> Iterator[str]:
        """The names whose dictionaries further files of the tree may change, which import them, too."""
        for path in sorted(self._sources.paths) if names else ():
            if path.endswith(".py") and path not in (home, *inside):
                data = self._sources.data(path)
                if any(name.encode() in data for name in names):
                    yield from self._changed_in(path, home)

    def _changed_in(self, path: str, home: str) -> Iterator[str]:
        module = self._sources.python(path)
        nodes = list(ast.walk(module)) if module is not None else []
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and self._home(node, path) == home:
                touched = {name for n in nodes for name in touched_by(n)}
                yield from (a.name for a in node.names if (a.asname or a.name) in touched)


class ValuesOfFiles(CodeValues):
    """The same, with what the code loads from YAML and JSON files of the tree."""

    def of_file(self, path: str, named: str) -> Value | None:
        return file_value(self._sources, path, named)


def _others(module: ast.Module, function: FunctionNode) -> Iterator[ast.stmt]:
    """The definitions of a module, but for the one that is followed by itself."""
    for node in module.body:
        if isinstance(node, _DEFINES) and (node.lineno, node.col_offset) != _start(function):
            yield node


def _bound_around(module: ast.Module, function: FunctionNode) -> Iterator[str]:
    """The names of functions around this one, which hide those of the module."""
    line = _start(function)[0]
    for outer in ast.walk(module):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) and outer.lineno < line:
            if line <= (outer.end_lineno or 0):
                yield from (*parameters(outer), *bound_names(outer))


def _start(function: FunctionNode) -> tuple[int, int]:
    return getattr(function, "lineno", 0), getattr(function, "col_offset", 0)


def _follow(reading: StraightCode, body: Iterable[ast.stmt], call: ast.Call | None, last: bool) -> None:
    """Take the statements in order; of the `last` body, those before the call alone."""
    for node in body:
        if last and call is not None and node.lineno <= call.lineno <= (node.end_lineno or node.lineno):
            reading.entered(node)
            _follow(reading, _blocks_around(node, call), call, last)
            return
        if isinstance(node, _SIMPLE):
            reading.statement(node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            reading.entered(node)
            _follow(reading, node.body, call, last=False)
        elif not isinstance(node, _DEFINES):
            reading.passed_over(node)


def _blocks_around(node: ast.stmt, call: ast.Call) -> list[ast.stmt]:
    """The block inside a compound statement that holds the call; none of a simple statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None) or []
        if any(n.lineno <= call.lineno <= (n.end_lineno or n.lineno) for n in block):
            return list(block)
    return []
