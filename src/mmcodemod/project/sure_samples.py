"""Tests of a function that end only one way, because code before has let nothing else through: samples
without a picture are refused, skipped, or filtered out, or what a function makes of them is there in any
case. Must-analysis on the statements of the function and on what its class keeps; a name that is bound anew
is not known any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.project.filtered_rows import filtered
from mmcodemod.project.flow import raises
from mmcodemod.project.given_back import given_back
from mmcodemod.project.model import Project
from mmcodemod.project.rows_asked import EACH, SET, Facts, asked, asked_of_all, filtered_by, needed

_AGAIN = ("self[", "self.__getitem__(")


def settled(project: Project, facts: FunctionFacts) -> dict[tuple[int, int], bool]:
    """How tests of a function end, by their place, where what comes before decides."""
    return project.once(_settled, facts.id)


def _settled(project: Project, function: str) -> dict[tuple[int, int], bool]:
    reader = _Reader(project, project.index.function(function))
    reader.block(reader.facts.node.body, set())
    return reader.ends


def gives_up(body: list[ast.stmt]) -> bool:
    """Does a block end with an error, or with another sample of the same data set?"""
    last = body[-1] if body else None
    value = last.value if isinstance(last, ast.Return) else None
    return raises(body) or (value is not None and unparse(value).startswith(_AGAIN))


class _Reader:
    """Walks the statements; what one side of a test has shown holds there alone."""

    def __init__(self, project: Project, facts: FunctionFacts) -> None:
        self.project, self.facts = project, facts
        self.made = {
            n.targets[0].id: n.value
            for n in own_nodes(facts.node)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
        }
        self.ends: dict[tuple[int, int], bool] = {}

    def block(self, body: list[ast.stmt], known: Facts) -> None:
        for statement in body:
            self.statement(statement, known)

    def statement(self, statement: ast.stmt, known: Facts) -> None:
        if isinstance(statement, ast.If):
            self.branch(statement, known)
            return
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            _forget(statement, known)
        for inner in _blocks(statement):
            self.block(inner, known | _of_turn(statement, known))
        if isinstance(statement, ast.Assert):
            known |= asked(statement.test, True) | asked_of_all(statement.test)
            return
        for choice in _choices(statement):
            self.decide(choice, known)
        _forget(statement, known)
        if isinstance(statement, ast.While) and not _breaks(statement):
            known |= asked(statement.test, False)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            known |= filtered(self.project, self.facts, statement)
            known |= given_back(self.project, self.facts, statement)

    def decide(self, node: ast.If | ast.IfExp, known: Facts) -> None:
        for outcome in (True, False):
            wanted = needed(node.test, outcome)
            if wanted and all(self.holds(fact, known) for fact in wanted) and _plain(node.test):
                self.ends[node.lineno, node.col_offset] = outcome

    def branch(self, statement: ast.If, known: Facts) -> None:
        self.decide(statement, known)
        true, false = gives_up(statement.body), gives_up(statement.orelse)
        for inner in _blocks(statement):
            self.block(inner, set(known))
        _forget(statement, known)
        if true or false:
            known |= asked(statement.test, false) | (asked_of_all(statement.test, true) if true else set())

    def holds(self, fact: str, known: Facts) -> bool:
        """Itself, or of a list: it has something of each sample, which all are known to have."""
        made = self.made.get(fact.removesuffix(SET))
        keys = filtered_by(made) if made is not None else set()
        return fact in known or (bool(keys) and keys <= known)


def _choices(statement: ast.stmt) -> list[ast.IfExp]:
    """The conditional expressions of a simple statement."""
    simple = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return))
    return [n for n in own_nodes(statement) if isinstance(n, ast.IfExp)] if simple else []


def _of_turn(statement: ast.stmt, known: Facts) -> Facts:
    """What is known of each sample, of the one that a loop over them has in hand."""
    match statement:
        case (
            ast.For(target=ast.Name(id=name), iter=ast.Name())
            | ast.For(
                target=ast.Tuple(elts=[_, ast.Name(id=name)]),
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(), *_]),
            )
        ):
            return {f"{name}{fact.removeprefix(EACH)}" for fact in known if fact.startswith(f"{EACH}[")}
    return set()


def _plain(test: ast.expr) -> bool:
    return not any(isinstance(n, ast.BoolOp) for n in walk(test))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(statement, name, None)
        if isinstance(inner, list):
            yield inner


def _forget(statement: ast.stmt, known: Facts) -> None:
    """What a statement binds anew is not known any more."""
    names = {n.id for n in own_nodes(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known -= {f for f in known if {n.id for n in walk(ast.parse(f)) if isinstance(n, ast.Name)} & names}


def _breaks(loop: ast.While) -> bool:
    return any(isinstance(n, ast.Break) for n in own_nodes(loop))
