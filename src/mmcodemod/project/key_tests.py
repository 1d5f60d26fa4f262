"""Which tests decide whether a dictionary has a key: those around the lines that set it, whatever it is set
to. Must-analysis: only where all that a name may hold is a dictionary that is written out, or that a function
of the tree gives back, and that is filled under keys that are written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.flows import Assign
from mmcodemod.facts.reads import Form, Reader, Reads, dotted_name
from mmcodemod.model.frozen import frozen
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project

if TYPE_CHECKING:
    from mmcodemod.project.taint import Taint

Tests = list[tuple[Form, Frame]]
MAX_DEPTH = 6  # names and functions that a dictionary comes through
_Stored = tuple[str, Reads, Form]


@frozen()
class _Sets:
    """What an assignment does: sets `keys`, puts a dictionary with these in the place of all that was there
    (`anew`), or hands on what another name or call holds (`copies`). None of it: not known."""

    keys: frozenset[str] = frozenset()
    anew: bool = False
    copies: bool = False


_UNKNOWN = _Sets()


def key_tests(taint: Taint, key: str, name: str, frame: Frame, depth: int = 0) -> Tests | None:
    """The tests, each with its frame; None where anything else may decide."""
    sources = list(taint.sources(name, frame))
    if depth > MAX_DEPTH or not sources or taint.is_parameter(name, frame):
        return None
    return _all(_of(taint, key, assign, at, depth + 1) for assign, at in sources)


def _of(taint: Taint, key: str, assign: Assign, at: Frame, depth: int) -> Tests | None:
    own = [(test, at) for test in assign.tests]
    sets = (
        taint.project.get(_Stores).of(at.function).get((assign.target, assign.reads, assign.form), _UNKNOWN)
    )
    if sets.keys or sets.anew:
        return own if sets.anew or key in sets.keys else []
    behind = _behind(taint, key, assign.reads, at, depth) if sets.copies else None
    return None if behind is None else own + behind


def _behind(taint: Taint, key: str, reads: Reads, at: Frame, depth: int) -> Tests | None:
    """Of another name, or of what a call of the tree returns."""
    if len(reads) != 1:
        return None
    if isinstance(reads[0], str):
        return key_tests(taint, key, reads[0], at, depth)
    returned = [(made, callee) for callee in taint.callees(reads[0], at) for made in taint.returns_of(callee)]
    return _all(_of(taint, key, made, callee, depth) for made, callee in returned) if returned else None


def _all(parts: Iterator[Tests | None]) -> Tests | None:
    found: Tests = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found


class _Stores:
    """What assignments set. Use through `project.get`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[str, dict[_Stored, _Sets]] = {}

    def of(self, function: str) -> dict[_Stored, _Sets]:
        """By the target ("" for what is returned), the reads and the form of each in a function."""
        if function not in self._known:
            calls = self._project.resolver.body(function).calls
            reader = Reader({id(call): n for n, call in enumerate(calls)})
            found = self._known[function] = {}
            for target, value, sets in _assignments(self._project.index.function(function).node):
                stored = target, reader.reads(value), reader.form(value)
                found[stored] = _both(found.get(stored, sets), sets)
        return self._known[function]


def _both(one: _Sets, other: _Sets) -> _Sets:
    """What may be either of two assignments that look alike to a reader of names."""
    if not (one.keys and other.keys) or one.anew or other.anew:
        return one if one == other else _UNKNOWN
    return _Sets(one.keys | other.keys)


def _assignments(function: ast.AST) -> Iterator[tuple[str, ast.expr, _Sets]]:
    for node in own_nodes(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield "", node.value, _whole(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else (node.target,):
                yield _name(target), node.value, _sets(target, node.value)
        elif isinstance(node, ast.AugAssign):
            yield _name(node.target), node.value, _UNKNOWN
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield _name(node.target), node.iter, _UNKNOWN


def _sets(target: ast.expr, value: ast.expr) -> _Sets:
    if isinstance(target, ast.Subscript):
        return _Sets(frozenset((target.slice.value,))) if _is_key(target.slice) else _UNKNOWN  # type: ignore[attr-defined]
    return _whole(value) if isinstance(target, (ast.Name, ast.Attribute)) else _UNKNOWN


def _whole(value: ast.expr) -> _Sets:
    if isinstance(value, (ast.Name, ast.Attribute, ast.Call)):
        return _Sets(copies=True)
    if isinstance(value, ast.Dict) and all(key is not None and _is_key(key) for key in value.keys):
        return _Sets(frozenset(key.value for key in value.keys), anew=True)  # type: ignore[union-attr]
    return _UNKNOWN


def _is_key(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _name(target: ast.expr) -> str:
    return dotted_name(target.value if isinstance(target, ast.Subscript) else target)
