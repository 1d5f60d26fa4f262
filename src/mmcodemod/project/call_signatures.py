"""Which calls of the tree's own functions and classes Python refuses. Must-analysis: "" where a base, a
decorator or a metaclass may take other arguments, and where what is spread may bring what is missing.

Source: the language reference, 6.3.4 (calls), and the data model, 3.3.1 (`object.__new__`, `__init__`):
arguments that no parameter takes, and parameters without a value, are a TypeError."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.python import FunctionFacts, Parameters
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import Call, Starred
from mmcodemod.project.demanded_arguments import demanded, left_to_defaults
from mmcodemod.project.model import Project
from mmcodemod.project.plain_functions import runs_its_body
from mmcodemod.project.sole_definitions import Definitions, Sole

_PLAIN_BASES = ("torch", "transformers", "diffusers", "lightning", "pytorch_lightning")
_DATACLASSES = ("Config", "Arguments", "Output")
_OTHER_BASES = ("abc.ABC", "typing.Generic")
_AS_WRITTEN = frozenset(("no_grad", "inference_mode", "record", "lru_cache", "cache"))
MAX_BASES = 6


class Signatures:
    """What the definitions that an entry comes by take."""

    def __init__(self, project: Project, definitions: Definitions) -> None:
        self._project, self._index = project, project.index
        self._runs: dict[Sole, FunctionFacts | None] = {}
        self._definitions = definitions

    def refusal(self, call: ast.Call, called: Sole) -> str:
        """Why Python refuses a call; "" where it does not, or where that does not show."""
        made = isinstance(called.node, ast.ClassDef)
        facts = self.runs(called)
        if facts is None or not (made or facts.decorators <= _AS_WRITTEN):
            return ""
        return refused(call, facts.parameters, int(made))

    def demand(self, call: ast.Call, called: Sole) -> tuple[str, str]:
        """The argument that a call leaves out and the body asks for, and what that raises; "" for none."""
        made = isinstance(called.node, ast.ClassDef)
        facts = self.runs(called)
        if (
            facts is None
            or not runs_its_body(self._project, facts)
            or not isinstance(facts.node, ast.FunctionDef)
        ):
            return "", ""
        return demanded(facts.node, left_to_defaults(call, facts.parameters, int(made)))

    def runs(self, called: Sole) -> FunctionFacts | None:
        """The function that a call runs with its arguments: of a class, its `__init__`."""
        if called not in self._runs:
            self._runs[called] = self._run(called)
        return self._runs[called]

    def _run(self, called: Sole) -> FunctionFacts | None:
        if isinstance(called.node, ast.ClassDef):
            return self._maker(called) if self._plain(called, 0) else None
        return self._index.function(f"{called.path}::{called.node.name}") if called.node else None

    def _maker(self, cls: Sole) -> FunctionFacts | None:
        for _ in range(MAX_BASES):
            assert isinstance(cls.node, ast.ClassDef)
            own = [s for s in walk(cls.node) if isinstance(s, ast.FunctionDef) and s.name == "__init__"]
            if own:
                alone = len(own) == 1 and own[0] in cls.node.body and not own[0].decorator_list
                return self._index.function(f"{cls.path}::{cls.node.name}.__init__") if alone else None
            bases = cls.node.bases
            base = self._definitions.of(bases[0], cls.path) if len(bases) == 1 else None
            if base is None or base.node is None:
                return None
            cls = base
        return None

    def _plain(self, cls: Sole, depth: int) -> bool:
        """Is an object made as usual, by `__init__` alone, as far as the class and all its bases say?"""
        node = cls.node
        if not isinstance(node, ast.ClassDef) or node.decorator_list or depth > MAX_BASES:
            return False
        metaclasses = [unparse(k.value) for k in node.keywords]
        if any(m not in ("ABCMeta", "abc.ABCMeta") for m in metaclasses) or self._project.once(
            _sets_makers, node
        ):
            return False
        return all(self._plain_base(base, cls.path, depth) for base in node.bases)

    def _plain_base(self, base: ast.expr, path: str, depth: int) -> bool:
        base = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(base, ast.Name) and base.id == "object":
            return True
        found = self._definitions.of(base, path)
        if found is None or found.library:
            name = found.library if found else ""
            plain = name.partition(".")[0] in _PLAIN_BASES and not name.endswith(_DATACLASSES)
            return plain or name in _OTHER_BASES
        return self._plain(found, depth + 1)


def _sets_makers(_: Project, node: ast.ClassDef) -> bool:
    """Does its body make objects in a way of its own?"""
    for part in walk(node):
        if isinstance(part, ast.FunctionDef) and part.name in ("__new__", "__init_subclass__"):
            return True
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id == "__init__":
            return True
    return False


def refused(call: ast.Call | Call, given: Parameters, skip: int) -> str:
    """Why a signature refuses a call, the first `skip` parameters being bound; "" where it may not."""
    return next(_reasons(call, given, skip), "")


def _reasons(call: ast.Call | Call, given: Parameters, skip: int) -> Iterator[str]:
    spread = [n for n, a in enumerate(call.args) if isinstance(a, (ast.Starred, Starred))]
    placed, positional = len(call.args) - len(spread), given.positional[skip:]
    named = [k.arg for k in call.keywords if k.arg is not None]
    by_name = given.by_name - {*given.positional[:skip]}
    if not given.keywords:
        yield from (f"takes no `{name}`" for name in named if name not in by_name)
    if placed > len(positional) and not given.rest:
        yield f"takes no more than {_arguments(len(positional))} by position"
    taken = positional[: spread[0] if spread else placed]
    yield from (f"is given `{name}` twice" for name in taken if name in named and name in by_name)
    if not spread and len(named) == len(call.keywords):
        known = {*named, *(name for name, _ in given.defaults)}
        needed = (*positional[placed:], *given.keyword_only)
        yield from (f"needs `{name}`" for name in needed if name not in known)


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"
