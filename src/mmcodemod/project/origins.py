"""Which expressions a value comes from: through names, parameters, attributes and returns. May-analysis; what
cannot be followed ends the chain as itself."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.outline import MAIN, Import
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.passings import default_of, passings
from mmcodemod.project.signatures import is_property
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef, Instance, ModuleRef, ordered

Choose = Callable[[ast.expr, str], frozenset[bool]]
MAX_STEPS = 14
BOTH = frozenset((True, False))


@frozen()
class Origin:
    """An expression that is no further name, in the function that evaluates it."""

    expr: ast.expr
    function: str


def _either(test: ast.expr, function: str) -> frozenset[bool]:
    return BOTH


def _is_switch(source: NodeSource) -> bool:
    """`done = True`"""
    constant = source.expr.value if isinstance(source.expr, ast.Constant) else ""
    return source.via is Via.VALUE and source.index < 0 and (constant is None or isinstance(constant, bool))


class Tracing:
    """`choose` says which arms of a conditional expression may be taken, `runs` which callers count."""

    def __init__(
        self,
        project: Project,
        choose: Choose = _either,
        runs: Callable[[str], bool] = lambda function: True,
    ) -> None:
        self.project = project
        self.choose = choose
        self.runs = runs
        self._chosen = 0  # how often somebody was asked to choose
        self._left_out: dict[tuple[int, str], bool] = {}

    def of(self, expr: ast.expr, function: str) -> list[Origin]:
        """Where the value of `expr` in `function` may come from, in a fixed order, without repeats."""
        return list(dict.fromkeys(self._follow(expr, function, set())))

    def _follow(self, expr: ast.expr, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        key = (id(expr), function)
        if key in seen:
            return
        if len(seen) > MAX_STEPS * MAX_STEPS:
            yield Origin(expr, function)
            return
        seen.add(key)
        if isinstance(expr, ast.IfExp):
            self._chosen += 1
            taken = self.choose(expr.test, function)
            if True in taken:
                yield from self._follow(expr.body, function, seen)
            if False in taken:
                yield from self._follow(expr.orelse, function, seen)
        elif isinstance(expr, ast.Name):
            yield from self._name(expr, function, seen)
        elif isinstance(expr, ast.Attribute):
            yield from self._attribute(expr, function, seen)
        elif isinstance(expr, ast.Call):
            yield from self._call(expr, function, seen)
        else:
            yield Origin(expr, function)

    # -- names ------------------------------------------------------------------------------------

    def _name(self, expr: ast.Name, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        facts = self.project.index.function(function)
        while facts.qualname != "<module>":
            sources = self.project.resolver.body(facts.id).names.get(expr.id, ())
            is_parameter = expr.id in facts.parameters.names
            if sources or is_parameter:
                for source in self._taken(sources, facts):
                    yield from self._source(source, expr, facts.id, seen)
                if is_parameter:
                    yield from self._parameter(expr, facts, seen)
                return
            facts = self.project.index.function(f"{facts.path}::{facts.parent}")
        yield from self._global(expr, facts.path, expr.id, seen)

    def _taken(self, sources: Sequence[NodeSource], facts: FunctionFacts) -> Sequence[NodeSource]:
        """Without switches that a name is given on a side of a test which the run does not take."""
        if len(sources) < 2 or self.choose is _either:
            return sources
        return [s for s in sources if not (_is_switch(s) and self._past(s.expr, facts))] or sources

    def _past(self, switch: ast.expr, facts: FunctionFacts) -> bool:
        self._chosen += 1
        key = (id(switch), facts.id)
        if key not in self._left_out:
            self._left_out[key] = False  # while its own tests are asked
            tests = flow_of(self.project, facts.id).tests(switch)
            self._left_out[key] = any(self.choose(t.test, facts.id) == {not outcome} for t, outcome in tests)
        return self._left_out[key]

    def _source(
        self, source: NodeSource, name: ast.expr, function: str, seen: set[tuple[int, str]]
    ) -> Iterator[Origin]:
        if source.via is not Via.VALUE:
            yield Origin(name, function)
        elif source.index < 0:
            yield from self._follow(source.expr, function, seen)
        else:
            yield from self._element(source.expr, source.index, function, seen)

    def _element(
        self, expr: ast.expr, index: int, function: str, seen: set[tuple[int, str]]
    ) -> Iterator[Origin]:
        key = (id(expr), f"{function}[{index}]")
        if key in seen:
            return
        seen.add(key)
        if isinstance(expr, (ast.Tuple, ast.List)) and index < len(expr.elts):
            yield from self._follow(expr.elts[index], function, seen)
            return
        if isinstance(expr, ast.Call):
            if (
                isinstance(expr.func, ast.Attribute)
                and expr.func.attr == "prepare"
                and index < len(expr.args)
            ):
                yield from self._follow(expr.args[index], function, seen)
                return
            for callee, returned in self._returns(expr, function):
                yield from self._element(returned, index, callee, seen)
                function = ""
        if function:
            yield Origin(expr, function)

    def _global(self, expr: ast.expr, path: str, name: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        """A module-level name; also one that the code under the main guard sets."""
        file = self.project.index.files[path]
        found = False
        for scope in ("<module>", MAIN):
            if scope in file.functions:
                for source in self.project.resolver.body(f"{path}::{scope}").names.get(name, ()):
                    found = True
                    yield from self._source(source, expr, f"{path}::{scope}", seen)
        targets = [(self._home(item, path), item.name or "") for item in file.imported(name)]
        for target, inner in targets:
            if target:
                found = True
                yield from self._global(expr, target, inner, seen)
        if not found or not all(target for target, _ in targets):  # of a library, as far as it is there
            yield Origin(expr, f"{path}::<module>")

    def _home(self, item: Import, path: str) -> str:
        """The other file of the tree from which a name is imported; "" for what a library has."""
        modules = self.project.index.modules
        target = modules.find(modules.absolute(item.module, item.level, path), path) if item.name else None
        return "" if target in (None, path) or is_stub(str(target)) else str(target)

    def _parameter(
        self, expr: ast.Name, facts: FunctionFacts, seen: set[tuple[int, str]]
    ) -> Iterator[Origin]:
        """What the callers pass, else the default. Callers that do not show end the chain."""
        known = passings(self.project, facts, expr.id)
        known = [p for p in known if self.runs(p.caller)] or known
        if not known:
            default = default_of(facts, expr.id)
            decorated = not isinstance(facts.node, ast.Module) and bool(facts.node.decorator_list)
            yield Origin(expr, facts.id) if decorated or default is None else Origin(default, facts.id)
        for passing in known:
            if passing.expr is None or passing.is_default:
                yield Origin(passing.expr or expr, facts.id)
            elif passing.index >= 0:
                yield from self._element(passing.expr, passing.index, passing.caller, seen)
            else:
                yield from self._follow(passing.expr, passing.caller, seen)

    # -- attributes and calls -----------------------------------------------------------------------

    def _attribute(self, expr: ast.Attribute, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        found = False
        for value in ordered(self.project.values(expr.value, function)):
            if isinstance(value, Instance) and (method := self._property(value.cls, expr.attr)):
                for returned in self.project.resolver.body(method).returns:
                    found = True
                    yield from self._follow(returned, method, seen)
            elif isinstance(value, Instance):
                for owner, source in self.project.resolver.attribute_sources(value.cls, expr.attr):
                    found = True
                    yield from self._source(source, expr, owner, seen)
                stored = found
                for facts in self.project.resolver.classes.own(value.cls):
                    if stored and expr.attr in facts.fields:
                        stored = False
                        yield Origin(expr, function)  # a store elsewhere may not have run
                    field = found or expr.attr in facts.fields  # whoever builds the object may set it
                    for default in () if field else facts.defined.attributes.get(expr.attr, ()):
                        found = True
                        yield from self._follow(default, f"{facts.path}::<module>", seen)
            elif isinstance(value, ModuleRef) and value.path:
                found = True
                yield from self._global(expr, value.path, expr.attr, seen)
        if not found:
            yield Origin(expr, function)

    def _property(self, cls: str, name: str) -> str | None:
        """The method of the tree that runs when the attribute is read."""
        method = self.project.resolver.classes.find(cls, name)
        shown = method is not None and not is_stub(method)
        return method if shown and is_property(self.project.index.function(method or "")) else None

    def _call(self, expr: ast.Call, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        followed = False
        for callee, returned in self._returns(expr, function):
            followed = True
            yield from self._follow(returned, callee, seen)
        if not followed:
            yield Origin(expr, function)

    def _returns(self, expr: ast.Call, function: str) -> Iterator[tuple[str, ast.expr]]:
        """(function, expression) of what functions of the tree return to this call."""
        for value in ordered(self.project.values(expr.func, function)):
            if isinstance(value, (FunctionRef, Bound)) and not value.function.startswith("<"):
                for returned in self.project.resolver.body(value.function).returns:
                    yield value.function, returned


class Known:
    """The origins of expressions, by who asked: the entry, and whether arms are chosen. It keeps the
    expressions, so that no id is used again."""

    def __init__(self, project: Project) -> None:
        self.origins: dict[tuple[int, str, Entry | None, bool], tuple[ast.expr, list[Origin]]] = {}


class Origins(Tracing):
    """Of callers, those count that `entry` reaches; without one all do. What is found where nobody had to
    choose an arm is the same for everybody, and found once."""

    def __init__(self, project: Project, choose: Choose = _either, entry: Entry | None = None) -> None:
        super().__init__(project, choose, self._reached)
        self._entry = entry
        self._known = project.get(Known).origins

    def _reached(self, function: str) -> bool:
        return self._entry is None or function in self.project.reach(self._entry)

    def of(self, expr: ast.expr, function: str) -> list[Origin]:
        """As `Tracing.of`."""
        free = self.choose is _either
        key = id(expr), function, self._entry, free
        if key not in self._known:
            before, found = self._chosen, super().of(expr, function)
            if not free and self._chosen != before:
                return found
            self._known[key] = expr, found
        return list(self._known[key][1])
