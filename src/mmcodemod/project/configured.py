"""What configurations written in Python build: `dict(type=X, ...)` of modules that hold nothing else, for
registries (`RUNNERS.build(cfg)`, `Runner.from_cfg(cfg)`). May-analysis: every configuration of the tree is an
alternative; equal targets count once, under the first configuration that names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cache, cached_property

from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.python import FileFacts
from mmcodemod.facts.terms import (
    Attribute,
    Call,
    Constant,
    Dict,
    Keyword,
    List,
    Name,
    Starred,
    Subscript,
    Term,
    Tuple,
)
from mmcodemod.model.frozen import mutable
from mmcodemod.project.frame import Frame
from mmcodemod.project.index import Index
from mmcodemod.project.infer import Resolver
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import (
    NOTHING,
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Items,
    Made,
    Mapping,
    Text,
    Value,
    Values,
    looked_up,
    ordered,
)

TYPE = "type"
WHOLE = (".from_cfg", "RUNNERS.build")  # what takes a whole configuration
BUILDS = (*WHOLE, "build_from_cfg", "Registry().build")
MAX_DEPTH = 6
CALLED_BY_LIBRARY = ("__getitem__", "__iter__", "__call__", "forward")


@mutable(eq=False)
class Typed:
    """A `dict(type=target, ...)` of the configuration `path`: where it stands, and what it passes."""

    path: str
    call: Call
    target: Value
    arguments: dict[str, Values] = field(default_factory=dict)


@cache
def builds(name: str) -> bool:
    """Is a library call, by dotted name, one that builds what a configuration says?"""
    owner = name.rpartition(".")[0]
    return name.endswith(BUILDS) or (name.endswith(".build") and "registry" in owner.lower())


class Configured:
    """The typed displays of all configurations. `named`: the paths that a launch names, which come first."""

    def __init__(self, resolver: Resolver, named: Iterable[str] = ()) -> None:
        self._resolver = resolver
        self._named = tuple(named)
        self._typed: dict[Value, Typed] | None = None
        self._outer: list[Typed] = []
        self._targets: dict[str, dict[str, int]] = {}  # by path: ids, and the first line that names each
        self._alternatives: dict[str, list[Typed]] = {}
        self._keys: dict[str, list[Value]] = {}
        self._registered: dict[str, list[Value]] | None = None
        resolver.from_configuration = self.made

    @property
    def typed(self) -> dict[Value, Typed]:
        """One display for each target in the tree, its arguments united over all configurations."""
        if self._typed is None:
            self._typed = {}
            for path in self._paths():
                self._read(path, self._resolver.index.files[path])
        return self._typed

    @cached_property
    def every_target(self) -> frozenset[str]:
        """Ids of the functions and classes that any configuration names."""
        _ = self.typed
        return frozenset(target for found in self._targets.values() for target in found)

    def targets_of(self, paths: Iterable[str]) -> frozenset[str]:
        """Ids of the functions and classes that these configurations name."""
        _ = self.typed
        return frozenset(target for path in paths for target in self._targets.get(path, ()))

    def reads(self, path: str) -> bool:
        """Is the file a configuration that names anything?"""
        _ = self.typed
        return path in self._targets

    def named_in(self, paths: Iterable[str], target: str) -> tuple[str, int] | None:
        """The path and line of the first of these configurations that names a function or class, by id."""
        _ = self.typed
        known = ((path, self._targets.get(path, {}).get(target)) for path in paths)
        return next(((path, line) for path, line in known if line is not None), None)

    def alternatives(self) -> dict[str, list[Typed]]:
        """What a whole configuration builds, by path, each target under the first that names it."""
        if not self._alternatives and self.typed:
            self._alternatives = self._chosen_paths()
        return self._alternatives

    def _chosen_paths(self) -> dict[str, list[Typed]]:
        found: dict[str, list[Typed]] = {}
        for typed in {t.target: t for t in reversed(self._outer)}.values():
            found.setdefault(typed.path, []).append(typed)
        paths = sorted(found, key=self._order)
        return {path: sorted(found[path], key=lambda t: t.call.lineno) for path in paths}

    def chosen(self, name: str, call: Call, frame: Frame) -> list[tuple[Value, Values]] | None:
        """What one build makes: targets, and the mappings that they are made from. None for a whole
        configuration."""
        given = argument(call)
        values = ordered(self._resolver.infer(given, frame)) if given is not None else []
        mappings = [v for v in values if isinstance(v, Mapping)]
        found: list[tuple[Value, Values]] = [(t, frozenset((m,))) for m in mappings for t in self.targets(m)]
        if found or given is None:
            return found
        key = _key(given)
        if key:
            _ = self.typed
            return [(target, NOTHING) for target in dict.fromkeys(self._keys.get(key, ()))]
        return None if name.endswith(WHOLE) else []

    def made(self, name: str, call: Call, frame: Frame) -> Values:
        """What a registry returns, where the mapping that it builds is known."""
        if not builds(name):
            return NOTHING
        found: set[Value] = set()
        for target, _ in self.chosen(name, call, frame) or ():
            if isinstance(target, External):
                found.add(Made(target.name))
            else:
                found |= self._resolver.called(target, call, frame)
        return frozenset(found)

    def targets(self, mapping: Mapping) -> list[Value]:
        """The callables that `type` names: directly, or by the string that they are registered under."""
        found: list[Value] = []
        for value in ordered(looked_up(mapping, TYPE)):
            found += self._by_name(value.value) if isinstance(value, Text) else [value]
        return [v for v in found if isinstance(v, (ClassRef, FunctionRef, Bound, External))]

    def arguments(self, target: Value, mappings: Values) -> dict[str, Values]:
        """What the target is given: by this mapping, and by all configurations that name it."""
        found = dict(self.typed[target].arguments) if target in self.typed else {}
        for mapping in mappings:
            for name, values in mapping.items if isinstance(mapping, Mapping) else ():
                if isinstance(name, str) and name != TYPE:
                    found[name] = found.get(name, NOTHING) | values
        return found

    def place(self, target: Value) -> tuple[str, int] | None:
        """The path and line of the first configuration that names a target."""
        typed = self.typed.get(target)
        return (typed.path, typed.call.lineno) if typed else None

    # -- configurations -----------------------------------------------------------------------------

    def _paths(self) -> list[str]:
        files = self._resolver.index.files
        found = [p for p in self._resolver.index.python_files if is_configuration(files[p])]
        return sorted(found, key=self._order)

    def _order(self, path: str) -> tuple[bool, str]:
        """What a launch names comes first."""
        return path not in self._named, path

    def _read(self, path: str, file: FileFacts) -> None:
        for name, exprs in file.bindings.items():
            for expr in exprs:
                self._displays(path, name, expr, outer=True)

    def _displays(self, path: str, key: str, expr: Term, outer: bool) -> None:
        """All displays below `expr`; those inside a class of the tree are for that class to build."""
        for display in displays(expr):
            own = self._add(path, display, key, outer)
            for part in parts(display):
                self._displays(path, key, part, outer and not own)

    def _add(self, path: str, display: Term, key: str, outer: bool) -> bool:
        """Is any of the targets in the tree? A framework model stands for a library."""
        assert self._typed is not None
        if self._of_libraries(display, path):
            return False
        own = False
        for mapping in ordered(self._resolver.infer(display, Frame(f"{path}::<module>"))):
            for target in self.targets(mapping) if isinstance(mapping, Mapping) else ():
                if isinstance(target, External):
                    continue
                identity = getattr(target, "cls", "") or getattr(target, "function", "")
                self._targets.setdefault(path, {}).setdefault(identity, display.lineno)
                own = own or not is_stub(identity)
                typed = self._typed.setdefault(target, Typed(path, as_call(display), target))
                if outer:
                    self._outer.append(Typed(path, as_call(display), target))
                    self._keys.setdefault(key, []).append(target)
                for name, values in mapping.items:  # type: ignore[union-attr]
                    if isinstance(name, str) and name != TYPE:
                        typed.arguments[name] = typed.arguments.get(name, NOTHING) | self._plain(values)
        return own

    def _of_libraries(self, display: Term, path: str) -> bool:
        """Is all that it builds a library's? That shows without what it passes."""
        types = _types(display)
        values = [v for t in types for v in self._resolver.infer(t, Frame(f"{path}::<module>"))]
        return bool(values) and all(isinstance(v, External) for v in values)

    def _plain(self, values: Values, depth: int = 0) -> Values:
        """Without texts and numbers, and nested displays by their targets alone: many become one."""
        return frozenset(p for v in values for p in self._one(v, depth)) if depth < MAX_DEPTH else NOTHING

    def _one(self, value: Value, depth: int) -> Iterator[Value]:
        if isinstance(value, (FunctionRef, ClassRef, Bound)):
            yield value
        elif isinstance(value, Items):
            inner = self._plain(value.elements, depth + 1)
            if inner:
                yield Items(inner)
        elif isinstance(value, Mapping) and looked_up(value, TYPE):
            for target in self.targets(value):
                yield Mapping(((TYPE, frozenset((target,))),))
        elif isinstance(value, Mapping):
            items = [(name, self._plain(values, depth + 1)) for name, values in value.items]
            if any(values for _, values in items):
                yield Mapping(tuple((name, values) for name, values in items if values))

    def _by_name(self, name: str) -> list[Value]:
        if self._registered is None:
            self._registered = {}
            for path in self._resolver.index.python_files:
                file = self._resolver.index.files[path]
                for cls in file.classes.values():
                    if "register_module" in cls.decorators:
                        self._registered.setdefault(cls.name, []).append(ClassRef(cls.id))
        return self._registered.get(name.rpartition(".")[2], [])


def named(index: Index, commands: Iterable[str]) -> list[str]:
    """The Python files that launch commands name, by path or by bare name."""
    words = {word.removesuffix(".py").rpartition("/")[2] for text in commands for word in text.split()}
    return [p for p in index.python_files if p.removesuffix(".py").rpartition("/")[2] in words]


def is_configuration(file: FileFacts) -> bool:
    """Nothing but imports and assignments, one of them a display with a type."""
    if file.classes or set(file.functions) != {MODULE} or not file.functions[MODULE].may_say((TYPE,)):
        return False
    return any(displays(expr) for exprs in file.bindings.values() for expr in exprs)


def displays(expr: Term) -> list[Term]:
    """The displays with a type in an expression, those inside others left to the others."""
    return [expr] if _has_type(expr) else [found for part in parts(expr) for found in displays(part)]


def parts(expr: Term) -> list[Term]:
    """The values of a display."""
    if isinstance(expr, Dict):
        return list(expr.values)
    if isinstance(expr, (List, Tuple)):
        return list(expr.elts)
    return [k.value for k in expr.keywords] if isinstance(expr, Call) and _is_dict(expr) else []


def as_call(display: Term) -> Call:
    """`{"type": X, "a": b}` as the call `dict(type=X, a=b)`, where it stands."""
    if isinstance(display, Call):
        return display
    assert isinstance(display, Dict)
    pairs = zip(display.keys, display.values)
    named = [(str(k.value), v) for k, v in pairs if isinstance(k, Constant)]
    keywords = tuple(Keyword(name, value) for name, value in named)
    place = display.lineno, display.col_offset
    return Call(Name("dict", *place), (), keywords, *place, *place)


def _has_type(expr: Term) -> bool:
    if isinstance(expr, Dict):
        return any(isinstance(k, Constant) and k.value == TYPE for k in expr.keys)
    return isinstance(expr, Call) and _is_dict(expr) and any(k.arg == TYPE for k in expr.keywords)


def _types(display: Term) -> list[Term]:
    """What stands under `type`; nothing where other displays are spread, which may have one, too."""
    if isinstance(display, Dict):
        if any(not isinstance(k, Constant) for k in display.keys):
            return []
        return [
            v for k, v in zip(display.keys, display.values) if isinstance(k, Constant) and k.value == TYPE
        ]
    assert isinstance(display, Call)
    if display.args or any(k.arg is None for k in display.keywords):
        return []
    return [k.value for k in display.keywords if k.arg == TYPE]


def _is_dict(call: Call) -> bool:
    return isinstance(call.func, Name) and call.func.id == "dict"


def argument(call: Call) -> Term | None:
    """What a build call builds."""
    if call.args:
        return None if isinstance(call.args[0], Starred) else call.args[0]
    return next((k.value for k in call.keywords if k.arg in ("cfg", "config")), None)


def _key(expr: Term) -> str:
    """The key of a configuration that `cfg.key` or `cfg["key"]` reads."""
    if isinstance(expr, Attribute) and isinstance(expr.value, (Name, Attribute)):
        return expr.attr
    if isinstance(expr, Subscript) and isinstance(expr.slice, Constant):
        return str(expr.slice.value)
    return ""
