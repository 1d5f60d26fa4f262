"""What an expression may be: demand-driven, by receiver class, memoised per round. May-analysis:
a value that is missing means "not known", never "cannot be"."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from mmcodemod.facts.body import Body, Source, Via, body_of
from mmcodemod.facts.python import ClassFacts, FunctionFacts, Import
from mmcodemod.knowledge.modules import is_weightless
from mmcodemod.knowledge.wrappers import (
    ENGINE_FACTORIES,
    FACTORY_METHODS,
    PASS_THROUGH,
    SELF_METHODS,
    UNWRAPPERS,
    WRAPPERS,
)
from mmcodemod.project.classes import Classes
from mmcodemod.project.index import Index
from mmcodemod.project.values import (
    NOTHING,
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Items,
    Made,
    Mapping,
    ModuleRef,
    Super,
    Text,
    Value,
    Values,
    ordered,
)

MAX_VALUES = 48  # larger sets stop growing; what is cut counts as not known
MAX_DEPTH = 60
MAX_CHAIN = 3  # calls on the results of library calls that are followed


class Frame(NamedTuple):
    """A function as run for objects of one class; `receiver` is "" for plain functions."""

    function: str
    receiver: str = ""


class Resolver:
    """Answers `infer` for expressions and `member` for attributes."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.classes = Classes(index, self._bases)
        self.params: dict[tuple[Frame, str], Values] = {}
        self.stores: dict[tuple[str, str], Values] = {}
        self._bodies: dict[str, Body] = {}
        self._memo: dict[tuple[Frame, int], Values] = {}
        self._open: set[object] = set()
        self._attr_stores: dict[str, dict[str, list[tuple[str, Source]]]] = {}
        self._globals: dict[tuple[str, str], Values] = {}
        self._annotations: dict[str, ast.expr] = {}
        self._externals: dict[tuple[str, str], Values] = {}
        self._depth = 0

    # -- facts --------------------------------------------------------------------------------

    def body(self, function: str) -> Body:
        """The full facts of a function, extracted once."""
        if function not in self._bodies:
            self._bodies[function] = body_of(self.index.function(function).node)
        return self._bodies[function]

    def forget(self) -> None:
        """Start a new round: parameters and stores have grown."""
        self._memo.clear()
        self._globals.clear()

    def _bases(self, facts: ClassFacts) -> list[Values]:
        scope = Frame(f"{facts.path}::{facts.scope}")
        found = []
        for base in facts.node.bases:
            values = self.infer(base, scope)
            if ClassRef(facts.id) in values:  # class Args(Args): the one that it shadows
                values = self._imported_name(scope, base) - {ClassRef(facts.id)}
            found.append(values)
        return found

    def _imported_name(self, scope: Frame, base: ast.expr) -> Values:
        if not isinstance(base, ast.Name):
            return NOTHING
        return self._imports(self.index.function(scope.function), base.id)

    # -- names --------------------------------------------------------------------------------

    def name(self, name: str, frame: Frame) -> Values:
        """What a name may be in a function: local, enclosing, module, builtin."""
        facts = self.index.function(frame.function)
        while facts.qualname != "<module>":
            body = self.body(facts.id)
            if name not in body.globals:
                found = self._local(name, facts, body, Frame(facts.id, frame.receiver))
                if found is not None:
                    return found
            facts = self.index.function(f"{facts.path}::{facts.parent}")
        return self.module_name(facts.path, name)

    def _local(self, name: str, facts: FunctionFacts, body: Body, frame: Frame) -> Values | None:
        nested = f"{facts.qualname}.{name}"
        file = self.index.files[facts.path]
        found: set[Value] = set()
        known = False
        if nested in file.functions and file.functions[nested].owner is None:
            found.add(FunctionRef(f"{facts.path}::{nested}"))
            known = True
        if nested in file.classes:
            found.add(ClassRef(f"{facts.path}::{nested}"))
            known = True
        if name in _parameters(facts):
            found |= self._parameter(name, facts, frame)
            known = True
        for item in facts.imports:
            if item.bound == name:
                found |= self._import(item, facts.path)
                known = True
        for source in body.names.get(name, ()):
            found |= self.source(source, frame)
            known = True
        return _capped(found) if known else None

    def _parameter(self, name: str, facts: FunctionFacts, frame: Frame) -> Values:
        node = facts.node
        assert not isinstance(node, ast.Module)
        if facts.owner and frame.receiver and name == _first_parameter(node):
            if _is_static(node):
                return self.params.get((frame, name), NOTHING)
            if _is_classmethod(node):
                return frozenset((ClassRef(frame.receiver),))
            return frozenset((Instance(frame.receiver),))
        passed = self.params.get((frame, name), NOTHING) | self._default(name, node, facts)
        return passed or self._annotated(name, node, frame)

    def _default(
        self, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, facts: FunctionFacts
    ) -> Values:
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        pairs = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
        for arg, default in pairs:
            if arg.arg == name and default is not None:
                return self.infer(default, Frame(f"{facts.path}::{facts.parent}"))
        return NOTHING

    def _annotated(self, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Values:
        args = node.args
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            if arg.arg == name and arg.annotation is not None:
                return self.annotation(arg.annotation, frame)
        return NOTHING

    def annotation(self, expr: ast.expr, frame: Frame) -> Values:
        """Objects of the classes that an annotation names (strings, Optional and unions included)."""
        if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
            expr = self._quoted(expr.value)
        if isinstance(expr, ast.BinOp):
            return self.annotation(expr.left, frame) | self.annotation(expr.right, frame)
        if isinstance(expr, ast.Subscript):
            return self.annotation(expr.slice, frame) if _is_optional(expr.value) else NOTHING
        if not isinstance(expr, (ast.Name, ast.Attribute)):
            return NOTHING
        named = [v.cls for v in self.infer(expr, frame) if isinstance(v, ClassRef)]
        return frozenset(Instance(c) for cls in named for c in (cls, *self.classes.subclasses(cls)))

    def _quoted(self, text: str) -> ast.expr:
        """The expression of a quoted annotation, kept alive because the memo is keyed by identity."""
        if text not in self._annotations:
            try:
                parsed: ast.expr = ast.parse(text[:200], mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                parsed = ast.Constant(None)
            self._annotations[text] = parsed
        return self._annotations[text]

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

    def _module_name(self, path: str, name: str) -> Values:
        file = self.index.files[path]
        module = file.functions["<module>"]
        found: set[Value] = set()
        if name in file.classes:
            found.add(ClassRef(f"{path}::{name}"))
        elif name in file.functions:
            found.add(FunctionRef(f"{path}::{name}"))
        else:
            found |= self._imports(module, name)
            for expr in file.bindings.get(name, ()):
                found |= self.infer(expr, Frame(module.id))
        if not found and name not in file.bindings:
            found |= self._starred(path, name)
            found |= self._submodule(path, name)
        if not found and name in _BUILTINS:
            found.add(External(f"<builtin>.{name}"))
        return _capped(found)

    def _imports(self, facts: FunctionFacts, name: str) -> Values:
        items = self.index.files[facts.path].imports if facts.qualname == "<module>" else facts.imports
        found: set[Value] = set()
        for item in items:
            if item.bound == name:
                found |= self._import(item, facts.path)
        return frozenset(found)

    def _import(self, item: Import, path: str) -> Values:
        modules = self.index.modules
        target = modules.absolute(item.module, item.level, path)
        if item.name is None:
            return frozenset((self._module(target, path),))
        return self._from(target, item.name, path)

    def _from(self, target: str, name: str, path: str) -> Values:
        file = self.index.modules.find(target, path)
        if file is not None and file != path:
            found = self.module_name(file, name)
            if found:
                return found
        if self.index.modules.find(f"{target}.{name}", path) or self.index.modules.is_folder(
            f"{target}.{name}"
        ):
            return frozenset((self._module(f"{target}.{name}", path),))
        if file is not None and not file.startswith("<"):
            return NOTHING
        return frozenset((self._canonical(f"{target}.{name}", path),))

    def _canonical(self, dotted: str, path: str) -> Value:
        """A library name; the framework model's class when a model stands for it."""
        top, _, last = dotted.rpartition(".")
        for owner in (top, dotted.partition(".")[0]):
            model = self.index.modules.find(owner, path)
            if model is not None and model.startswith("<") and model != path:
                if last in self.index.files[model].classes:
                    return ClassRef(f"{model}::{last}")
        return External(dotted)

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

    # -- expressions ----------------------------------------------------------------------------

    def source(self, source: Source, frame: Frame) -> Values:
        """What a name gets from one of its sources."""
        values = self.infer(source.expr, frame)
        if source.via is Via.ELEMENT:
            values = elements(values)
        if source.via is Via.ENTER:
            return values
        if source.via is Via.INTO:
            return frozenset((Items(_flat(values)),)) if values else NOTHING
        return _unpacked(values, source.index) if source.index >= 0 else values

    def infer(self, expr: ast.expr, frame: Frame) -> Values:
        """The values that `expr` may have in `frame`."""
        handler = _EXPRESSIONS.get(expr.__class__)
        if handler is None or self._depth > MAX_DEPTH:
            return NOTHING
        key = (frame, id(expr))
        if key in self._memo:
            return self._memo[key]
        if key in self._open:
            return NOTHING
        self._open.add(key)
        self._depth += 1
        try:
            found = handler(self, expr, frame)
        finally:
            self._depth -= 1
            self._open.discard(key)
        self._memo[key] = found
        return found

    def _infer_name(self, expr: ast.Name, frame: Frame) -> Values:
        return self.name(expr.id, frame)

    def _infer_constant(self, expr: ast.Constant, frame: Frame) -> Values:
        return frozenset((Text(expr.value),)) if isinstance(expr.value, str) else NOTHING

    def _infer_attribute(self, expr: ast.Attribute, frame: Frame) -> Values:
        found: set[Value] = set()
        for value in self.infer(expr.value, frame):
            found |= self.member(value, expr.attr)
        return _capped(found)

    def _infer_either(self, expr: ast.IfExp, frame: Frame) -> Values:
        return _capped(self.infer(expr.body, frame) | self.infer(expr.orelse, frame))

    def _infer_bool(self, expr: ast.BoolOp, frame: Frame) -> Values:
        return _capped(v for value in expr.values for v in self.infer(value, frame))

    def _infer_walrus(self, expr: ast.NamedExpr, frame: Frame) -> Values:
        return self.infer(expr.value, frame)

    def _infer_await(self, expr: ast.Await, frame: Frame) -> Values:
        return self.infer(expr.value, frame)

    def _infer_items(self, expr: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Values:
        parts = tuple(self.infer(e, frame) for e in expr.elts[:64])
        union = _flat(_capped(v for part in parts for v in part))
        ordered = parts if isinstance(expr, ast.Tuple) and len(parts) <= 8 else ()
        return frozenset((Items(union, ordered),))

    def _infer_comprehension(self, expr: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Values:
        return frozenset((Items(_flat(self.infer(expr.elt, frame))),))

    def _infer_dict(self, expr: ast.Dict, frame: Frame) -> Values:
        items = [
            (key.value, self.infer(value, frame))
            for key, value in zip(expr.keys, expr.values)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
        return frozenset((Mapping(tuple(items[:64])),))

    def _infer_subscript(self, expr: ast.Subscript, frame: Frame) -> Values:
        key = expr.slice.value if isinstance(expr.slice, ast.Constant) else None
        found: set[Value] = set()
        for value in self.infer(expr.value, frame):
            if isinstance(value, Mapping):
                found |= _looked_up(value, key)
            elif isinstance(value, Items):
                found |= _unpacked(frozenset((value,)), key) if isinstance(key, int) else value.elements
            elif isinstance(value, Instance):
                method = self.classes.find(value.cls, "__getitem__")
                if method:
                    found |= self.returned(Frame(method, value.cls))
        return _capped(found)

    def _infer_call(self, expr: ast.Call, frame: Frame) -> Values:
        special = self._special(expr, frame)
        if special is not None:
            return special
        found: set[Value] = set()
        for callee in self.infer(expr.func, frame):
            found |= self.called(callee, expr, frame)
        return _capped(found)

    def _special(self, expr: ast.Call, frame: Frame) -> Values | None:
        """Builtins with a meaning of their own, and methods that return their receiver."""
        func = expr.func
        if isinstance(func, ast.Name):
            if func.id == "super":
                return self._super(expr, frame)
            if func.id == "getattr" and len(expr.args) >= 2:
                return self._getattr(expr, frame)
            if func.id == "dict" and not expr.args:
                pairs = [(k.arg, self.infer(k.value, frame)) for k in expr.keywords if k.arg]
                return frozenset((Mapping(tuple(pairs)),))
        elif isinstance(func, ast.Attribute):
            return self._method_special(func, expr, frame)
        return None

    def _method_special(self, func: ast.Attribute, expr: ast.Call, frame: Frame) -> Values | None:
        if func.attr in UNWRAPPERS and expr.args:
            return self.infer(expr.args[0], frame)
        if func.attr in PASS_THROUGH and expr.args and not self._defines(func, frame):
            parts = tuple(self.infer(a, frame) for a in expr.args)
            whole = Items(_capped(v for p in parts for v in p), parts)
            return parts[0] if len(parts) == 1 else frozenset((whole,))
        if func.attr in ("get", "pop", "setdefault") and expr.args:
            return self._dict_get(func, expr, frame)
        if func.attr in SELF_METHODS:
            receivers = self.infer(func.value, frame)
            kept = {v for v in receivers if self._keeps(v, func.attr)}
            if kept:
                return frozenset(kept)
        return None

    def _dict_get(self, func: ast.Attribute, expr: ast.Call, frame: Frame) -> Values | None:
        key = expr.args[0].value if isinstance(expr.args[0], ast.Constant) else None
        tables = [v for v in self.infer(func.value, frame) if isinstance(v, Mapping)]
        return _capped(v for table in tables for v in _looked_up(table, key)) if tables else None

    def _defines(self, func: ast.Attribute, frame: Frame) -> bool:
        return any(isinstance(v, Bound) for v in self.infer(func, frame))

    def _keeps(self, value: Value, name: str) -> bool:
        """Is it an object on which the library's own method returns the object itself?"""
        if isinstance(value, Instance):
            return self.classes.find(value.cls, name) is None
        return isinstance(value, Made)

    def _super(self, expr: ast.Call, frame: Frame) -> Values:
        definer = self._defining_class(frame)
        if len(expr.args) == 2:
            named = [v.cls for v in self.infer(expr.args[0], frame) if isinstance(v, ClassRef)]
            definer = named[0] if named else ""
        return frozenset((Super(frame.receiver, definer),)) if frame.receiver and definer else NOTHING

    def _defining_class(self, frame: Frame) -> str:
        facts = self.index.function(frame.function)
        while facts.owner is None and facts.parent not in (None, "<module>"):
            facts = self.index.function(f"{facts.path}::{facts.parent}")
        return f"{facts.path}::{facts.owner}" if facts.owner else ""

    def _getattr(self, expr: ast.Call, frame: Frame) -> Values:
        found: set[Value] = set()
        for key in self.infer(expr.args[1], frame):
            if isinstance(key, Text):
                for base in self.infer(expr.args[0], frame):
                    found |= self.member(base, key.value)
        return _capped(found)

    def called(self, callee: Value, expr: ast.Call, frame: Frame) -> Values:
        """What calling `callee` with the arguments of `expr` returns."""
        if isinstance(callee, FunctionRef):
            return self.returned(Frame(callee.function))
        if isinstance(callee, Bound):
            return self.returned(Frame(callee.function, callee.receiver))
        if isinstance(callee, ClassRef):
            return frozenset((Instance(callee.cls),))
        if isinstance(callee, Instance):
            method = self.call_method(callee.cls)
            return self.returned(Frame(method, callee.cls)) if method else NOTHING
        if isinstance(callee, External):
            return self._external_result(callee.name, expr, frame)
        return NOTHING

    def _external_result(self, name: str, expr: ast.Call, frame: Frame) -> Values:
        if name in ENGINE_FACTORIES:
            model = _argument(expr, (0, ENGINE_FACTORIES[name]))
            engine = self.infer(model, frame) if model is not None else NOTHING
            return frozenset((Items(engine, (engine, NOTHING, NOTHING, NOTHING)),))
        places = _WRAPPERS.get((name.partition(".")[0], name.rpartition(".")[2]))
        wrapped = _argument(expr, places) if places else None
        if wrapped is not None:
            return self.infer(wrapped, frame) or frozenset((Made(name),))
        return frozenset((Made(name),))

    def call_method(self, cls: str) -> str | None:
        """What `obj(...)` runs: `__call__`, else `forward` (torch modules)."""
        return self.classes.find(cls, "__call__") or self.classes.find(cls, "forward")

    def returned(self, frame: Frame) -> Values:
        """The union of what a function returns."""
        facts = self.index.function(frame.function)
        body = self.body(frame.function)
        found = _capped(v for expr in body.returns for v in self.infer(expr, frame))
        if not found and not isinstance(facts.node, ast.Module) and facts.node.returns is not None:
            return self.annotation(facts.node.returns, frame)
        return found

    # -- members --------------------------------------------------------------------------------

    def member(self, value: Value, name: str) -> Values:
        """What `value.name` may be."""
        if isinstance(value, Instance):
            return self._instance_member(value.cls, name)
        if isinstance(value, Super):
            return self._super_member(value, name)
        if isinstance(value, ClassRef):
            return self._class_member(value.cls, name)
        if isinstance(value, ModuleRef):
            return self._module_member(value, name)
        if isinstance(value, External):
            return self._external_member(value.name, name)
        if isinstance(value, Made) and value.by.count("()") < MAX_CHAIN:
            return frozenset((External(f"{value.by}().{name}"),))
        return NOTHING

    def _external_member(self, owner: str, name: str) -> Values:
        key = (owner, name)
        if key not in self._externals:
            if owner.count(".") > 4 * MAX_CHAIN:
                self._externals[key] = NOTHING
            else:
                self._externals[key] = frozenset((self._canonical(f"{owner}.{name}", ""),))
        return self._externals[key]

    def _module_member(self, value: ModuleRef, name: str) -> Values:
        if value.path:
            found = self.module_name(value.path, name)
            if found:
                return found
        dotted = f"{value.name}.{name}"
        if self.index.modules.is_folder(dotted) or self.index.modules.find(dotted, value.path):
            return frozenset((self._module(dotted, value.path),))
        return NOTHING

    def _super_member(self, value: Super, name: str) -> Values:
        order = self.classes.after(value.receiver, value.after)
        method = self.classes.find(value.receiver, name, order)
        if method:
            return frozenset((Bound(method, value.receiver),))
        bases = [b for b in order if isinstance(b, External)]
        return frozenset((External(f"{bases[0].name}.{name}"),)) if bases else NOTHING

    def _class_member(self, cls: str, name: str) -> Values:
        method = self.classes.find(cls, name)
        if method:
            node = self.index.function(method).node
            if not isinstance(node, ast.Module) and _is_classmethod(node):
                return frozenset((Bound(method, cls),))
            return frozenset((FunctionRef(method),))
        found = self._class_attribute(cls, name)
        return found or self._from_external_base(cls, name)

    def _from_external_base(self, cls: str, name: str) -> Values:
        bases = self.classes.external_bases(cls)
        return frozenset((External(f"{bases[0]}.{name}"),)) if bases else NOTHING

    def _class_attribute(self, cls: str, name: str) -> Values:
        found: set[Value] = set()
        for facts in self.classes.own(cls):
            for expr in facts.attributes.get(name, ()):
                found |= self.infer(expr, Frame(f"{facts.path}::{facts.scope}"))
        return _capped(found)

    def _instance_member(self, cls: str, name: str) -> Values:
        key = ("member", cls, name)
        if key in self._open:
            return NOTHING
        self._open.add(key)
        try:
            return self._find_member(cls, name)
        finally:
            self._open.discard(key)

    def _find_member(self, cls: str, name: str) -> Values:
        found: set[Value] = set(self.stores.get((cls, name), NOTHING))
        for facts in self.classes.own(cls):
            for function, source in self.stored(facts).get(name, ()):
                found |= self.source(source, Frame(function, cls))
        method = self.classes.find(cls, name)
        if method and not found:
            node = self.index.function(method).node
            if not isinstance(node, ast.Module) and _is_property(node):
                return self.returned(Frame(method, cls))
            if not isinstance(node, ast.Module) and _is_static(node):
                return frozenset((FunctionRef(method),))
            return frozenset((Bound(method, cls),))
        found |= self._class_attribute(cls, name)
        found |= self._field(cls, name) if not found else NOTHING
        return _capped(found) or self._from_external_base(cls, name)

    def _field(self, cls: str, name: str) -> Values:
        for facts in self.classes.own(cls):
            if name in facts.annotations:
                passed = self.params.get((Frame(f"{facts.id}.<fields>", cls), name), NOTHING)
                return passed | self.annotation(
                    facts.annotations[name], Frame(f"{facts.path}::{facts.scope}")
                )
        return NOTHING

    def stored(self, facts: ClassFacts) -> dict[str, list[tuple[str, Source]]]:
        """`self.x = ...` in the methods of one class, by attribute."""
        if facts.id not in self._attr_stores:
            found: dict[str, list[tuple[str, Source]]] = {}
            for qualname in facts.methods.values():
                function = f"{facts.path}::{qualname}"
                node = self.index.function(function).node
                first = _first_parameter(node) if not isinstance(node, ast.Module) else ""
                for store in self.body(function).stores:
                    if isinstance(store.base, ast.Name) and store.base.id == first:
                        found.setdefault(store.attr, []).append((function, store.value))
            self._attr_stores[facts.id] = found
        return self._attr_stores[facts.id]

    def attribute_sources(self, cls: str, name: str) -> list[tuple[str, Source]]:
        """Where the methods of a class store an attribute: (function id, source)."""
        return [s for facts in self.classes.own(cls) for s in self.stored(facts).get(name, ())]

    def builds(self, callee: Value, name: str) -> str | None:
        """The class that `callee.name(...)` builds through a library factory, if it is one."""
        if name in FACTORY_METHODS and isinstance(callee, ClassRef):
            if self.classes.find(callee.cls, name) is None:
                return callee.cls
        return None


def _infer_factory_call(self: Resolver, expr: ast.Call, frame: Frame) -> Values:
    """Calls, with `Class.from_pretrained(...)` giving an object of the class."""
    if isinstance(expr.func, ast.Attribute) and expr.func.attr in FACTORY_METHODS:
        built = [self.builds(v, expr.func.attr) for v in self.infer(expr.func.value, frame)]
        made = frozenset(Instance(cls) for cls in built if cls)
        if made:
            return made
    return self._infer_call(expr, frame)


_EXPRESSIONS: dict[type, Callable[[Resolver, Any, Frame], Values]] = {
    ast.Name: Resolver._infer_name,
    ast.Constant: Resolver._infer_constant,
    ast.Attribute: Resolver._infer_attribute,
    ast.IfExp: Resolver._infer_either,
    ast.BoolOp: Resolver._infer_bool,
    ast.NamedExpr: Resolver._infer_walrus,
    ast.Await: Resolver._infer_await,
    ast.List: Resolver._infer_items,
    ast.Tuple: Resolver._infer_items,
    ast.Set: Resolver._infer_items,
    ast.ListComp: Resolver._infer_comprehension,
    ast.GeneratorExp: Resolver._infer_comprehension,
    ast.Dict: Resolver._infer_dict,
    ast.Subscript: Resolver._infer_subscript,
    ast.Call: _infer_factory_call,
}

# Wrappers by (top-level package, last name): libraries export them under several paths.
_WRAPPERS = {(n.partition(".")[0], n.rpartition(".")[2]): places for n, places in WRAPPERS.items()}
_BUILTINS = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)


def elements(values: Values) -> Values:
    """What iterating over the values gives."""
    return _capped(e for v in values if isinstance(v, Items) for e in v.elements)


def _flat(values: Values) -> Values:
    """The values without displays of displays, which could nest without end."""
    return frozenset(v for v in values if not isinstance(v, Items) or not _nests(v))


def _nests(value: Items) -> bool:
    return any(isinstance(v, Items) for v in value.elements)


def _unpacked(values: Values, index: int) -> Values:
    found: set[Value] = set()
    for value in values:
        if isinstance(value, Items):
            inside = -len(value.ordered) <= index < len(value.ordered)
            found |= value.ordered[index] if inside else value.elements
    return _capped(found)


def _looked_up(mapping: Mapping, key: object) -> Values:
    if isinstance(key, str):
        return frozenset(v for k, values in mapping.items if k == key for v in values)
    return frozenset(v for _, values in mapping.items for v in values) if key is None else NOTHING


def _capped(values: Iterable[Value]) -> Values:
    found = values if isinstance(values, frozenset) else frozenset(values)
    return found if len(found) <= MAX_VALUES else frozenset(ordered(found)[:MAX_VALUES])


def _argument(expr: ast.Call, places: tuple[int | str, ...]) -> ast.expr | None:
    for place in places:
        if isinstance(place, int) and place < len(expr.args):
            return expr.args[place]
        for keyword in expr.keywords:
            if keyword.arg == place:
                return keyword.value
    return None


def _parameters(facts: FunctionFacts) -> set[str]:
    node = facts.node
    if isinstance(node, ast.Module):
        return set()
    args = node.args
    names = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    return names | {a.arg for a in (args.vararg, args.kwarg) if a is not None}


def _first_parameter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    args = (*node.args.posonlyargs, *node.args.args)
    return args[0].arg if args else ""


def _decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    found = set()
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(target, ast.Attribute):
            found.add(target.attr)
        elif isinstance(target, ast.Name):
            found.add(target.id)
    return found


def _is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return "staticmethod" in _decorators(node)


def _is_classmethod(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return "classmethod" in _decorators(node)


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(_decorators(node) & {"property", "cached_property"})


def _is_optional(expr: ast.expr) -> bool:
    name = expr.attr if isinstance(expr, ast.Attribute) else expr.id if isinstance(expr, ast.Name) else ""
    return name in ("Optional", "Union")


__all__ = ["Frame", "Resolver", "elements", "is_weightless"]
