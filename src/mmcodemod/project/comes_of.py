"""Of which parameters of its methods that comes which an object keeps. May-analysis of its class."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.reads import Atom, Form
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.frame import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.taint import Taint

MAX_STEPS = 200
FILLS = frozenset(("append", "appendleft", "extend", "insert"))  # what a list is filled with
Given = tuple[str, str]  # a method, and one of its parameters
At = tuple[Atom, Frame]


def comes_of(project: Project, taint: Taint, asked: tuple[At, ...]) -> frozenset[Given]:
    """The parameters that names and calls in methods of the object are made of, and those that decide it."""
    todo, seen, found = [*asked], set[At](), set[Given]()
    while todo and len(seen) < MAX_STEPS:
        atom, frame = todo.pop()
        if (atom, frame) not in seen:
            seen.add((atom, frame))
            behind = _called(project, atom, frame) if isinstance(atom, int) else None
            todo += behind if behind is not None else _named(project, taint, atom, frame)
            if atom in project.index.function(frame.function).parameters.names:
                found.add((frame.function, atom))
    return frozenset(found)


def returned(project: Project, method: Frame) -> Iterator[At]:
    """What a function returns is made of."""
    for found in project.get(CallSites).flows(method.function).returns:
        yield from ((part, method) for part in (*found.reads, *_asked(found.tests)))


def _named(project: Project, taint: Taint, name: str, frame: Frame) -> Iterator[At]:
    """What a name is made of, and what a list of the object is filled with."""
    for assign, at in taint.sources(name, frame):
        yield from ((part, at) for part in (*assign.reads, *_asked(assign.tests)))
    for method in methods(project, frame.receiver) if name.startswith("self.") else ():
        for passed in project.get(CallSites).flows(method.function).calls:
            holder, _, called = passed.name.rpartition(".")
            if holder == name and called in FILLS:
                yield from ((part, method) for reads in passed.args for part in reads)


def _called(project: Project, ordinal: int, frame: Frame) -> Iterator[At]:
    """What a call returns is made of; the length of a list, not of what it holds."""
    sites = project.get(CallSites)
    passed = sites.flows(frame.function).calls[ordinal]
    if passed.name == "len":
        return
    yield from ((part, frame) for part in passed.reads)
    for edge in sites.of(frame).edges.get(ordinal, ()):
        yield from () if is_stub(edge.callee.function) else returned(project, edge.callee)


def methods(project: Project, cls: str) -> list[Frame]:
    """The frames of all methods of a class."""
    own = project.resolver.classes.own(cls) if cls else ()
    return [Frame(f"{facts.path}::{name}", cls) for facts in own for name in facts.methods.values()]


def _asked(tests: tuple[Form, ...]) -> Iterator[Atom]:
    for form in tests:
        yield from _asked(form[1:]) if form[0] in ("not", "and", "or") else form[1]
