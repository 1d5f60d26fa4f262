"""Expressions of code, worked out as those of configurations are: with copies, merges and entries of
dictionaries, whose objects names share."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.frozen import mutable
from mmcodemod.model.option import UNKNOWN, Scalar, Special
from mmcodemod.project.config_values import MAX_DEPTH, ModuleValues, Names, Value
from mmcodemod.project.dictionaries import copied

_LOADS = ("yaml.safe_load", "yaml.load", "yaml.full_load", "json.load", "omegaconf.OmegaConf.load")
_LEVELS = {"copy.copy": 1, "copy.deepcopy": MAX_DEPTH}


def _unread(path: str) -> Value | None:
    return None


@mutable()
class CodeNames(Names):
    """The names of code, and what its expressions come to. `load` gives what a file of the tree holds."""

    load: Callable[[str], Value | None] = _unread

    def value(self, node: ast.expr, depth: int = 0) -> Value:
        if depth <= MAX_DEPTH:
            match node:
                case ast.Attribute(value=of, attr=name) if (held := self._module(of)) is not None:
                    return held.get(name, Value(UNKNOWN, self.at(node)))
                case ast.Subscript(value=of, slice=key):
                    return self._entry(of, key, None, depth)
                case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                    return self._merged(node, [left, right], depth)
                case ast.Call(func=ast.Name(id="dict"), args=[of], keywords=more):
                    given = self.settings(more, node)
                    return _joined([self.value(of, depth + 1), given], given)
                case ast.Call(func=ast.Attribute(value=of, attr="copy"), args=[], keywords=[]):
                    return copied(self.value(of, depth + 1), 1)
                case ast.Call(func=ast.Attribute(value=of, attr="get" | "setdefault"), args=[key, *rest]):
                    return self._entry(of, key, rest[0] if rest else None, depth)
                case ast.Call(func=ast.Name(id="open"), args=[named, *_]):
                    return self.value(named, depth + 1)
                case ast.Call(args=[file, *_]) if self._dotted(node.func) in _LOADS:
                    return self._loaded(node, file, depth)
                case ast.Call(args=[of], keywords=[]) if (levels := self._levels(node)) > 0:
                    return copied(self.value(of, depth + 1), levels)
        return super().value(node, depth)

    def _class(self, node: ast.expr) -> Scalar | Special:
        """What a class makes is no dictionary, as it is in a configuration."""
        return UNKNOWN

    def _module(self, node: ast.expr) -> ModuleValues | None:
        """The module of the tree that `settings` or `pkg.settings` stands for."""
        held: Value | None = None
        if isinstance(node, ast.Name):
            held = self.known.get(node.id)
        elif isinstance(node, ast.Attribute) and (above := self._module(node.value)) is not None:
            held = above.get(node.attr)
        return held.content if held is not None and isinstance(held.content, ModuleValues) else None

    def _entry(self, of: ast.expr, key: ast.expr, other: ast.expr | None, depth: int) -> Value:
        """`settings["a"]`, and `settings.get("a", other)`"""
        held, name = self.value(of, depth + 1), self.value(key, depth + 1).scalar
        if not isinstance(held.content, dict) or not isinstance(name, str):
            return Value(UNKNOWN, self.at(of))
        if name in held.content:
            return held.content[name]
        return self.value(other, depth + 1) if other is not None else Value(UNKNOWN, self.at(of))

    def _dotted(self, node: ast.expr) -> Scalar | Special:
        named = self.imported.get(node.id, UNKNOWN) if isinstance(node, ast.Name) else UNKNOWN
        return named if isinstance(node, ast.Name) else super()._dotted(node)

    def _loaded(self, node: ast.expr, file: ast.expr, depth: int) -> Value:
        """`yaml.safe_load(open("settings.yaml"))`: an open file counts as its path."""
        path = self.value(file, depth + 1).scalar
        found = self.load(path) if isinstance(path, str) else None
        return found or Value(UNKNOWN, self.at(node))

    def _merged(self, node: ast.expr, parts: list[ast.expr], depth: int) -> Value:
        return _joined([self.value(part, depth + 1) for part in parts], Value(UNKNOWN, self.at(node)))

    def _levels(self, call: ast.Call) -> int:
        """How deep `copy.copy(x)` and `deepcopy(x)` copy; 0 for another call."""
        named = self.imported.get(unparse(call.func).partition(".")[0], "")
        return _LEVELS.get(named if named.startswith("copy.") else f"{named}.{bare_name(call.func)}", 0)


def _joined(parts: list[Value], otherwise: Value) -> Value:
    """One dictionary of the entries of several, later ones first; UNKNOWN where one is none."""
    if not all(isinstance(part.content, dict) for part in parts):
        return Value(UNKNOWN, otherwise.at)
    entries = {k: v for part in parts if isinstance(part.content, dict) for k, v in part.content.items()}
    return Value(entries, otherwise.at)
