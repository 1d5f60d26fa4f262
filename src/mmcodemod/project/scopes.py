"""What a name may be: local, enclosing, module, imported, builtin. May-analysis."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from mmcodemod.facts.body import Body, Put, Source
from mmcodemod.facts.lazy import LAZY, lazy_submodules
from mmcodemod.facts.outline import MAIN, Import
from mmcodemod.facts.python import ClassFacts, FunctionFacts
from mmcodemod.facts.terms import Attribute, Call, Either, Name, Subscript, Term, plain_name
from mmcodemod.project.classes import Classes
from mmcodemod.project.frame import Frame
from mmcodemod.project.index import Index
from mmcodemod.project.library import unmade
from mmcodemod.project.merging import joined
from mmcodemod.project.signatures import is_classmethod, is_static
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.values import (
    NOTHING,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Key,
    ModuleRef,
    Value,
    Values,
    capped,
    external,
    union,
)


def _is_optional(expr: Term) -> bool:
    return plain_name(expr) in ("Optional", "Union")


class Scopes:
    """Facts of functions and the meaning of names. What expressions mean is `infer`, further down."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.classes = Classes(index, self._bases)
        self.params: dict[tuple[Frame, str], Values] = {}
        # parameters given what is not known ("" for all of a frame): in this round, in the one before
        self._opened: set[tuple[Frame, str]] = set()
        self._opened_before: set[tuple[Frame, str]] = set()
        self.partial: set[str] = set()  # functions that `partial` gives arguments before they are called
        self.stores: dict[tuple[str, str], Values] = {}  # (class or module path, attribute), set from outside
        self.patches: dict[tuple[str, str], Values] = {}  # (class, attribute) set on the class
        self.patched_names: set[str] = set()
        self.replaced: set[tuple[str, str]] = set()  # what a patch always takes the place of
        self.heap: dict[str, dict[Key, Values]] = {}  # what containers were given later, by site
        self.filled: dict[str, dict[tuple[Put[Term], Frame], None]] = {}  # and where, in which frame
        self._memo: dict[Frame, dict[int | str, Values]] = {}  # by the id of the term; of a name, by it too
        self.implicit: Any = (
            None  # the calls that are written nowhere, whose terms the memo knows by their id
        )
        self._cut: set[tuple[Frame, int]] = set()  # asked for while being worked out, or too deep
        self._before: dict[tuple[Frame, int], Values] = {}  # what these were in the round before
        self._joined: dict[tuple[int, object], set[Value]] = {}  # containers that became part of others
        self._open: set[object] = set()
        self._attr_stores: dict[str, dict[str, list[tuple[str, Source[Term]]]]] = {}
        self._attribute_sources: dict[tuple[str, str], list[tuple[str, Source[Term]]]] = {}
        self._globals: dict[tuple[str, str], Values] = {}
        self._externals: dict[tuple[str, str], Values] = {}
        self.looked_up: set[Value] = set()  # found under keys that are not known
        self._bodies: dict[str, Body[Term, Call]] = {}
        self._in_methods: dict[str, bool] = {}
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._binds: dict[str, set[str]] = {}
        self._depth = 0
        self.grew = False
        self.from_configuration: Callable[[str, Call, Frame], Values] = lambda name, call, frame: NOTHING
        """What a call of a registry makes; `configured` says, further down."""

    # -- facts --------------------------------------------------------------------------------

    def body(self, function: str) -> Body[Term, Call]:
        """The full facts of a function."""
        found = self._bodies.get(function)
        if found is None:
            found = self._bodies[function] = self.index.function(function).body
        return found

    def forget(self) -> None:
        """Start a new round: parameters and stores have grown."""
        for frame, term in self._cut:
            found = self._memo.get(frame, {}).get(term)
            if found is not None:
                self._before[frame, term] = found
        self._memo.clear()
        self._globals.clear()
        self._attribute_sources.clear()

    def begin_round(self) -> None:
        """Forget, and ask anew which parameters are given what is not known."""
        self.forget()
        self._opened_before, self._opened = self._opened, set()

    def open(self, frame: Frame, name: str = "") -> None:
        """A parameter, or every one, is given what is not known."""
        self._opened.add((frame, name))

    def is_open(self, frame: Frame, name: str) -> bool:
        """May a parameter be given what is not known?"""
        asked = (frame, name), (frame, "")
        return any(key in self._opened or key in self._opened_before for key in asked)

    def end_rounds(self) -> None:
        """What the last round found is what holds."""
        self.forget()
        self._opened_before = set()

    def grow(self, table: dict[Any, Values], key: object, values: Values) -> None:
        """Add values to a table that lasts from round to round."""
        before = table.get(key, NOTHING)
        if values <= before:
            return
        new = values - before - self._joined.get((id(table), key), NOTHING)
        if new:
            after = joined(before, new)
            if part := new - after:
                self._joined.setdefault((id(table), key), set()).update(part)
            if after != before:
                table[key] = after
                self.grew = True

    def _bases(self, facts: ClassFacts) -> list[Values]:
        scope = Frame(f"{facts.path}::{facts.scope}")
        found = []
        for base in facts.bases:
            values = self.infer(base, scope)
            if ClassRef(facts.id) in values:  # class Args(Args): the one that it shadows
                values = self._imported_name(scope, base) - {ClassRef(facts.id)}
            found.append(values)
        return found

    def _imported_name(self, scope: Frame, base: Term) -> Values:
        if not isinstance(base, Name):
            return NOTHING
        return self._imports(self.index.function(scope.function), base.id)

    def infer(self, expr: Term, frame: Frame) -> Values:
        """The values that an expression may have."""
        raise NotImplementedError

    def source(self, source: Source[Term], frame: Frame) -> Values:
        """What a name gets from one of its sources."""
        raise NotImplementedError

    # -- names --------------------------------------------------------------------------------

    def name(self, name: str, frame: Frame) -> Values:
        """What a name may be in a function: local, enclosing, module, builtin."""
        facts = self.index.function(frame.function)
        receiver = frame.receiver
        while facts.qualname != "<module>":
            body = self.body(facts.id)
            if name not in body.globals:
                found = self._local(name, facts, body, self._around(facts, receiver, frame))
                if found is not None:
                    return found
            receiver = "" if facts.owner else receiver
            facts = self.index.function(f"{facts.path}::{facts.parent}")
        return self.module_name(facts.path, name)

    def _around(self, facts: FunctionFacts, receiver: str, frame: Frame) -> Frame:
        """The frame of a function that a frame stands in, or is."""
        if facts.id == frame.function:
            return frame
        return Frame(facts.id, receiver if self._in_method(facts) else "", frame.site)

    def _in_method(self, facts: FunctionFacts) -> bool:
        """Is it a method, or nested in one that has an object? What a static method defines has none."""
        if facts.id not in self._in_methods:
            outer = facts.parent not in (None, "<module>") and not facts.owner
            parent = self.index.function(f"{facts.path}::{facts.parent}") if outer else facts
            above = outer and self._in_method(parent) and not is_static(parent)
            self._in_methods[facts.id] = bool(facts.owner or above)
        return self._in_methods[facts.id]

    def _local(self, name: str, facts: FunctionFacts, body: Body[Term, Call], frame: Frame) -> Values | None:
        if not self._may_bind(facts, body, name):
            return None
        found = list(self._local_sources(name, facts, body, frame))
        if not found:
            return None
        if facts.qualname == MAIN and any(_calls(source, name) for source in body.names.get(name, ())):
            found.append(self.module_name(facts.path, name))  # `x = x()`: the guard opens no scope
        for writer in self._writers(facts, name):
            within = Frame(writer, frame.receiver, frame.site)
            found += [self.source(source, within) for source in self.body(writer).names.get(name, ())]
        return union(found)

    def _may_bind(self, facts: FunctionFacts, body: Body[Term, Call], name: str) -> bool:
        """The quick question: most names are not local."""
        known = self._binds.get(facts.id)
        if known is None:
            imported = [item.bound for item in facts.imports]
            known = self._binds[facts.id] = {*self._parameters_of(facts), *imported, *body.names}
        if name in known:
            return True
        nested, file = f"{facts.qualname}.{name}", self.index.files[facts.path]
        return nested in file.functions or nested in file.classes

    def _local_sources(
        self, name: str, facts: FunctionFacts, body: Body[Term, Call], frame: Frame
    ) -> Iterator[Values]:
        nested = f"{facts.qualname}.{name}"
        file = self.index.files[facts.path]
        while nested in file.functions and file.functions[nested].owner is None:
            yield self.defined(file.functions[nested], frame)
            nested += "'"
        if nested in file.classes:
            yield self.defined(file.classes[nested], frame)
        if name in self._parameters_of(facts):
            yield self._parameter(name, facts, frame)
        for item in facts.imports:
            if item.bound == name:
                yield self._import(item, facts.path)
        for source in body.names.get(name, ()):
            yield self.source(source, frame)

    def _parameters_of(self, facts: FunctionFacts) -> tuple[str, ...]:
        if facts.id not in self._parameters:
            self._parameters[facts.id] = tuple(facts.parameters.names)
        return self._parameters[facts.id]

    def _writers(self, facts: FunctionFacts, name: str) -> list[str]:
        """The functions inside `facts` that say `nonlocal name`; of a module, `global name`."""
        every = self.index.files[facts.path].writers.get(name)
        if every is None:
            return []
        inside = "" if facts.qualname == "<module>" else f"{facts.qualname}."
        return [f"{facts.path}::{w}" for w in every if w.startswith(inside)]

    def defined(self, facts: FunctionFacts | ClassFacts, frame: Frame) -> Values:
        """What a definition's name is: what its decorators make of it. `frame` is the scope around it."""
        if facts.decoration is not None:
            return self.infer(facts.decoration, frame)
        return frozenset((self.undecorated(facts.id, isinstance(facts, ClassFacts), frame),))

    def undecorated(self, definition: str, is_class: bool, frame: Frame) -> Value:
        """The function or class itself, with the names that it sees in `frame`."""
        if is_class:
            return ClassRef(definition)
        if frame.function.endswith(("::<module>", f"::{MAIN}")):
            return FunctionRef(definition)
        inside = self._in_method(self.index.function(frame.function))
        return FunctionRef(definition, frame.receiver if inside else "", frame.site)

    def _parameter(self, name: str, facts: FunctionFacts, frame: Frame) -> Values:
        if facts.owner and frame.receiver and name == facts.parameters.first:
            if is_static(facts):
                return self._passed(name, frame)
            if is_classmethod(facts):
                return frozenset((ClassRef(frame.receiver),))
            return frozenset((Instance(frame.receiver),))
        passed = self._passed(name, frame) | self._default(name, facts)
        return passed or self._annotated(name, facts, frame)

    def _passed(self, name: str, frame: Frame) -> Values:
        """What calls pass; a frame of one decorated function sees what was passed to all of them, too."""
        passed = self.params.get((frame, name), NOTHING)
        if passed or not frame.site or is_stub(frame.function):
            return passed
        return self.params.get((Frame(frame.function, frame.receiver), name), NOTHING)

    def _default(self, name: str, facts: FunctionFacts) -> Values:
        default = facts.default(name)
        return self.infer(default, Frame(f"{facts.path}::{facts.parent}")) if default else NOTHING

    def _annotated(self, name: str, facts: FunctionFacts, frame: Frame) -> Values:
        annotation = facts.annotation(name)
        return self.annotation(annotation, frame) if annotation else NOTHING

    def annotation(self, expr: Term, frame: Frame) -> Values:
        """Objects of the classes that an annotation names (strings, Optional and unions included)."""
        if isinstance(expr, Either):
            return frozenset(v for value in expr.values for v in self.annotation(value, frame))
        if isinstance(expr, Subscript):
            return self.annotation(expr.slice, frame) if _is_optional(expr.value) else NOTHING
        if not isinstance(expr, (Name, Attribute)):
            return NOTHING
        named = [v.cls for v in self.infer(expr, frame) if isinstance(v, ClassRef) and self._says(v.cls)]
        return frozenset(unmade(c) for cls in named for c in (cls, *self.classes.subclasses(cls)))

    def _says(self, cls: str) -> bool:
        """Does an annotation with this class tell what the object is? `nn.Module` and other classes that are
        there to be extended, which framework models give no `__init__`, do not."""
        return not is_stub(cls) or "__init__" in self.index.cls(cls).methods

    def module_name(self, path: str, name: str) -> Values:
        """What a module-level name may be, seen from outside or inside the module."""
        key = (path, name)
        if key not in self._globals:
            if key in self._open:
                return NOTHING
            self._open.add(key)
            found = self._module_name(path, name)
            self._open.discard(key)
            self._globals[key] = found
        return self._globals[key]

    def module_classes(self, path: str) -> Values:
        """The classes of the tree among a module's names: what one of them may be that is not known."""
        file = self.index.files[path]
        names = {name for name in file.classes if "." not in name}
        names |= {item.bound for item in file.imports if item.name}
        for item in file.stars:
            starred = self.index.modules.find(
                self.index.modules.absolute(item.module, item.level, path), path
            )
            names |= set(self.index.files[starred].classes) if starred in self.index.files else set()
        every = [v for name in sorted(names) for v in self.module_name(path, name)]
        return capped(v for v in every if isinstance(v, ClassRef) and not is_stub(v.cls))

    def _module_name(self, path: str, name: str) -> Values:
        file = self.index.files[path]
        module = file.functions["<module>"]
        found: set[Value] = set()
        if name in file.classes:
            found |= self.defined(file.classes[name], Frame(module.id))
        elif name in file.functions:
            found |= self.defined(file.functions[name], Frame(module.id))
        else:
            found |= self._imports(module, name)
            for expr in file.bindings.get(name, ()):
                found |= self.infer(expr, Frame(module.id))
        if (path, name) in self.stores:
            found = {v for v in found if (path, name) not in self.replaced} | self.stores[path, name]
        found |= self._written(module, name)
        if not found and name not in file.bindings:
            found |= self._starred(path, name)
            found |= self._submodule(path, name)
        if not found and name in _BUILTINS:
            found.add(External(f"<builtin>.{name}"))
        return capped(found or self._lazily(path, name))

    def _written(self, module: FunctionFacts, name: str) -> Values:
        """What loops, unpacking and functions that say `global` give a module's name."""
        file = self.index.files[module.path]
        places = [f.id for n in ("<module>", MAIN) if name in file.loose and (f := file.functions.get(n))]
        found: set[Value] = set()
        for function in (*places, *self._writers(module, name)):
            for source in self.body(function).names.get(name, ()):
                found |= self.source(source, Frame(function))
        return frozenset(found)

    def _lazily(self, path: str, name: str) -> Values:
        """A name of a package whose import structure is a table: {"submodule": ["name", ...]}."""
        if not path.endswith("__init__.py") or LAZY not in self.index.files[path].bindings:
            return NOTHING
        package = self.index.modules.name(path)
        for submodule in lazy_submodules(self.index.files[path], self.body(f"{path}::<module>"), name):
            found = self._from(f"{package}.{submodule}", name, path)
            if found:
                return found
        return NOTHING

    def _imports(self, facts: FunctionFacts, name: str) -> Values:
        if facts.qualname == "<module>":
            items = self.index.files[facts.path].imported(name)
        else:
            items = [item for item in facts.imports if item.bound == name]
        return union([self._import(item, facts.path) for item in items]) if items else NOTHING

    def _import(self, item: Import, path: str) -> Values:
        modules = self.index.modules
        target = modules.absolute(item.module, item.level, path)
        if item.name is None:
            return frozenset((self._module(target, path),))
        return self._from(target, item.name, path)

    def _from(self, target: str, name: str, path: str) -> Values:
        file = self.index.modules.find(target, path)
        if file is not None and file != path and not file.startswith(MODELS):
            found = self.module_name(file, name)
            if found:
                return found
        if self.index.modules.find(f"{target}.{name}", path) or self.index.modules.is_folder(
            f"{target}.{name}"
        ):
            return frozenset((self._module(f"{target}.{name}", path),))
        if file is not None and not file.startswith(MODELS):
            return NOTHING
        return self._library(f"{target}.{name}", path)

    def _library(self, dotted: str, path: str) -> Values:
        """What a library name stands for: a framework model's own definition where there is one."""
        module, _, last = dotted.rpartition(".")
        for model in self.index.modules.models(module):
            found = self.module_name(model, last) - {External(f"<builtin>.{last}")} if model != path else None
            if found:
                return found
        return external(dotted)

    def _module(self, dotted: str, path: str) -> Value:
        file = self.index.modules.find(dotted, path)
        if file is not None and not file.startswith("<"):
            return ModuleRef(file, dotted)
        if self.index.modules.is_folder(dotted):
            return ModuleRef("", dotted)
        return External(dotted)

    def _starred(self, path: str, name: str) -> Values:
        found: set[Value] = set()
        for item in self.index.files[path].stars:
            target = self.index.modules.absolute(item.module, item.level, path)
            file = self.index.modules.find(target, path)
            if file is None or file == path:
                continue
            exported = self.index.files[file].exported
            if not name.startswith("_") if exported is None else name in exported:
                found |= self.module_name(file, name)
        return frozenset(found)

    def _submodule(self, path: str, name: str) -> Values:
        if path.endswith("__init__.py"):
            file = self.index.modules.find(f"{self.index.modules.name(path)}.{name}", path)
            if file is not None and file != path:
                return frozenset((ModuleRef(file, self.index.modules.name(file)),))
        return NOTHING


_BUILTINS = frozenset(dir(builtins))


def _calls(source: Source[Term], name: str) -> bool:
    """Is it a call of the name itself?"""
    call = source.expr
    return isinstance(call, Call) and isinstance(call.func, Name) and call.func.id == name
