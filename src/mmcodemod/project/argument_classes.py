"""The classes that a call is given to make objects of, and the library classes that they are or extend."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.terms import Attribute, Call, Name, Term
from mmcodemod.project.infer import Frame
from mmcodemod.project.library import library_name
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef, External, Items, Value


def constructions(project: Project, call: Call, frame: Frame) -> list[Call]:
    """`HfArgumentParser((...))` where the receiver of `parse_...` is made, when that is in this function."""
    receiver = call.func.value if isinstance(call.func, Attribute) else None
    if isinstance(receiver, Call):
        return [receiver]
    return list(calls_of(project, receiver, frame)) if isinstance(receiver, Name) else []


def calls_of(project: Project, name: Name, frame: Frame) -> Iterator[Call]:
    """The calls that a name of the function holds the result of, or a part of it."""
    sources = project.index.function(frame.function).body.names.get(name.id, ())
    return (s.expr for s in sources if isinstance(s.expr, Call))


def classes_in(project: Project, given: Term, frame: Frame) -> list[Value]:
    """The classes that an argument is, or holds in a tuple or list."""
    values = project.solver.infer(given, frame)
    flat = [e for v in values for e in (v.elements if isinstance(v, Items) else (v,))]
    return [v for v in flat if isinstance(v, (ClassRef, External))]


def library_names(project: Project, value: Value) -> list[str]:
    """The library classes among the bases of a class of the tree; else the library's own name."""
    if isinstance(value, ClassRef) and not is_stub(value.cls):
        return project.resolver.classes.external_bases(value.cls)
    return [library_name(project.index.modules, value)]
