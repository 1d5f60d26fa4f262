"""What an argument of a call is, where straight code before it says so: a text, or a dictionary, also one
that is copied, merged, imported, or changed key by key. May miss; what a branch, a loop or another function
may change is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.reads import dotted_name
from mmcodemod.facts.syntax import FunctionNode, walk
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.branched_code import BranchedCode
from mmcodemod.project.code_changes import changed_by_functions, touched_by
from mmcodemod.project.code_names import CodeNames
from mmcodemod.project.config_values import MAX_DEPTH, ModuleValues, Settings, Value
from mmcodemod.project.dictionaries import copied, within
from mmcodemod.project.file_values import file_value
from mmcodemod.project.index import Index
from mmcodemod.project.sources import Sources
from mmcodemod.project.straight_code import StraightCode, bound_names, parameters
from mmcodemod.project.stubs import is_stub

_SIMPLE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Delete)
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAX_IMPORTS = 5  # of one file from another


class CodeValues:
    """What the files of one tree say."""

    def __init__(self, sources: Sources, index: Index) -> None:
        self._sources = sources
        self._modules = index.modules
        self._modules_read: dict[str, Settings] = {}
        self._depth = 0

    def before(
        self, path: str, module: ast.Module, function: FunctionNode, call: ast.Call, expr: ast.expr
    ) -> Value:
        """The value of `expr`, an argument of `call`, which stands in `function` or in the module itself."""
        reading, at = self._reading(path), Place(path, call.lineno)
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

    def _reading(self, path: str) -> StraightCode:
        copies: dict[int, Settings] = {}  # what a file holds is one object, by whatever name

        def taken(node: ast.Import | ast.ImportFrom) -> Settings:
            if isinstance(node, ast.Import):
                return self._modules_imported(node, path, copies)
            return self._imported(node, path, copies)

        def load(named: str) -> Value | None:
            return self.of_file(path, named)

        return BranchedCode(self._sources, path, (path,), CodeNames(path, load=load), taken=taken)

    def of_file(self, path: str, named: str) -> Value | None:
        """What a file holds that the code loads; of a DeepSpeed configuration others say that."""
        return None

    def _home(self, node: ast.ImportFrom, path: str) -> str | None:
        """The file of the tree that an import means."""
        absolute = self._modules.absolute(node.module or "", node.level, path)
        home = self._modules.find(absolute, path)
        return None if home is None or is_stub(home) else home

    def _imported(self, node: ast.ImportFrom, path: str, copies: dict[int, Settings]) -> Settings:
        """What names of another file of the tree hold, and what modules hold that are imported by name."""
        wanted = {a.name: a.asname or a.name for a in node.names}
        above = self._modules.absolute(node.module or "", node.level, path)
        modules = {own: self._module(f"{above}.{name}", own, path, copies) for name, own in wanted.items()}
        found = {own: Value(held, Place(path, node.lineno)) for own, held in modules.items() if held}
        home, at = self._home(node, path), Place(path, node.lineno)
        held = self._of(home, wanted, path, at, copies) if home is not None else {}
        return {**found, **{wanted[name]: value for name, value in held.items()}}

    def _modules_imported(self, node: ast.Import, path: str, copies: dict[int, Settings]) -> Settings:
        """`import pkg.settings`, `import pkg.settings as own`"""
        found: Settings = {}
        for alias in node.names:
            held = self._module(alias.name, alias.asname or alias.name, path, copies)
            names = [alias.asname] if alias.asname else alias.name.split(".")
            if held:
                _below(found, names, Value(held, Place(path, node.lineno)))
        return found

    def _module(self, dotted: str, own: str, path: str, copies: dict[int, Settings]) -> ModuleValues | None:
        """What those names of a module of the tree hold that the importing file asks for; `own`: what it
        calls the module. None where it asks for none."""
        asked = self._sources.once(("asked of modules", path), lambda: _asked(self._sources.python(path)))
        home = self._modules.find(dotted, path) if own in asked else None
        if home is None or is_stub(home) or home == path:
            return None
        return ModuleValues(self._of(home, asked[own], path, Place(path, 1), copies)) or None

    def _of(
        self, home: str, wanted: Iterable[str], path: str, at: Place, copies: dict[int, Settings]
    ) -> Settings:
        """What names of another file hold; UNKNOWN what code elsewhere may change."""
        if self._values_of(home).isdisjoint(wanted):
            return {}
        held = self._held(home)
        found = {name: copied(held[name], MAX_DEPTH, copies) for name in wanted if name in held}
        shared = [name for name, value in found.items() if within(value)]
        changed = set(self._changed_elsewhere(shared, home, path))
        return {name: Value(UNKNOWN, at) if name in changed else v for name, v in found.items()}

    def _held(self, home: str) -> Settings:
        """What the names of a file hold when it has run; UNKNOWN what its functions may change. Files that
        import each other show nothing."""
        module = None if home in self._modules_read else self._sources.python(home)
        if module is not None and self._depth < MAX_IMPORTS:
            self._modules_read[home] = {}
            self._depth += 1
            reading = self._reading(home)
            _follow(reading, module.body, None, last=False)
            reading.forget(changed_by_functions(module.body), Place(home, 1))
            self._depth -= 1
            self._modules_read[home] = reading.known
        return self._modules_read.get(home, {})

    def _values_of(self, home: str) -> frozenset[str]:
        """The names to which a file gives values, or that it has from others, no functions and classes."""
        return self._sources.once(("values of", home), lambda: frozenset(self._given_values(home)))

    def _given_values(self, home: str) -> Iterator[str]:
        module = self._sources.python(home)
        for node in module.body if module is not None else ():
            if not isinstance(node, _DEFINES):
                yield from bound_names(node)

    def _changed_elsewhere(self, names: Iterable[str], home: str, reader: str) -> Iterator[str]:
        """The names whose dictionaries further files of the tree may change, which import them, too."""
        for path in sorted(self._sources.paths) if names else ():
            if path.endswith(".py") and path not in (home, reader):
                data = self._sources.data(path)
                if any(name.encode() in data for name in names):
                    yield from self._changed_in(path, home)

    def _changed_in(self, path: str, home: str) -> Iterator[str]:
        module = self._sources.python(path)
        nodes = list(walk(module)) if module is not None else []
        touched = {name for n in nodes for name in touched_by(n)}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and self._home(node, path) == home:
                yield from (a.name for a in node.names if (a.asname or a.name) in touched)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                if any(own.partition(".")[0] in touched for own in self._names_of(home, node, path)):
                    yield from self._values_of(home)

    def _names_of(self, home: str, node: ast.Import | ast.ImportFrom, path: str) -> Iterator[str]:
        """What an import calls a module."""
        level, module = getattr(node, "level", 0), getattr(node, "module", None)
        above = self._modules.absolute(module or "", level, path) if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            dotted = f"{above}.{alias.name}" if above else alias.name
            if self._modules.find(dotted, path) == home:
                yield alias.asname or alias.name


class ValuesOfFiles(CodeValues):
    """The same, with what the code loads from YAML and JSON files of the tree."""

    def of_file(self, path: str, named: str) -> Value | None:
        return file_value(self._sources, path, named)


def _asked(module: ast.Module | None) -> dict[str, set[str]]:
    """The names that a file asks modules for, which it does not call, by what it calls the module."""
    found: dict[str, set[str]] = {}
    nodes = list(walk(module)) if module is not None else []
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in called and (own := dotted_name(node.value)):
            found.setdefault(own, set()).add(node.attr)
    return found


def _below(found: Settings, names: list[str], held: Value) -> None:
    """Put what a module holds where `pkg.settings` finds it."""
    for name in names[:-1]:
        inner = found.setdefault(name, Value(ModuleValues(), held.at)).content
        found = inner if isinstance(inner, ModuleValues) else {}
    found[names[-1]] = held


def _others(module: ast.Module, function: FunctionNode) -> Iterator[ast.stmt]:
    """The definitions of a module, but for the one that is followed by itself."""
    for node in module.body:
        if isinstance(node, _DEFINES) and (node.lineno, node.col_offset) != _start(function):
            yield node


def _bound_around(module: ast.Module, function: FunctionNode) -> Iterator[str]:
    """The names of functions around this one, which hide those of the module."""
    line = _start(function)[0]
    for outer in walk(module):
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
