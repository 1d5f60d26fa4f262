"""Collators that gather from the samples which have something, and put None into the batch where none has:
`if images: batch["images"] = torch.cat(images)`, `else: batch["images"] = None`. Must-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.modality import Scope, data_roots


@frozen()
class Emptied:
    """`line`, on one side of `branch`, puts None under the key or binds the name that is put there; `asked`:
    the keys that samples are asked for before something of theirs is gathered."""

    line: int
    asked: frozenset[str]
    branch: ast.If

    @property
    def outcome(self) -> bool:
        """Which side of the branch has something to put there?"""
        return self.line not in {node.lineno for node in self.branch.body}


def emptied(facts: FunctionFacts, scope: Scope, key: str) -> Emptied | None:
    """Where a function puts None under a key because there is nothing to gather; None where it does not."""
    put = _put(facts, key)
    for branch in (n for n in own_nodes(facts.node) if isinstance(n, ast.If) and n.orelse):
        found = [(line, t) for line, t in _bound_to_none(branch) if t in put and _bound_else(branch, t)]
        if found and data_roots(branch.test, scope):
            gathered = [g for g in _parts(branch.test) if _may_be_empty(facts, g)]
            if gathered:
                asked = frozenset(key for g in gathered for key in _asked(facts, g))
                return Emptied(found[0][0], asked, branch)
    return None


def _put(facts: FunctionFacts, key: str) -> set[str]:
    """The texts of what is put under the key: the place itself, and names that are put there."""
    found = set[str]()
    for node in own_nodes(facts.node):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and _is(target.slice, key):
                found |= {unparse(target), *_name(node.value)}  # type: ignore[attr-defined]
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            found |= {name for k, value in pairs if k is not None and _is(k, key) for name in _name(value)}
    return found


def _name(node: ast.expr) -> list[str]:
    return [node.id] if isinstance(node, ast.Name) else []


def _is(node: ast.expr, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _bound_to_none(branch: ast.If) -> Iterator[tuple[int, str]]:
    """The lines of one side that bind something to None, and what."""
    for node in (*branch.body, *branch.orelse):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
            yield from ((node.lineno, unparse(target)) for target in node.targets)


def _bound_else(branch: ast.If, text: str) -> bool:
    """Is the same bound to something else on one side?"""
    assigns = [n for n in (*branch.body, *branch.orelse) if isinstance(n, ast.Assign)]
    others = [n for n in assigns if not isinstance(n.value, ast.Constant)]
    return any(unparse(target) == text for n in others for target in n.targets)


def _parts(test: ast.expr) -> list[str]:
    """What a test asks about: names, and places in a batch."""
    return [unparse(n) for n in walk(test) if isinstance(n, (ast.Name, ast.Subscript))]


def _may_be_empty(facts: FunctionFacts, text: str) -> bool:
    """Is it gathered from some samples alone?"""
    return bool(_filters(facts, text)) or any(_calls(n, text, "extend") for n in own_nodes(facts.node))


def _filters(facts: FunctionFacts, text: str) -> list[ast.expr]:
    """The tests under which something of a sample is gathered there."""
    found: list[ast.expr] = []
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Assign) and any(unparse(t) == text for t in node.targets):
            found += [test for n in walk(node.value) if isinstance(n, ast.comprehension) for test in n.ifs]
        elif isinstance(node, ast.If):
            inner = (n for statement in node.body for n in walk(statement))
            found += [node.test for n in inner if _calls(n, text, "append")]
    return found


def _calls(node: ast.AST, text: str, method: str) -> bool:
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == method and unparse(func.value) == text


def _asked(facts: FunctionFacts, text: str) -> Iterator[str]:
    """The keys of `"key" in sample` among those tests."""
    for test in _filters(facts, text):
        for node in walk(test):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
                if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
                    yield node.left.value
