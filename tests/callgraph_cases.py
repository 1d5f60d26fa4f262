"""Reads tests/callgraph/: small runnable scripts, each with the call graph that its module code must have.

`<category>/<case>/main.py` (and other modules), `callgraph.json` as `{caller: [callees]}` with dotted names,
and `todo` with a reason where the case is known to be missed. Bookkeeping edges to module code are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mmcodemod.facts.outline import MAIN
from mmcodemod.project import index
from mmcodemod.project.callgraph import CallGraph
from mmcodemod.project.calls import Builder
from mmcodemod.project.infer import Frame, Resolver
from mmcodemod.project.pruning import built
from mmcodemod.project.stubs import is_stub
from mmcodemod.source.tree import text_tree

FOLDER = Path(__file__).parent / "callgraph"

Edges = set[tuple[str, str]]


@dataclass(frozen=True)
class Case:
    """One script; `todo` is "" or why it is missed."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.relative_to(FOLDER).as_posix()

    @property
    def expected(self) -> Edges:
        graph = json.loads((self.folder / "callgraph.json").read_text())
        return {(caller, callee) for caller, callees in graph.items() for callee in callees}

    @property
    def todo(self) -> str:
        file = self.folder / "todo"
        return file.read_text().strip() if file.exists() else ""


def all_cases() -> list[Case]:
    """Every case, in the order of names."""
    return [Case(file.parent) for file in sorted(FOLDER.glob("*/*/main.py"))]


def found_edges(folder: Path) -> Edges:
    """The call graph of the main.py of a folder, by dotted names."""
    texts = {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*.py"))}
    facts = index.build(text_tree(texts))
    resolver = Resolver(facts)
    names = [n for n in ("<module>", MAIN) if n in facts.files["main.py"].functions]
    graph = built(Builder(resolver), [Frame(f"main.py::{n}") for n in names])
    return set(_edges(graph, facts))


def _edges(graph: CallGraph, facts: index.Index) -> list[tuple[str, str]]:
    """What a framework model does inside is left out; making its object is a call of the class."""
    found = [
        (_dotted(e.caller.function, facts), _dotted(e.callee.function, facts))
        for edges in graph.edges.values()
        for e in edges
        if e.site is not None and not is_stub(e.caller.function)
    ]
    for frame, calls in graph.external.items():
        if not is_stub(frame.function):
            found += [(_dotted(frame.function, facts), call.name.replace("()", "")) for call in calls]
    return found


def _dotted(function: str, facts: index.Index) -> str:
    path, _, qualname = function.partition("::")
    if is_stub(path):
        qualname = qualname.removesuffix(".__init__")
    module = facts.modules.name(path)
    return module if qualname in ("<module>", MAIN) else f"{module}.{qualname}".replace("'", "")
