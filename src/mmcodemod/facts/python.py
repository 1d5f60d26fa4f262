"""Facts of one Python file: what its text says, found with `ast` in one walk over its statements."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mmcodemod.facts.definitions import (
    Decoration,
    decoration,
    is_setter,
    loosely_bound,
    named_lambda,
    own_expressions,
)
from mmcodemod.model.place import Place

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
MAIN = "<main>"  # the name of the code under `if __name__ == "__main__"`
MAX_DEPTH = 400  # statements nested deeper than this are not looked into


@dataclass(frozen=True, slots=True)
class Import:
    """One imported binding: `from {'.' * level}module import name as bound`; `name` None for `import m`."""

    bound: str
    module: str
    name: str | None
    level: int
    line: int


@dataclass(eq=False, slots=True)
class FunctionFacts:
    """A function, or the module's own code ("<module>"). `owner` is the qualified name of its class."""

    path: str
    qualname: str
    node: FunctionNode
    owner: str | None = None
    parent: str | None = None
    imports: list[Import] = field(default_factory=list)
    decoration: Decoration | None = None

    @property
    def id(self) -> str:
        return f"{self.path}::{self.qualname}"

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)


@dataclass(eq=False, slots=True)
class ClassFacts:
    """A class with its methods (name -> qualified name) and the assignments of its body."""

    path: str
    qualname: str
    node: ast.ClassDef
    scope: str
    methods: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, list[ast.expr]] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    setters: dict[str, str] = field(default_factory=dict)
    decoration: Decoration | None = None

    @property
    def id(self) -> str:
        return f"{self.path}::{self.qualname}"

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]


@dataclass(eq=False, slots=True)
class FileFacts:
    """Everything that the project model asks of one file."""

    path: str
    tree: ast.Module
    lines: int
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    bindings: dict[str, list[ast.expr]] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
    stars: list[Import] = field(default_factory=list)
    exported: tuple[str, ...] | None = None
    loose: set[str] = field(default_factory=set)  # module names bound by unpacking, loops and `with`
    writers: dict[str, list[str]] = field(default_factory=dict)  # functions that say `global name`
    lambdas: dict[int, str] = field(default_factory=dict)  # qualified name by id of the `ast.Lambda`
    decorations: dict[int, Decoration] = field(default_factory=dict)  # by id of the definition


@dataclass(frozen=True)
class ParseError(Exception):
    """Why `ast` rejects a file; `line` from 1, 0 when unknown."""

    message: str
    line: int = 0


def parse(data: bytes) -> ast.Module:
    """Parse Python source without compiling it.

    Raises:
        ParseError: for syntax errors, null bytes, and nesting that the parser cannot take.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        raise ParseError(error.msg or "invalid syntax", error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseError(f"{type(error).__name__}: {error}") from None


def extract(path: str, data: bytes) -> FileFacts:
    """Return the facts of one file.

    Raises:
        ParseError: when `ast` cannot read it.
    """
    tree = parse(data)
    facts = FileFacts(path, tree, data.count(b"\n"))
    extractor = _Extractor(facts)
    if b"lambda" in data:
        extractor.lambdas = Counter()
    extractor.run()
    return facts


class _Extractor:
    """Walks statements only; expressions are left to whoever needs them."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts
        self.lambdas: Counter[str] | None = None

    def run(self) -> None:
        module = FunctionFacts(self.facts.path, "<module>", self.facts.tree)
        self.facts.functions["<module>"] = module
        self.body(self.facts.tree.body, module, None, 0)

    def body(
        self, body: list[ast.stmt], function: FunctionFacts, owner: ClassFacts | None, depth: int
    ) -> None:
        if depth > MAX_DEPTH:
            return
        for statement in body:
            kind = statement.__class__
            if self.lambdas is not None:
                self.anonymous(statement, function, owner)
            if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
                self.function(statement, function, owner, depth)  # type: ignore[arg-type]
            elif kind is ast.ClassDef:
                self.klass(statement, function, owner, depth)  # type: ignore[arg-type]
            elif kind is ast.Import or kind is ast.ImportFrom:
                self.imported(statement, function, owner)
            else:
                self.other(statement, function, owner, depth)

    def other(
        self, statement: ast.stmt, function: FunctionFacts, owner: ClassFacts | None, depth: int
    ) -> None:
        at_module = function.qualname == "<module>"
        if at_module or owner is not None:
            self.assigned(statement, owner)
        if isinstance(statement, (ast.Global, ast.Nonlocal)):
            for name in statement.names:
                self.facts.writers.setdefault(name, []).append(function.qualname)
        if at_module and owner is None and is_main_guard(statement):
            self.guarded(statement.body)  # type: ignore[attr-defined]
        for block in blocks(statement):
            self.body(block, function, owner, depth + 1)

    def guarded(self, body: list[ast.stmt]) -> None:
        """Code under `if __name__ == "__main__"` is a function of its own: importing does not run it."""
        main = self.facts.functions.get(MAIN)
        if main is None:
            module = ast.Module(body=[], type_ignores=[])
            main = FunctionFacts(self.facts.path, MAIN, module, parent="<module>")
            self.facts.functions[MAIN] = main
        main.node.body.extend(body)

    def assigned(self, statement: ast.stmt, owner: ClassFacts | None) -> None:
        into = self.facts.bindings if owner is None else owner.attributes
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    into.setdefault(target.id, []).append(statement.value)
                    if target.id == "__all__" and owner is None:
                        self.facts.exported = _strings(statement.value)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if statement.value is not None:
                into.setdefault(statement.target.id, []).append(statement.value)
            if owner is not None:
                owner.annotations[statement.target.id] = statement.annotation
        if owner is None:
            self.facts.loose.update(loosely_bound(statement))

    def function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        outer: FunctionFacts,
        owner: ClassFacts | None,
        depth: int,
    ) -> None:
        qualname = self._qualname(node.name, outer, owner)
        while is_setter(node) and qualname in self.facts.functions:
            qualname += "'"
        facts = FunctionFacts(
            self.facts.path, qualname, node, owner.qualname if owner else None, outer.qualname
        )
        facts.decoration = self.decorated(node, qualname)
        self.facts.functions[qualname] = facts
        if owner is not None:
            into = owner.setters if is_setter(node) else owner.methods
            into.setdefault(node.name, qualname)
        self.body(node.body, facts, None, depth + 1)

    def decorated(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, qualname: str
    ) -> Decoration | None:
        found = decoration(node, qualname) if node.decorator_list else None
        if found is not None:
            self.facts.decorations[id(node)] = found
        return found

    def anonymous(self, statement: ast.stmt, function: FunctionFacts, owner: ClassFacts | None) -> None:
        """The lambdas in the expressions of a statement, in source order."""
        todo: list[tuple[ast.AST, FunctionFacts, ClassFacts | None]] = []
        todo += [(expr, function, owner) for expr in own_expressions(statement)][::-1]
        while todo:
            node, scope, owner = todo.pop()
            inner: list[ast.AST] = list(ast.iter_child_nodes(node))
            if isinstance(node, ast.Lambda):
                made = self.named(node, scope, owner)
                todo.append((node.body, made, None))
                inner = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            todo += [(child, scope, owner) for child in reversed(inner)]

    def named(self, node: ast.Lambda, function: FunctionFacts, owner: ClassFacts | None) -> FunctionFacts:
        """The function that a lambda is."""
        made = named_lambda(node, self._number(function, owner))
        qualname = self._qualname(made.name, function, owner)
        facts = FunctionFacts(self.facts.path, qualname, made, None, function.qualname)
        self.facts.functions[qualname] = facts
        self.facts.lambdas[id(node)] = qualname
        return facts

    def _number(self, function: FunctionFacts, owner: ClassFacts | None) -> int:
        assert self.lambdas is not None
        scope = owner.qualname if owner else function.qualname
        self.lambdas[scope] += 1
        return self.lambdas[scope]

    def klass(self, node: ast.ClassDef, outer: FunctionFacts, owner: ClassFacts | None, depth: int) -> None:
        qualname = self._qualname(node.name, outer, owner)
        facts = ClassFacts(self.facts.path, qualname, node, outer.qualname)
        facts.decoration = self.decorated(node, qualname)
        self.facts.classes.setdefault(qualname, facts)
        self.body(node.body, outer, facts, depth + 1)

    def _qualname(self, name: str, outer: FunctionFacts, owner: ClassFacts | None) -> str:
        prefix = owner.qualname if owner else "" if outer.qualname == "<module>" else outer.qualname
        qualname = f"{prefix}.{name}" if prefix else name
        while owner is None and qualname in self.facts.functions and outer.qualname != "<module>":
            qualname += "'"
        return qualname

    def imported(self, node: ast.stmt, function: FunctionFacts, owner: ClassFacts | None) -> None:
        into = self.facts.imports if function.qualname == "<module>" else function.imports
        for item in _imports(node):
            if item.name == "*":
                self.facts.stars.append(item)
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


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statement lists inside a compound statement, in source order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        inner = getattr(statement, name, None)
        if not inner:
            continue
        if name in ("handlers", "cases"):
            for part in inner:
                yield part.body
        else:
            yield inner


def is_main_guard(statement: ast.AST) -> bool:
    """Is it `if __name__ == "__main__":`?"""
    test = getattr(statement, "test", None)
    return isinstance(statement, ast.If) and _names_main(test)


def _names_main(test: ast.expr | None) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and any(isinstance(c, ast.Constant) and c.value == "__main__" for c in test.comparators)
    )


def _strings(value: ast.expr) -> tuple[str, ...] | None:
    if isinstance(value, (ast.List, ast.Tuple)):
        found = [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        return tuple(found) if len(found) == len(value.elts) else None
    return None


_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def place_of(path: str, node: ast.AST, lines: list[str]) -> Place:
    """The place of an `ast` node, columns counted in code points (ast counts UTF-8 bytes)."""
    line, end = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
    return Place(
        path,
        line,
        _column(lines, line, node.col_offset),  # type: ignore[attr-defined]
        end,
        _column(lines, end, node.end_col_offset or 0),  # type: ignore[attr-defined]
    )


def _column(lines: list[str], line: int, offset: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    if _NON_ASCII.search(text):
        return len(text.encode()[:offset].decode(errors="replace")) + 1
    return offset + 1
