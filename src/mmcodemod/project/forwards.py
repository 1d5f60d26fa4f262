"""Which ranks run a forward of the model that they train together: divergences whose letters are calls of a
wrapped model (project/wrapping.py). May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Attribute, Call, Name, last_name
from mmcodemod.knowledge.wrappers import DATA_PARALLEL, TRAINERS, UNWRAPPERS, WRAPPED
from mmcodemod.project.divergence import Divergence, divergences
from mmcodemod.project.infer import Frame
from mmcodemod.project.lightning_forwards import has_trainer, lightning_wrap
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.summaries import Summaries
from mmcodemod.project.values import Bound, ClassRef, External, FunctionRef, Instance, ModuleRef
from mmcodemod.project.wrapping import KEPT, Wrap, Wrappers, wrapped

FORWARD = "forward"  # what such a letter hides
_METHODS = ("forward", "generate")
_FUNCTIONS = (FunctionRef, ClassRef, External, Bound)
_HOLDERS = (Instance, ModuleRef)  # whose attributes can be followed to what they get
_WORDS = sorted({name.rpartition(".")[2] for name in (*DATA_PARALLEL, *TRAINERS)})


def forwards(project: Project) -> list[Divergence]:
    """Places after which ranks run other forwards of a wrapped model. Use through `project.get(forwards)`."""
    return divergences(Summaries(project, project.get(_Forwards)))


def wrap_of(project: Project, letter: Letter, frame: Frame) -> Wrap | None:
    """What wraps the model of a letter that `frame` gets to, along the calls that lead there; None where
    these pass a model that nothing wraps."""
    call = call_of(project, letter, frame)
    if call is None:
        return None
    function = last(letter, frame).function
    found = wrapped(project, _model(call), function, letter.via)
    return found or lightning_wrap(project, _model(call), function)


def call_of(project: Project, letter: Letter, frame: Frame) -> ast.Call | None:
    """The call that is the forward."""
    function = last(letter, frame).function
    calls = project.resolver.body(function).calls
    path = function.partition("::")[0]
    return next((call for call in calls if project.place(path, call) == letter.at), None)


def last(letter: Letter, frame: Frame) -> Frame:
    """The frame that makes the call."""
    return letter.via[-1].callee if letter.via else frame


def runs(project: Project, function: str) -> tuple[ast.Call, Wrap] | None:
    """The first call in a function's own code that runs a wrapped model, not one taken out of its wrapper."""
    alphabet = project.get(_Forwards)
    for frame in project.frames(function)[:1]:
        calls = project.resolver.body(function).calls
        for ordinal in sorted(alphabet.of(frame)):
            wrap = wrapped(project, _model(calls[ordinal]), function)
            if wrap is not None and wrap.inner is None:
                return calls[ordinal], wrap
    return None


class _Forwards:
    """The alphabet: calls of what may be a wrapped model."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._wraps = any(True for _ in project.mentioning(*_WORDS))
        self._lightning = has_trainer(project)
        self._known: dict[tuple[str, str], bool] = {}
        self._found: dict[str, dict[int, Letter]] = {}  # by function: of all its frames

    def of(self, frame: Frame) -> dict[int, Letter]:
        """The calls of a frame that run a wrapped model, by ordinal."""
        if not self._wraps or frame.function.startswith(MODELS):
            return {}
        if frame.function not in self._found:
            self._found[frame.function] = dict(self._letters(frame.function))
        return self._found[frame.function]

    def _letters(self, function: str) -> Iterator[tuple[int, Letter]]:
        path, facts = function.partition("::")[0], self._project.index.function(function)
        for ordinal, site in enumerate(facts.body.calls):
            usual = self._may_run(site, function)
            if usual or (self._lightning and self._may_be_layer(site, facts.owner)):
                call = facts.nodes.body.calls[ordinal]
                if (usual and self._runs(call, function)) or self._by_lightning(call, function):
                    at = self._project.place(path, call)
                    yield ordinal, Letter(unparse(call.func), hidden=FORWARD, at=at)

    def _may_be_layer(self, site: Call, owner: str | None) -> bool:
        """Is an object called in a method, or what one keeps?"""
        func = site.func
        while isinstance(func, Attribute):
            func = func.value
        return isinstance(func, Name) and bool(owner)

    def _by_lightning(self, call: ast.Call, function: str) -> bool:
        return self._lightning and lightning_wrap(self._project, _model(call), function) is not None

    def _may_run(self, site: Call, function: str) -> bool:
        """Is an object called, or a method that runs a model; or the model that a call takes out?"""
        func = site.func
        if isinstance(func, Call):
            return last_name(func) in UNWRAPPERS
        if not isinstance(func, (Name, Attribute)) or self._own_layer(func, function):
            return False
        if isinstance(func, Attribute) and func.attr in _METHODS:
            return True
        if any(isinstance(v, _FUNCTIONS) for v in self._project.values(func, function)):
            return False
        return isinstance(func, Name) or self._may_hold(func, function)

    def _may_hold(self, func: Attribute, function: str) -> bool:
        """Is it an attribute in which a model may be kept, and not just a method of something unknown?"""
        if func.attr in (*WRAPPED, *KEPT):
            return True
        return any(isinstance(v, _HOLDERS) for v in self._project.values(func.value, function))

    def _own_layer(self, func: Name | Attribute, function: str) -> bool:
        """Is it something that a torch module keeps for itself?"""
        facts = self._project.index.function(function)
        while isinstance(func, Attribute) and isinstance(func.value, (Name, Attribute)):
            func = func.value
        own = isinstance(func, Name) and func.id == "self" and bool(facts.owner)
        return own and self._project.is_module(f"{facts.path}::{facts.owner}")

    def _runs(self, call: ast.Call, function: str) -> bool:
        key = (function, unparse(call.func))
        if key not in self._known:
            self._known[key] = self._project.get(Wrappers).found(_model(call), function) is not None
        return self._known[key]


def _model(call: ast.Call) -> ast.expr:
    """`model` of `model(x)` and of `model.generate(x)`"""
    func = call.func
    return func.value if isinstance(func, ast.Attribute) and func.attr in _METHODS else func
