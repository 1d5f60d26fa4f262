"""Configurations that are Python modules (mmengine, XTuner), read as far as their text alone tells: names,
arithmetic, `dict(...)`, `_base_` and `read_base()`. Nothing is run; what is not understood is UNKNOWN.

Source: mmengine.config.Config (0.10): `_base_` files are merged key by key, unless a dictionary says
`_delete_=True`; names that `with read_base()` imports are ordinary names of the module."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from dataclasses import field
from itertools import islice

from mmcodemod.facts.definitions import bare_name
from mmcodemod.model.frozen import mutable
from mmcodemod.model.option import UNKNOWN, Option, Special
from mmcodemod.project.config_values import MAX_DEPTH, Names, Settings, Value
from mmcodemod.project.sources import Sources

MAX_BASES = 20  # configurations that one configuration builds on
MAX_OPTIONS = 2_000

_MARKS = (b"dict(", b"_base_", b"read_base", b"type=")
_STATEMENTS = (
    ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.With, ast.Expr, ast.Delete,
)  # fmt: skip


def is_config(sources: Sources, path: str) -> bool:
    """Is the file a configuration: imports and assignments alone, one of them a dictionary?"""
    data = sources.data(path)
    if not any(mark in data for mark in _MARKS) or b"__main__" in data:
        return False
    module = sources.python(path)
    return module is not None and all(isinstance(node, _STATEMENTS) for node in module.body)


def config_options(sources: Sources, path: str) -> dict[str, Option]:
    """Every scalar by dotted key, e.g. "optim_wrapper.clip_grad.max_norm", with where it is written; a list
    of scalars is one comma-separated text, one of dictionaries has its numbers as keys."""
    return flat(_read(sources, path, (path,)))


def flat(settings: Settings) -> dict[str, Option]:
    """The scalars of settings by dotted key."""
    return dict(islice(_flat(settings, "", 0), MAX_OPTIONS))


def bases(sources: Sources, path: str) -> tuple[str, ...]:
    """The configurations of the tree that this one builds on, itself first."""
    found = [path]
    for known in found:
        module = sources.python(known)
        for base in _bases(sources, known, module) if module and len(found) < MAX_BASES else ():
            if base not in found:
                found.append(base)
    return tuple(found)


def _read(sources: Sources, path: str, inside: tuple[str, ...]) -> Settings:
    """The names of a module and what they hold at its end."""
    module = sources.python(path)
    if module is None:
        return {}
    reading = Reading(sources, path, inside, Names(path))
    for node in module.body:
        reading.statement(node)
    return reading.result()


def _flat(settings: Settings, prefix: str, depth: int) -> Iterator[tuple[str, Option]]:
    for name, value in settings.items():
        if isinstance(value.content, dict) and value.content and depth < MAX_DEPTH:
            yield from _flat(value.content, f"{prefix}{name}.", depth + 1)
        elif isinstance(value.content, tuple) and any(isinstance(i.content, dict) for i in value.content):
            items = {str(number): item for number, item in enumerate(value.content)}
            yield from _flat(items, f"{prefix}{name}.", depth + 1) if depth < MAX_DEPTH else ()
        elif isinstance(value.content, tuple):
            yield prefix + name, _joined(value)
        else:  # an empty dictionary counts as one, so that the number of all is bounded
            yield prefix + name, Option(value.scalar, value.at)


def _joined(value: Value) -> Option:
    items = [item.scalar for item in value.content] if isinstance(value.content, tuple) else []
    if any(isinstance(item, Special) for item in items):
        return Option(UNKNOWN, value.at, "list")
    return Option(", ".join(str(item) for item in items), value.at, "list")


def _bases(sources: Sources, path: str, module: ast.Module) -> Iterator[str]:
    """The files of `_base_ = ...` and of the imports below `with read_base()`."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="_base_")], value=value):
                names = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
                texts = [n.value for n in names if isinstance(n, ast.Constant) and isinstance(n.value, str)]
                found = (_beside(path, text) for text in texts)
                yield from (base for base in found if base in sources.paths)
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=func))], body=body):
                if bare_name(func) == "read_base":
                    imports = [n for n in body if isinstance(n, ast.ImportFrom)]
                    yield from (b for n in imports if (b := _imported(sources, path, n)) is not None)


def _beside(path: str, text: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), text))


def _imported(sources: Sources, path: str, node: ast.ImportFrom) -> str | None:
    """The file of a relative import, or of a package of the tree."""
    folder = path
    for _ in range(node.level):
        folder = posixpath.dirname(folder)
    stem = (node.module or "").replace(".", "/")
    candidate = posixpath.join(folder, stem) + ".py" if node.level else f"{stem}.py"
    return candidate if candidate in sources.paths else None


@mutable()
class Reading:
    """The names that the statements so far have given values. `inside`: the files being read."""

    sources: Sources
    path: str
    inside: tuple[str, ...]
    names: Names
    merged: Settings = field(default_factory=dict)  # from `_base_`

    @property
    def known(self) -> Settings:
        return self.names.known

    def result(self) -> Settings:
        own = {k: v for k, v in self.known.items() if not k.startswith("_")}
        return _merged(self.merged, own) if self.merged else own

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.With(body=body):
                self._with(body)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, self.names.value(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self.names.value(value))
            case ast.AugAssign(target=ast.Name(id=name)):
                self.known[name] = Value(UNKNOWN, self.names.at(node))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) as call):
                self._changed(name, attr, call)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.known.pop(getattr(target, "id", ""), None)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = getattr(node, "module", None)
        for alias in node.names:
            dotted = f"{module}.{alias.name}" if module else alias.name
            self.names.imported[alias.asname or alias.name] = dotted

    def _with(self, body: list[ast.stmt]) -> None:
        """`with read_base():` takes over the names of other configurations."""
        for node in body:
            base = _imported(self.sources, self.path, node) if isinstance(node, ast.ImportFrom) else None
            if base is None or base in self.inside or len(self.inside) >= MAX_BASES:
                continue
            known = _read(self.sources, base, (*self.inside, base))
            wanted = {a.name: a.asname or a.name for a in node.names}  # type: ignore[attr-defined]
            for name, value in known.items():
                if "*" in wanted or name in wanted:
                    self.known[wanted.get(name, name)] = value

    def _assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.known[target.id] = value
            if target.id == "_base_":
                self._take_over(value)
        elif isinstance(target, ast.Tuple):
            for item in target.elts:
                self._assign(item, Value(UNKNOWN, value.at))
        else:
            self._store(target, value)

    def _store(self, target: ast.expr, value: Value) -> None:
        """`model["a"]["b"] = x` and `model.a = x`; what is stored elsewhere makes the whole name unknown."""
        keys: list[str] = []
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            key = target.attr if isinstance(target, ast.Attribute) else self.names.value(target.slice).scalar
            keys.insert(0, key if isinstance(key, str) else "")
            target = target.value
        if isinstance(target, ast.Name) and target.id in self.known:
            known = self.known[target.id]
            self.known[target.id] = _stored(known, keys, value) if all(keys) else Value(UNKNOWN, value.at)

    def _take_over(self, value: Value) -> None:
        items = value.content if isinstance(value.content, tuple) else (value,)
        for item in items:
            path = _beside(self.path, item.content) if isinstance(item.content, str) else ""
            if path in self.sources.paths and path not in self.inside and len(self.inside) < MAX_BASES:
                self.merged = _merged(self.merged, _read(self.sources, path, (*self.inside, path)))

    def _changed(self, name: str, attr: str, call: ast.Call) -> None:
        """`model.update(a=1)` and `model.update(dict(a=1))`; any other method may do anything."""
        known = self.known.get(name)
        if known is None:
            return
        given = [*map(self.names.value, call.args), self.names.settings(call.keywords, call)]
        maps = [v.content for v in given if isinstance(v.content, dict)]
        if attr != "update" or len(maps) < len(given) or not isinstance(known.content, dict):
            self.known[name] = Value(UNKNOWN, self.names.at(call))
            return
        changed = dict(known.content)
        for settings in maps:
            changed |= settings
        self.known[name] = Value(changed, known.at)


def _stored(known: Value, keys: list[str], value: Value) -> Value:
    if not keys:
        return value
    if not isinstance(known.content, dict):
        return Value(UNKNOWN, value.at)
    inner = known.content.get(keys[0], Value({}, value.at))
    return Value({**known.content, keys[0]: _stored(inner, keys[1:], value)}, known.at)


def _merged(base: Settings, own: Settings, seen: dict[tuple[int, int], Settings] | None = None) -> Settings:
    """mmengine's way: dictionaries key by key, everything else replaced. `seen`: a pair that stands in
    several places is merged once."""
    seen = {} if seen is None else seen
    pair = id(base), id(own)
    if pair in seen:
        return seen[pair]
    result = seen[pair] = dict(base)
    for name, value in own.items():
        below = result.get(name)
        settings = value.content
        if not isinstance(settings, dict) or below is None or not isinstance(below.content, dict):
            result[name] = value
        elif "_delete_" in settings:
            result[name] = Value({k: v for k, v in settings.items() if k != "_delete_"}, value.at)
        else:
            result[name] = Value(_merged(below.content, settings, seen), value.at)
    return result
