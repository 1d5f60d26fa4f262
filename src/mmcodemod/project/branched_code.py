"""Branches of straight code that give keys of dictionaries something: these keys alone are UNKNOWN then.
Must-analysis; a branch that does more is not followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import mutable
from mmcodemod.model.option import UNKNOWN
from mmcodemod.project.code_changes import HARMLESS, may_change
from mmcodemod.project.config_values import Value
from mmcodemod.project.dictionaries import item, put, within
from mmcodemod.project.straight_code import StraightCode, shown

_LEAVES = (ast.Pass, ast.Raise, ast.Return, ast.Break, ast.Continue)
_BY_KEY = ("setdefault", "pop")
_Changed = tuple[str, tuple[str, ...]]  # the name of a dictionary, and the keys of what changes there


@mutable()
class BranchedCode(StraightCode):
    """Follows branches as far as they change places that show."""

    def passed_over(self, node: ast.stmt) -> None:
        places = self._places(node) if isinstance(node, ast.If) else None
        if places is None:
            super().passed_over(node)
            return
        for test in (n.test for n in walk(node) if isinstance(n, ast.If)):
            super().passed_over(ast.copy_location(ast.Expr(test), test))
        for root, keys in places:
            at = self.names.at(node)
            if not keys:
                self.known[root] = Value(UNKNOWN, at)
            elif root in self.known and not put(self.known[root], keys, Value(UNKNOWN, at)):
                self.lose(self.known[root], at)

    def _places(self, branch: ast.If) -> list[_Changed] | None:
        """What the sides give something; None where more happens there."""
        found: list[_Changed] = []
        for statement in (*branch.body, *branch.orelse):
            inner = self._places(statement) if isinstance(statement, ast.If) else self._place(statement)
            if inner is None:
                return None
            found += inner
        return found

    def _place(self, statement: ast.stmt) -> list[_Changed] | None:
        match statement:
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                return self._target(target) if self._plain(value) else None
            case ast.Delete(targets=[ast.Subscript() as target]):
                return self._target(target)
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Expr(value=ast.Call() as call):
                return [] if self._harmless(call) else self._by_call(call)
        return [] if isinstance(statement, _LEAVES) and self._plain_parts(statement) else None

    def _target(self, target: ast.expr) -> list[_Changed] | None:
        """A name, or a place in a dictionary that is followed."""
        root, keys = self._way(target)
        if not root or None in keys:
            return None
        if not keys:
            return [(root, ())]
        holder = item(self.known[root], shown(keys)[:-1]) if root in self.known else None
        return [(root, tuple(shown(keys)))] if holder and isinstance(holder.content, dict) else None

    def _by_call(self, call: ast.Call) -> list[_Changed] | None:
        """`settings.update(a=1)`, `settings["a"].pop("b")`"""
        if not isinstance(call.func, ast.Attribute) or not all(map(self._plain, self._given(call))):
            return None
        names = self._names_given(call.func.attr, call)
        root, keys = self._way(call.func.value)
        holder = item(self.known[root], shown(keys)) if root in self.known and None not in keys else None
        if names is None or holder is None or not isinstance(holder.content, dict):
            return None
        return [(root, (*shown(keys), name)) for name in names]

    def _names_given(self, method: str, call: ast.Call) -> list[str] | None:
        """The keys that a method changes; None where they do not show."""
        if method in _BY_KEY:
            key = self.names.value(call.args[0]).scalar if call.args else None
            return [key] if isinstance(key, str) else None
        given = [*map(self.names.value, call.args), self.names.settings(call.keywords, call)]
        if method != "update" or not all(isinstance(value.content, dict) for value in given):
            return None
        return [key for value in given if isinstance(value.content, dict) for key in value.content]

    def _harmless(self, call: ast.Call) -> bool:
        return bare_name(call.func) in HARMLESS and self._plain(call)

    def _plain(self, value: ast.expr) -> bool:
        """Does a value change nothing, and hold no dictionary that has another name, too?"""
        known = (self.names.value(n) for n in walk(value) if isinstance(n, (ast.Name, ast.Attribute)))
        names = any(isinstance(n, ast.NamedExpr) for n in walk(value))
        kept = bool(self.kept) and any(unparse(n) in self.kept for n in _lookups(value))
        return not names and not kept and not may_change(value) and not any(map(within, known))

    def _plain_parts(self, statement: ast.stmt) -> bool:
        parts = (part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.expr))
        return all(map(self._plain, parts))

    @staticmethod
    def _given(call: ast.Call) -> list[ast.expr]:
        return [*call.args, *(k.value for k in call.keywords)]


def _lookups(value: ast.expr) -> Iterator[ast.expr]:
    yield from (n for n in walk(value) if isinstance(n, (ast.Attribute, ast.Subscript)))
