"""The project: everything a rule may ask, built once per check and never changed by rules."""

from __future__ import annotations

import ast
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Concatenate, ParamSpec, TypeVar

from mmcodemod.facts.node import Json
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import ClassFacts, FunctionFacts
from mmcodemod.facts.syntax import place_of
from mmcodemod.facts.terms import Call, Term, last_name
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.finding import Problem
from mmcodemod.model.place import Place
from mmcodemod.project import training
from mmcodemod.project.asked import Asked
from mmcodemod.project.callgraph import CallGraph, Edge
from mmcodemod.project.calls import Builder
from mmcodemod.project.code_arguments import without_its_file
from mmcodemod.project.code_settings import with_code_settings
from mmcodemod.project.configured import Configured, named
from mmcodemod.project.contexts import deepspeed_configs
from mmcodemod.project.copies import own_entries, own_runs
from mmcodemod.project.in_code import InCode
from mmcodemod.project.index import Index
from mmcodemod.project.infer import Frame, Resolver
from mmcodemod.project.judging import Judging, watched
from mmcodemod.project.library import library_name
from mmcodemod.project.may_train import imports_of, may_train
from mmcodemod.project.pins import Pins
from mmcodemod.project.pruning import pruned
from mmcodemod.project.python_config import bases
from mmcodemod.project.reach import Frontier, Reach, Reached, roots
from mmcodemod.project.sources import Sources
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.test_programs import runs_tests
from mmcodemod.project.values import ClassRef, Values
from mmcodemod.source.tree import Tree
from mmcodemod.source.words import Words

T = TypeVar("T")
P = ParamSpec("P")
LIBRARY_ROOTS = ("forward", "training_step", "compute_loss", "__call__", "__getitem__", "train")
EVERYWHERE = ("__call__", "__getitem__")


class Project:
    """`launched`: contexts read from launch files; `configured`: configurations that nothing launches;
    `pins`: what the tree requires; `alone`: nothing else is run, whatever entry points the tree has;
    `gpu_memory`: bytes of one GPU, 0 when the user does not say; `tell` hears what goes on; `absent`: the
    tree launches programs on several ranks that it lacks; `configure` adds to the contexts what the code
    loads, and may ask for anything here but the contexts."""

    def __init__(
        self,
        index: Index,
        launched: tuple[Context, ...] = (),
        configured: tuple[Context, ...] = (),
        pins: Pins | None = None,
        alone: bool = False,
        gpu_memory: int = 0,
        tell: Callable[[str], None] = lambda _: None,
        absent: bool = False,
        configure: Callable[[Project, tuple[Context, ...]], tuple[Context, ...]] = lambda _, plain: plain,
    ) -> None:
        self.index = index
        self.solver = Resolver(index)
        self.resolver = Asked(self.solver)
        self.problems: list[Problem] = list(index.problems)
        self.configured = tuple(map(watched, configured))
        self.judging = Judging(self._kind)
        self.gpu_memory = gpu_memory
        self._tell = tell
        self._launched = launched
        self._alone, self._absent = alone, absent
        self._entries = [] if alone else training.main_entries(index)
        self.pins = pins or Pins({})
        self._memo: dict[Any, Any] = {}
        self._starts: dict[str, array[int]] = {}
        self._configure, self._configuring = configure, False

    @property
    def tree(self) -> Tree:
        return self.index.tree

    @cached_property
    def sources(self) -> Sources:
        """The files of the tree as configurations and scripts, each parsed once. What of them cannot be read
        was reported where the contexts were found."""
        return Sources(self.tree)

    @property
    def launched(self) -> tuple[Context, ...]:
        """The contexts of all launches, also of those that turn out not to train."""
        return self._launched

    def get(self, analysis: Callable[[Project], T]) -> T:
        """The result of an analysis, computed once and shared by all rules."""
        if analysis not in self._memo:
            self._memo[analysis] = analysis(self)
        result: T = self._memo[analysis]
        return result

    def once(self, analysis: Callable[Concatenate[Project, P], T], *asked: P.args, **named: P.kwargs) -> T:
        """What an analysis says of the hashable things that it is asked about, worked out once for each."""
        key = analysis, asked, tuple(named.items())
        if key not in self._memo:
            self._memo[key] = analysis(self, *asked, **named)
        result: T = self._memo[key]
        return result

    # -- call graph and contexts --------------------------------------------------------------------

    @cached_property
    def graph(self) -> CallGraph:
        """The call graph from all entries that may train; of a library, from what training would call."""
        self._tell("building the call graph")
        return self._followed(lambda entries: may_train(self.index, self._no_tests(entries), self._saying))

    def _no_tests(self, entries: list[Entry]) -> list[Entry]:
        """Without programs that run tests and that nothing launches."""
        launched = {context.entry for context in self._launched}
        files = self.index.files
        return [e for e in entries if e in launched or e.path not in files or not runs_tests(files[e.path])]

    @cached_property
    def whole_graph(self) -> CallGraph:
        """The same from all entries, whether they train or not."""
        return self._followed(lambda entries: entries)

    def _followed(self, chosen: Callable[[list[Entry]], list[Entry]]) -> CallGraph:
        configured = [c.entry for c in self.configured if c.entry]
        every = [c.entry for c in self._launched if c.entry] + self._entries + configured
        own = own_entries(self._launched, self._entries, self.tree.paths) + configured
        for entries in [own, every] if len(own) < len(every) else [every]:
            starts = training.starts(self.index, chosen(entries))
            found = Builder(self.solver, self._registered).build(starts)
            if self._any_trains(found, [entry for entry in entries if not entry.library]):
                return pruned(found, self.solver, starts)
        programs = training.starts(self.index, [entry for entry in every if entry.library])
        called = filter(self._is_called, self.library_roots())
        return Builder(self.solver, self._registered).build([*called, *programs])

    def _any_trains(self, graph: CallGraph, entries: list[Entry]) -> bool:
        steps = training.steps(graph)
        leading = training.leading_to(steps, graph)
        starts = [roots(self.index, entry) for entry in dict.fromkeys(entries)]
        reaches = (Reach(graph, s) for s in starts if any(frame.function in leading for frame in s))
        return any(training.trains(steps, reach) for reach in reaches)

    @cached_property
    def _registered(self) -> Configured:
        """What the configurations written in Python name for registries to build."""
        return Configured(self.solver, named(self.index, [c.command for c in self._launched]))

    def library_roots(self) -> list[Frame]:
        """What a training run that uses this tree would call."""
        found = []
        for path in self.index.python_files:
            for cls in self.index.files[path].classes.values():
                for name in LIBRARY_ROOTS:
                    method = self.resolver.classes.find(cls.id, name)
                    if method and not method.startswith(MODELS):
                        found.append(Frame(method, cls.id))
            for function in self.index.files[path].functions.values():
                if function.name.startswith("train") and not function.owner:
                    found.append(Frame(function.id))
        return found

    def _is_called(self, frame: Frame) -> bool:
        """Would training call it? Objects of many kinds have `__call__` or `__getitem__`: that counts where
        the file, or that of the class, imports a framework."""
        if frame.function.rpartition(".")[2] not in EVERYWHERE:
            return True
        paths = {frame.function.partition("::")[0], frame.receiver.partition("::")[0]}
        imported = (item for path in paths for item in imports_of(self.index.files[path]))
        return any(self.index.modules.is_library(i.module.partition(".")[0]) for i in imported if not i.level)

    @cached_property
    def contexts(self) -> tuple[Context, ...]:
        """The contexts that train: launched, then entries that nothing launches; else, and beside programs
        that are not of the tree, the library."""
        if self._configuring:
            raise RuntimeError("the contexts are asked for while they are made")
        self._configuring = True
        return self._configure(self, self._plain)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the contexts, one for each."""
        return tuple(c.entry for c in self._plain if c.entry)

    @cached_property
    def _plain(self) -> tuple[Context, ...]:
        """The same, without the DeepSpeed configurations that code loads or is handed by an option."""
        found = []
        for context in self._launched:
            if context.entry and self.trains(context.entry):
                found.append(self._refined(context, context.entry))
        known = [c for c in found if c.origin is not Origin.NOTED]
        seen = {c.entry.path for c in known if c.entry and not self._barred(c.entry.config)}
        for entry in self._entries:
            if entry.path not in seen and self.trains(entry) and not self._imported_by(entry, seen):
                found.append(self._refined(self._required(training.unlaunched(entry), entry.path), entry))
        found = training.beside_launched(own_runs(found, self.tree.paths), self.tree, self._absent)
        own = any(c.entry and not c.entry.library for c in found)
        if not found or (not own and not self._alone and self.index.python_files):
            found.append(self._required(training.library_context(self.index), ""))
        return tuple(map(watched, found))

    def _kind(self, context: Context) -> object:
        """What an answer about a context may depend on besides its options."""
        reach = id(self.reach(context.entry)) if context.entry else 0
        decided = context.strategy_from.value
        folder = context.launcher.path.rpartition("/")[0] if context.launcher else None
        ways = context.strategy, decided, context.origin, context.launched_by, folder
        return reach, ways, context.configs, tuple(context.dependencies.values())

    def _required(self, context: Context, path: str) -> Context:
        return replace(context, dependencies=self.pins.holding(path))

    def _refined(self, context: Context, entry: Entry) -> Context:
        """What the code applies or names itself, where the launch leaves it open."""
        reach = self.reach(entry)
        made = self.in_code.made_without_file(reach) if context.strategy.is_deepspeed else None
        context = without_its_file(context, made)
        named = with_code_settings(context, self.in_code.named(reach), self.deepspeed_documents)
        return training.refine(named, self.in_code.sharded(reach))

    @cached_property
    def in_code(self) -> InCode:
        """What code says of the strategy of the runs that reach it."""
        return InCode(self.solver, self.graph)

    @cached_property
    def deepspeed_documents(self) -> dict[str, Json]:
        """The DeepSpeed configurations of the tree, by path."""
        return deepspeed_configs(self.tree)

    def _imported_by(self, entry: Entry, launched: set[str]) -> bool:
        """Is this file part of what a launched entry runs? Then it is no entry of its own."""
        module = f"{entry.path}::<module>"
        return any(module in self.reach(Entry(path)) for path in launched)

    @property
    def is_library(self) -> bool:
        """Has the tree no training entry?"""
        return any(c.origin is Origin.LIBRARY for c in self._plain)

    def reach(
        self, entry: Entry, off: frozenset[Call] = frozenset(), never: frozenset[str] = frozenset()
    ) -> Reach:
        """What one entry point reaches, without the calls `off` and those of the functions and classes
        `never`."""
        barred = self._barred(entry.config) if entry.config else frozenset()
        key = ("reach", entry.path, entry.symbol, barred, off, never)
        if key not in self._memo:
            self._memo[key] = Reach(self.graph, roots(self.index, entry), barred, off, never)
        found: Reach = self._memo[key]
        return found

    def _barred(self, config: str) -> frozenset[str]:
        """What a run with this configuration does not build: targets that only other configurations name;
        nothing for a run without one."""
        key = ("barred", config)
        if key not in self._memo:
            own = self._registered.targets_of(self._parts(config)) if config else frozenset()
            self._memo[key] = self._registered.every_target - own if own else frozenset()
        found: frozenset[str] = self._memo[key]
        return found

    def _parts(self, config: str) -> tuple[str, ...]:
        """A configuration written in Python, and those that it builds on."""
        key = ("parts", config)
        if key not in self._memo:
            self._memo[key] = bases(self.sources, config)
        found: tuple[str, ...] = self._memo[key]
        return found

    def named_by(self, config: str, edge: Edge) -> tuple[str, int] | None:
        """The path and line where a configuration names what an edge leads to; None when it does not, and
        when the edge comes from ordinary code."""
        if edge.named is None and not self._registered.reads(edge.caller.function.partition("::")[0]):
            return None
        return self._registered.named_in(self._parts(config), edge.callee.receiver or edge.callee.function)

    def trains(self, entry: Entry) -> bool:
        """Does this entry point run a training step?"""
        key = ("trains", entry.path, entry.symbol)
        if key not in self._memo:
            may = any(frame.function in self._leading for frame in roots(self.index, entry))
            self._memo[key] = may and training.trains(self.steps, self.reach(replace(entry, config="")))
        return bool(self._memo[key])

    @cached_property
    def _leading(self) -> set[str]:
        return training.leading_to(self.steps, self.graph)

    @cached_property
    def steps(self) -> set[str]:
        """Ids of the functions that run a training step, or hand control to a library that does."""
        return training.steps(self.graph)

    @cached_property
    def trained(self) -> set[str]:
        """Ids of the functions that some training entry (or, in a library, any root) reaches."""
        if self.is_library:
            return {f.function for f in self.graph.frames}
        return {f for entry in self.entries for f in self.reach(entry).functions}

    @cached_property
    def _frontier(self) -> Frontier:
        return Frontier(self.graph, self.index, self.trained)

    def reached(self, function: str) -> Reached:
        """May a training run reach this function?"""
        return self._frontier.answer(function, function in self.trained)

    # -- what rules ask about code --------------------------------------------------------------------

    def functions(self) -> Iterator[FunctionFacts]:
        """All functions of the tree, in the order of paths and lines."""
        for path in self.index.python_files:
            yield from self.index.files[path].functions.values()

    def mentioning(self, *words: str) -> Iterator[FunctionFacts]:
        """Functions of the files whose bytes contain one of the words: the cheap first filter."""
        key = ("mentioning", words)
        if key not in self._memo:
            found = set().union(*map(self._saying, words))
            self._memo[key] = [p for p in self.index.python_files if p in found]
        for path in self._memo[key]:
            yield from self.index.files[path].functions.values()

    def source(self, facts: FunctionFacts) -> bytes:
        """The lines of a function with those of nested ones, from its `def`; of module code, the file."""
        data = self.tree.read_bytes(facts.path)
        if facts.path not in self._starts:
            self._starts[facts.path] = array("I", [0, *accumulate(map(len, data.splitlines(keepends=True)))])
        starts = self._starts[facts.path]
        return data[starts[facts.line - 1] : starts[facts.last_line]] if facts.last_line else data

    def calls_of(self, function: str, names: Collection[str]) -> list[ast.Call]:
        """The calls of a function, in source order, whose callee's last name is among `names`. Of a function
        without such a call, the file is not read again, and its facts hardly."""
        return [node_of(call) for call in self.sites_of(function, names)]

    def sites_of(self, function: str, names: Collection[str]) -> list[Call]:
        """The same calls as terms, for which no file is read again."""
        facts = self.index.function(function)
        calls = facts.body.calls if facts.may_say(names) else ()
        return [call for call in calls if last_name(call) in names]

    @cached_property
    def _words(self) -> Words:
        return Words(self.index.python_files, self.tree.read_bytes)

    def _saying(self, word: str) -> frozenset[str]:
        """The files whose bytes contain a word: several rules ask for the same ones."""
        key = ("saying", word)
        if key not in self._memo:
            self._memo[key] = self._words.saying(word)
        found: frozenset[str] = self._memo[key]
        return found

    def forward_functions(self) -> Iterator[FunctionFacts]:
        """Methods of torch modules, and functions of the tree that they call."""
        names = sorted(self._forward)
        yield from (self.index.function(name) for name in names)

    @cached_property
    def _forward(self) -> set[str]:
        found = {
            f"{cls.path}::{method}"
            for path in self.index.python_files
            for cls in self.index.files[path].classes.values()
            if self.is_module(cls.id)
            for name, method in cls.methods.items()
            if not name.startswith("__init__")
        }
        edges = [e for edges in self.graph.edges.values() for e in edges if e.site is not None]
        mixins = {e.callee.function for e in edges if e.callee.receiver and self.is_module(e.callee.receiver)}
        own = found | mixins
        called = {e.callee.function for e in edges if e.caller.function in own}
        return {f for f in own | called if not f.startswith(MODELS) and not f.endswith((".__init__", ">"))}

    def frames(self, function: str) -> list[Frame]:
        """The frames in which training runs a function; its own class when none does."""
        found = self._frames_of.get(function)
        if found:
            return found
        facts = self.index.function(function)
        return [Frame(function, f"{facts.path}::{facts.owner}" if facts.owner else "")]

    @cached_property
    def _frames_of(self) -> dict[str, list[Frame]]:
        found: dict[str, list[Frame]] = {}
        for frame in self.graph.frames:
            found.setdefault(frame.function, []).append(frame)
        return found

    def callers(self, function: str) -> list[Edge]:
        """The edges that lead to a function, in the order of callers."""
        return self._callers.get(function, [])

    def entering(self, frame: Frame) -> list[Edge]:
        """The calls that lead to one frame, in the order of callers."""
        return self._entering.get(frame, [])

    @cached_property
    def _entering(self) -> dict[Frame, list[Edge]]:
        found: dict[Frame, list[Edge]] = {}
        for edges in self._callers.values():
            for edge in edges:
                if edge.site is not None:
                    found.setdefault(edge.callee, []).append(edge)
        return found

    @cached_property
    def _callers(self) -> dict[str, list[Edge]]:
        found: dict[str, list[Edge]] = {}
        for edges in self.graph.edges.values():
            for edge in edges:
                found.setdefault(edge.callee.function, []).append(edge)
        return found

    def values(self, expr: ast.expr | Term, function: str) -> Values:
        """What an expression may be, over all frames of its function."""
        term = expr if isinstance(expr, Term) else self.resolver.term(expr, function)
        return frozenset(v for frame in self.frames(function) for v in self.solver.infer(term, frame))

    def names(self, expr: ast.expr | Term, function: str) -> set[str]:
        """The library names that an expression may stand for, e.g. {"deepspeed.initialize"}."""
        named = {library_name(self.index.modules, v) for v in self.values(expr, function)}
        return named - {""}

    def is_module(self, cls: str) -> bool:
        """Is a class of the tree a torch module?"""
        return self.resolver.classes.is_module(cls)

    def bases(self, cls: str) -> list[ClassFacts]:
        """A class of the tree and its bases in the tree, in method resolution order."""
        return [self.index.cls(b.cls) for b in self.resolver.classes.mro(cls) if isinstance(b, ClassRef)]

    def uses(self, model: str, entry: Entry | None = None) -> bool:
        """Does training, or one entry, construct a framework model's class, e.g. "transformers.Trainer"?"""
        module, _, name = model.rpartition(".")
        init = f"{MODELS}/{module.replace('.', '__')}.py::{name}.__init__"
        if entry is not None:
            return init in self.reach(entry)
        return any(frame.function == init for frame in self.graph.frames)

    def calls_library(self, name: str, entry: Entry | None = None) -> bool:
        """Does training, or what one entry reaches, call a library function, by dotted name?"""
        reach = self.reach(entry) if entry else None
        callers = self._library_callers.get(name, ())
        return bool(callers) if reach is None else any(function in reach for function in callers)

    @cached_property
    def _library_callers(self) -> dict[str, list[str]]:
        """The functions that call something of a library, by its dotted name."""
        found: dict[str, list[str]] = {}
        for frame, calls in self.graph.external.items():
            for name in {called.name for called in calls}:
                found.setdefault(name, []).append(frame.function)
        return found

    def place(self, path: str, node: ast.AST | Call) -> Place:
        """Where an `ast` node or a call of the facts stands."""
        return place_of(path, node, self.index.lines(path))

    def line(self, path: str, line: int) -> str:
        """The stripped text of a 1-based line, "" when there is none."""
        lines = self.index.lines(path)
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""
