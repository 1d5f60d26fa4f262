"""What builtins and the standard library return, where it is made of their arguments. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.outline import Import
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.project.frame import Frame
from mmcodemod.project.keys import Keys
from mmcodemod.project.values import (
    NOTHING,
    Bound,
    ClassRef,
    FunctionRef,
    Instance,
    Items,
    Mapping,
    ModuleRef,
    Text,
    Value,
    Values,
    capped,
    entries,
    flat,
    ordered,
)


class LibraryResults(Keys):
    """Results of library calls; `None` from `built` means that nothing is known about the callee."""

    def result(self, callee: Value, arguments: list[Values], frame: Frame) -> Values:
        """What calling `callee` with positional values returns."""
        raise NotImplementedError

    def built(self, name: str, expr: Call, frame: Frame) -> Values | None:
        """The result of the library callable `name`."""
        handler = _RESULTS.get(name)
        return handler(self, expr, frame) if handler is not None else None

    def _argument(self, expr: Call, index: int, frame: Frame) -> Values:
        return self.infer(expr.args[index], frame) if index < len(expr.args) else NOTHING

    def _copy(self, expr: Call, frame: Frame) -> Values:
        elements = flat(self.iterated(self._argument(expr, 0, frame)))
        return frozenset((Items(elements, (), self.site(expr, frame)),))

    def _dict(self, expr: Call, frame: Frame) -> Values:
        found = self.spread(self._argument(expr, 0, frame))
        for keyword in expr.keywords:
            values = self.infer(keyword.value, frame)
            found += [(keyword.arg, values)] if keyword.arg else self.spread(values)
        kept = entries((key, flat(values)) for key, values in found)
        return frozenset((Mapping(kept, self.site(expr, frame)),))

    def _default_dict(self, expr: Call, frame: Frame) -> Values:
        return frozenset((Mapping((), self.site(expr, frame)),))

    def _enumerate(self, expr: Call, frame: Frame) -> Values:
        element = flat(self.iterated(self._argument(expr, 0, frame)))
        return frozenset((Items(frozenset((Items(element, (NOTHING, element)),))),))

    def _zip(self, expr: Call, frame: Frame) -> Values:
        parts = tuple(flat(self.iterated(self.infer(a, frame))) for a in expr.args)
        return frozenset((Items(frozenset((Items(capped(v for p in parts for v in p), parts),))),))

    def _map(self, expr: Call, frame: Frame) -> Values:
        given = [self.iterated(self.infer(a, frame)) for a in expr.args[1:]]
        made = (self.result(f, given, frame) for f in ordered(self._argument(expr, 0, frame)))
        return frozenset((Items(flat(capped(v for values in made for v in values))),))

    def _filter(self, expr: Call, frame: Frame) -> Values:
        return frozenset((Items(flat(self.iterated(self._argument(expr, 1, frame)))),))

    def _next(self, expr: Call, frame: Frame) -> Values:
        stepped = (self.stepped(v) for v in self._argument(expr, 0, frame))
        return capped(v for values in (*stepped, self._argument(expr, 1, frame)) for v in values)

    def _iter(self, expr: Call, frame: Frame) -> Values:
        given = self._argument(expr, 0, frame)
        return frozenset((Items(flat(self.iterated(given))),))

    def _extreme(self, expr: Call, frame: Frame) -> Values:
        if len(expr.args) == 1:
            return self.iterated(self._argument(expr, 0, frame))
        return capped(v for a in expr.args for v in self.infer(a, frame))

    def _type(self, expr: Call, frame: Frame) -> Values:
        given = self._argument(expr, 0, frame)
        return frozenset(ClassRef(v.cls) for v in given if isinstance(v, Instance))

    def _partial(self, expr: Call, frame: Frame) -> Values:
        given = len(expr.args) - 1
        found: set[Value] = set()
        for value in self._argument(expr, 0, frame):
            if isinstance(value, FunctionRef):
                value = FunctionRef(value.function, value.receiver, value.site, value.given + given)
            elif isinstance(value, Bound):
                value = Bound(value.function, value.receiver, value.site, value.given + given)
            found.add(value)
        return frozenset(found)

    def _method(self, expr: Call, frame: Frame) -> Values:
        """`MethodType(function, object)`."""
        return self.bound_to(self._argument(expr, 0, frame), self._argument(expr, 1, frame))

    def bound_to(self, functions: Values, objects: Values) -> Values:
        """The functions as methods of the objects."""
        classes = [v.cls for v in ordered(objects) if isinstance(v, Instance)]
        bound = (self._bind(functions, cls) for cls in classes)
        return capped(v for values in bound for v in values) if classes else functions

    def _imported_module(self, expr: Call, frame: Frame) -> Values:
        path = frame.function.partition("::")[0]
        found: set[Value] = set()
        for name in self._argument(expr, 0, frame):
            if isinstance(name, Text):
                level = len(name.value) - len(name.value.lstrip("."))
                item = Import("", self._absolute(name.value, level, expr, frame), None, 0, expr.lineno)
                found |= self._import(item, path)
        for name_of in self._listed(expr, frame) if not found else ():
            found |= self._import(Import("", name_of, None, 0, expr.lineno), path)
        return frozenset(v for v in found if isinstance(v, ModuleRef))

    def _listed(self, expr: Call, frame: Frame) -> list[str]:
        """The modules of a package, where `import_module(f"{package}.{name}")` runs for what a folder has."""
        if not any(last_name(call.func) in _LISTS for call in self.body(frame.function).calls):
            return []
        packages = self._beginnings(node_of(expr).args[0], frame) if expr.args else set()
        return [module for package in sorted(packages) for module in self.index.modules.inside(package)]

    def _beginnings(self, name: ast.expr, frame: Frame) -> set[str]:
        """What a text that is put together begins with, up to the dot before what does not show."""
        found = {""}
        for part in _parts(name):
            texts = self._texts(part, frame)
            if not texts:
                return {text.removesuffix(".") for text in found if text.endswith(".")}
            found = {f"{text}{more}" for text in found for more in texts}
        return set()

    def _texts(self, part: ast.expr, frame: Frame) -> set[str]:
        if isinstance(part, ast.Constant):
            return {str(part.value)}
        if not isinstance(part, ast.Name):
            return set()
        path = frame.function.partition("::")[0]
        if part.id == "__name__" or (part.id == "__package__" and path.endswith("/__init__.py")):
            return {self.index.modules.name(path)}
        return {v.value for v in self.name(part.id, frame) if isinstance(v, Text)}

    def _absolute(self, name: str, level: int, expr: Call, frame: Frame) -> str:
        if not level:
            return name
        packages = [v.value for v in ordered(self._argument(expr, 1, frame)) if isinstance(v, Text)]
        if not packages:
            return self.index.modules.absolute(name[level:], level, frame.function.partition("::")[0])
        parts = packages[0].split(".")
        return ".".join([*parts[: len(parts) - level + 1], name[level:]])


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of `a + b` and `f"{a}b"`, in their order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from (*_parts(node.left), *_parts(node.right))
    elif isinstance(node, ast.JoinedStr):
        yield from (value.value if isinstance(value, ast.FormattedValue) else value for value in node.values)
    else:
        yield node


_LISTS = ("listdir", "scandir", "glob", "iglob", "iterdir", "iter_modules", "walk_packages")

_Handler = Callable[[LibraryResults, Call, Frame], Values]
_RESULTS: dict[str, _Handler] = {
    **{
        f"<builtin>.{n}": LibraryResults._copy
        for n in ("list", "tuple", "set", "frozenset", "sorted", "reversed")
    },
    **{f"<builtin>.{n}": LibraryResults._extreme for n in ("min", "max")},
    **dict.fromkeys(("<builtin>.dict", "collections.OrderedDict"), LibraryResults._dict),
    "collections.defaultdict": LibraryResults._default_dict,
    "collections.deque": LibraryResults._copy,
    "<builtin>.enumerate": LibraryResults._enumerate,
    "<builtin>.zip": LibraryResults._zip,
    "<builtin>.map": LibraryResults._map,
    "<builtin>.filter": LibraryResults._filter,
    "<builtin>.next": LibraryResults._next,
    "<builtin>.iter": LibraryResults._iter,
    "<builtin>.type": LibraryResults._type,
    "itertools.chain": LibraryResults._extreme,
    "functools.partial": LibraryResults._partial,
    "types.MethodType": LibraryResults._method,
    "importlib.import_module": LibraryResults._imported_module,
}
