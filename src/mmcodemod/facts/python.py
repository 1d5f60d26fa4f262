"""Facts of one Python file: what its text says, made from a record. Trees are read again when asked."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import NamedTuple

from mmcodemod.facts.body import Body, names_of
from mmcodemod.facts.nodes import Nodes
from mmcodemod.facts.outline import MAIN, MODULE, DefinedClass, Import, Outline
from mmcodemod.facts.packing import unpack
from mmcodemod.facts.syntax import FunctionNode
from mmcodemod.facts.terms import Call, Decoration, Record, Term, Terms, is_name
from mmcodemod.model.frozen import mutable

Look = Callable[[str], Outline]  # the outline of a file of the tree, by path, with its nodes
Exprs = dict[str, list[Term]]


class Parameters(NamedTuple):
    """A function's signature. All empty for module code."""

    positional_only: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    rest: str = ""  # *rest
    keyword_only: tuple[str, ...] = ()
    keywords: str = ""  # **keywords
    defaults: tuple[tuple[str, Record | None], ...] = ()
    annotations: tuple[tuple[str, Record | None], ...] = ()

    @property
    def positional(self) -> tuple[str, ...]:
        return self.positional_only + self.plain

    @property
    def by_name(self) -> frozenset[str]:
        """Those that a keyword argument reaches."""
        return frozenset((*self.plain, *self.keyword_only))

    @property
    def first(self) -> str:
        """The first positional parameter, "" when there is none."""
        return next(iter(self.positional), "")

    @property
    def names(self) -> set[str]:
        """All of them."""
        return {*self.positional, *self.keyword_only, self.rest, self.keywords} - {""}


class Own:
    """What a scope's own code does, and what it assigns to names of the module and of its classes.
    `decorations`: the decorators of its definitions as nested calls, by (is it a class, qualified name)."""

    def __init__(self, record: Record, owner: FunctionFacts) -> None:
        body, bindings, attributes, decorations = record
        terms = Terms(owner)
        self.body: Body[Term, Call] = Body.of(body, terms.of)
        self.bindings = _named(bindings, terms)
        self.attributes = {cls: _named(named, terms) for cls, named in attributes}
        self.decorations: dict[tuple[bool, str], Term] = {key: terms.of(d) for key, d in decorations}


_NOTHING: Record = (((), (), (), (), (), (), (), (), False, False, ()), (), (), ())


def _named(records: Record, terms: Terms) -> Exprs:
    return {name: list(terms.all(exprs)) for name, exprs in records}


class Silent(NamedTuple):
    """What a scope does that no call says, as records: there is much of it, and little is asked for.
    `implied`: what the language calls (method, object, arguments); `reads`: attributes; `raised`: names."""

    implied: Record
    reads: Record
    raised: Record
    terms: Terms


@mutable(eq=False, slots=True)
class FunctionFacts:
    """A function, or the module's own code ("<module>"). `id` is "path::qualname", `owner` the qualified name
    of its class. `line` is that of the `def`, `last_line` 0 for module code."""

    id: str
    path: str
    qualname: str
    owner: str | None
    parent: str | None
    imports: tuple[Import, ...]
    line: int
    last_line: int
    decorators: frozenset[str]  # names, without their modules
    parameters: Parameters
    _decorated: bool
    _returns: Record | None
    _data: bytes
    _silent: bytes
    _file: FileFacts
    _own: Own | None = None
    _nodes: Nodes | None = None
    _ordinals: dict[int, int] | None = None
    _signature: Terms | None = None
    unread: bool = False  # nested too deeply to be looked into: as if it did nothing

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def is_module(self) -> bool:
        """Is it the module's own code, or that under its main guard?"""
        return self.qualname in (MODULE, MAIN)

    @property
    def own(self) -> Own:
        """Its full facts, read when first asked for."""
        if self._own is None:
            try:
                self._own = Own(unpack(self._data), self)
            except RecursionError:
                self._own, self.unread = Own(_NOTHING, self), True
            self._data = b""
        return self._own

    @property
    def body(self) -> Body[Term, Call]:
        return self.own.body

    def may_say(self, words: Iterable[str]) -> bool:
        """May the names of its own code hold one of these words? Told from the bytes of facts that nobody
        asked for yet, so that those need not be read."""
        return not self._data or any(word.encode() in self._data for word in words)

    @property
    def silent(self) -> Silent:
        """What it does that no call says: read again for each who asks, and not kept."""
        implied, reads, raised = unpack(self._silent)
        return Silent(implied, reads, raised, Terms(self))

    @property
    def ordinals(self) -> dict[int, int]:
        """The numbers of its calls in source order, by the id of the term."""
        if self._ordinals is None:
            self._ordinals = {id(call): number for number, call in enumerate(self.body.calls)}
        return self._ordinals

    @property
    def decoration(self) -> Decoration | None:
        """Its decorators as nested calls, None when there is none of interest."""
        if not self._decorated or self.parent is None:
            return None
        return _decoration(self._file, self.parent, (False, self.qualname))

    @property
    def _terms(self) -> Terms:
        if self._signature is None:
            self._signature = Terms(self)
        return self._signature

    def default(self, name: str) -> Term | None:
        """The default of a parameter."""
        return next((self._terms.of(e) for n, e in self.parameters.defaults if n == name), None)

    def annotation(self, name: str) -> Term | None:
        """The annotation of a parameter."""
        return next((self._terms.of(e) for n, e in self.parameters.annotations if n == name), None)

    @property
    def returns(self) -> Term | None:
        """What it says that it returns."""
        return self._terms.of(self._returns[0]) if self._returns is not None else None

    @property
    def nodes(self) -> Nodes:
        """Its syntax and its full facts with nodes for expressions: reads the file again, so only for the few
        files that are looked at closely."""
        if self._nodes is None:
            self._nodes = Nodes(self.node, self._file.outline)
        return self._nodes

    @property
    def node(self) -> FunctionNode:
        """Its syntax tree: reads the file again."""
        return self._file.outline.functions[self.qualname].node


@mutable(eq=False, slots=True)
class ClassFacts:
    """A class with its methods (name -> qualified name); `id` is "path::qualname", `scope` the function that
    its body runs in."""

    id: str
    path: str
    qualname: str
    line: int
    scope: str
    methods: dict[str, str]
    setters: dict[str, str]
    decorators: frozenset[str]  # names, without their modules
    _decorated: bool
    _bases: Record
    _annotations: Record
    _file: FileFacts
    _terms: Terms | None = None
    _attributes: Exprs | None = None

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def _within(self) -> Own:
        return self._file.functions[self.scope].own

    def _of(self, record: Record | None) -> Term:
        if self._terms is None:
            self._terms = Terms(self._file.functions[self.scope])
        return self._terms.of(record)

    @property
    def bases(self) -> list[Term]:
        return [self._of(base) for base in self._bases]

    @property
    def fields(self) -> list[str]:
        """The names that its body annotates."""
        return [name for name, _ in self._annotations]

    def annotation(self, name: str) -> Term | None:
        """How its body annotates a name."""
        if not self._annotations:
            return None
        return next((self._of(a) for n, a in self._annotations if n == name), None)

    @property
    def attributes(self) -> Exprs:
        """What its body assigns."""
        if self._attributes is None:
            self._attributes = self._within.attributes.get(self.qualname, {})
        return self._attributes

    @property
    def decoration(self) -> Decoration | None:
        return _decoration(self._file, self.scope, (True, self.qualname)) if self._decorated else None

    @property
    def defined(self) -> DefinedClass:
        """Its syntax tree and the nodes that its body assigns: reads the file again."""
        return self._file.outline.classes[self.qualname]

    @property
    def node(self) -> ast.ClassDef:
        return self.defined.node


@mutable(eq=False, slots=True)
class FileFacts:
    """Everything that the project model asks of one file."""

    path: str
    lines: int
    _look: Look
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    stars: tuple[Import, ...] = ()
    exported: tuple[str, ...] | None = None
    loose: frozenset[str] = frozenset()  # module names bound by unpacking, loops and `with`
    writers: dict[str, tuple[str, ...]] = field(default_factory=dict)  # functions that say `global name`
    _by_bound: dict[str, list[Import]] | None = None
    _writes_names: bool | None = None

    def imported(self, name: str) -> Sequence[Import]:
        """The imports of the module's own code that bind a name, in source order."""
        if self._by_bound is None:
            self._by_bound = {}
            for item in self.imports:
                self._by_bound.setdefault(item.bound, []).append(item)
        return self._by_bound.get(name, ())

    @property
    def writes_names(self) -> bool:
        """Does its code give names values that do not show: `exec(text)`, `globals()[name] = value`?"""
        if self._writes_names is None:
            calls = (call for f in self.functions.values() for call in f.body.calls)
            self._writes_names = any(is_name(call.func, "exec", "globals", "vars") for call in calls)
        return self._writes_names

    @property
    def bindings(self) -> Exprs:
        """What the module's own code assigns to its names."""
        return self.functions[MODULE].own.bindings

    @property
    def outline(self) -> Outline:
        """What it defines with the nodes of its tree: reads the file again."""
        return self._look(self.path)

    @property
    def tree(self) -> ast.Module:
        """Its syntax tree: reads the file again."""
        return self.outline.tree


def file_facts(path: str, record: Record, look: Look) -> FileFacts:
    """The facts of a record, at the path where its file lies."""
    lines, functions, classes, imports, stars, exported, loose, writers = record
    facts = FileFacts(path, lines, look, {}, {}, _imports(imports), _imports(stars), exported)
    facts.loose, facts.writers = names_of(loose), dict(writers)
    for function in functions:
        facts.functions[function[0]] = _function(facts, function)
    for cls in classes:
        facts.classes[cls[0]] = _class(facts, cls)
    return facts


def _imports(records: Record) -> tuple[Import, ...]:
    return tuple([Import(*i) for i in records])


def _function(file: FileFacts, record: Record) -> FunctionFacts:
    qualname, owner, parent, imports, decorated, line, last, names, parameters, returns, data, silent = record
    named = f"{file.path}::{qualname}", file.path, qualname, owner, parent
    fixed = *named, _imports(imports), line, last, names_of(names)
    return FunctionFacts(*fixed, Parameters(*parameters), decorated, returns, data, silent, file)


def _class(file: FileFacts, record: Record) -> ClassFacts:
    qualname, line, scope, methods, setters, bases, annotations, names, decorated = record
    fixed = file.path, qualname, line, scope, dict(methods), dict(setters), names_of(names)
    return ClassFacts(f"{file.path}::{qualname}", *fixed, decorated, bases, annotations, file)


def _decoration(file: FileFacts, scope: str, key: tuple[bool, str]) -> Decoration | None:
    """The decorators of a definition, from the code that runs them: that of a module may stand under its main
    guard."""
    scopes = (scope, MAIN) if scope == MODULE and MAIN in file.functions else (scope,)
    found = (file.functions[name].own.decorations.get(key) for name in scopes)
    return next((one for one in found if isinstance(one, Decoration)), None)
