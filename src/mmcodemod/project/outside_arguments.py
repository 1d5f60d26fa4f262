"""Calls of libraries that nothing here knows, which may make the training arguments: an argument parser of
another package, or whatever a Trainer gets its arguments from. May-analysis inside one function."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import Call, List, Name, Term, Tuple, plain_name
from mmcodemod.knowledge.hf_deepspeed import is_training_arguments
from mmcodemod.model.pattern import regex
from mmcodemod.project.argument_classes import calls_of, classes_in, constructions, library_names
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.dropped import dropped_in
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Value

_ARGUMENTS = regex(r"\w*(?:Arguments|Args|Config|Configuration)")
_TRAINER = "Trainer.__init__"
_FAMILIES = ("transformers.", "trl.")


def outside_makers(project: Project) -> set[int]:
    """The ids of such calls. Use through `project.get`."""
    found: set[int] = set()
    named: dict[int, tuple[Term, ...]] = {}
    for frame, calls in project.graph.external.items():
        outside = {id(call.site): call.name for call in calls if _unknown(project, call.name)}
        if outside and not is_stub(frame.function):
            given = (c.site for c in calls if id(c.site) in outside)
            found |= {id(call) for call in given if _fills(project, call, outside[id(call)], frame, named)}
            found |= {id(call) for call in _for_trainers(project, frame) if id(call) in outside}
    return found


def _unknown(project: Project, name: str) -> bool:
    """Does it belong to a library of which neither Python nor a framework model says anything?"""
    root = name.partition(".")[0]
    known = root in sys.stdlib_module_names or project.index.modules.is_library(root)
    return bool(root) and not known and not root.startswith("<")


def _fills(project: Project, call: Call, name: str, frame: Frame, named: dict[int, tuple[Term, ...]]) -> bool:
    """`cli(SFTConfig)`, or `parse()` of an object that is made of such classes; making it fills nothing.
    `named` keeps what calls are given that names classes: the same makers come up again and again."""
    if name.rpartition(".")[2][:1].isupper():
        return False
    makers = [call, *constructions(project, call, frame)]
    for made in makers:
        if id(made) not in named:
            named[id(made)] = tuple(term for term in _given(made) if _names_class(term))
    given = (term for made in makers for term in named[id(made)])
    found = any(_may_be_arguments(project, term, frame) for term in given)
    return found and id(node_of(call)) not in dropped_in(project, frame.function)


def _given(call: Call) -> Iterator[Term]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _names_class(given: Term) -> bool:
    """`SFTConfig`, `trl.SFTConfig`, or a display of such names: what else is given is not looked at."""
    if isinstance(given, (Tuple, List)):
        return any(map(_names_class, given.elts))
    return plain_name(given)[:1].isupper()


def _may_be_arguments(project: Project, given: Term, frame: Frame) -> bool:
    return any(_is_arguments(project, cls) for cls in classes_in(project, given, frame))


def _is_arguments(project: Project, cls: Value) -> bool:
    """A TrainingArguments, or a class of an unknown library that by its name holds arguments."""
    names = library_names(project, cls)
    return any(is_training_arguments(n) or _sounds_so(project, n) for n in names)


def _sounds_so(project: Project, name: str) -> bool:
    return _unknown(project, name) and bool(_ARGUMENTS.fullmatch(name.rpartition(".")[2]))


def _for_trainers(project: Project, frame: Frame) -> Iterator[Call]:
    """The calls of a function from which a Trainer that is made there has its `args`."""
    for edge in project.graph.edges.get(frame, ()):
        given = _arguments(edge.site) if edge.site is not None and _makes_trainer(project, edge) else None
        if isinstance(given, Name):
            yield from calls_of(project, given, frame)


def _makes_trainer(project: Project, edge: Edge) -> bool:
    """Is it the Trainer of transformers, or one that extends it?"""
    callee = edge.callee
    if is_stub(callee.function) or not callee.receiver:  # `Trainer.__init__(self, ...)` names no receiver
        return is_stub(callee.function) and callee.function.endswith(_TRAINER)
    bases = project.resolver.classes.external_bases(callee.receiver)
    return callee.function.endswith(_TRAINER) and any(base.startswith(_FAMILIES) for base in bases)


def _arguments(call: Call) -> Term | None:
    named = next((k.value for k in call.keywords if k.arg == "args"), None)
    return named if named is not None or len(call.args) < 2 else call.args[1]
