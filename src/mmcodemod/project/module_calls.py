"""Which torch modules with parameters a piece of code runs, callees included. May-analysis."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from mmcodemod.facts.body import own_nodes, source_order
from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.layers import has_parameters, is_submodule, runs_module
from mmcodemod.knowledge.modules import is_module_class, makes_module
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.values import Bound, External, FunctionRef, Instance, Made, Value, Values, ordered

# Attribute names that hold an encoder or projector in vision-language code; used only where the value
# of the attribute cannot be resolved.
_ENCODER = regex(
    r"(vision|visual|image|img|video|audio|speech|vit|clip|mm|multi_modal|multimodal|point_?cloud)_?"
    r"(tower|model|encoder|backbone|projector|projection|proj|adapter|connector|merger|resampler)?"
    r"|resampler|projector|perceiver|qformer|connector|merger",
    re.IGNORECASE,
)
# The language model and its embeddings: every rank runs them, some by way of the other side's library call.
_TEXT = regex(
    r"embed_tokens|(input|word|tok|token|text)_?embed\w*|wte|embedding|lm_head|llm|lm|language_model|text_model"
)
MAX_DEPTH = 12


@frozen()
class ModuleCall:
    """A call that runs modules: `modules` are their labels."""

    call: ast.Call
    modules: frozenset[str]


class ModuleCalls:
    """Summaries bottom-up over the call graph, memoised. Use through `project.get(ModuleCalls)`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._memo: dict[Frame, frozenset[str]] = {}
        self._open: set[Frame] = set()

    def within(self, nodes: Iterable[ast.AST], frame: Frame) -> list[ModuleCall]:
        """The calls in some statements or expressions that run modules, in source order."""
        calls = [n for node in nodes for n in own_nodes(node) if isinstance(n, ast.Call)]
        found = [self.of(call, frame) for call in sorted(calls, key=source_order)]
        return [c for c in found if c.modules]

    def of(self, call: ast.Call, frame: Frame) -> ModuleCall:
        """What one call runs."""
        modules: set[str] = set()
        values = self._project.resolver.infer(call.func, frame)
        for value in ordered(values):
            if self._is_run(value, call):
                modules.add(label(call.func))
            else:
                modules |= self._through(value)
        if not modules and self._looks_like_encoder(call.func, frame) and _opaque(values):
            modules.add(label(call.func))
        return ModuleCall(call, frozenset(modules))

    def _is_run(self, value: Value, call: ast.Call) -> bool:
        """Does calling `value` run a module with parameters?"""
        if isinstance(value, Instance):
            return self._project.is_module(value.cls)
        if isinstance(value, Made):
            return makes_module(value.by) and has_parameters(value.by)
        if isinstance(value, External):
            owner, _, method = value.name.rpartition("().")
            if owner:
                return makes_module(owner) and (runs_module(method) or is_submodule(method))
            owner, _, attribute = value.name.rpartition(".")
            return is_module_class(owner) and is_submodule(attribute)
        return False

    def _looks_like_encoder(self, func: ast.expr, frame: Frame) -> bool:
        if not isinstance(func, ast.Attribute) or not frame.receiver:
            return False
        if not self._project.is_module(frame.receiver):
            return False
        return bool(_ENCODER.fullmatch(func.attr)) and _root(func) == "self"

    def _through(self, value: Value) -> frozenset[str]:
        if isinstance(value, FunctionRef):
            return self.summary(Frame(value.function))
        if isinstance(value, Bound):
            return self.summary(Frame(value.function, value.receiver))
        return frozenset()

    def summary(self, frame: Frame) -> frozenset[str]:
        """The labels of the modules that running a function runs."""
        if frame in self._memo:
            return self._memo[frame]
        if frame in self._open or len(self._open) > MAX_DEPTH or frame.function.startswith(MODELS):
            return frozenset()
        self._open.add(frame)
        body = self._project.resolver.body(frame.function)
        found = frozenset(m for call in body.calls for m in self.of(call, frame).modules)
        self._open.discard(frame)
        self._memo[frame] = found
        return found


def _opaque(values: Values) -> bool:
    """Does nothing show what the attribute holds (a builder, a registry)?"""
    return not any(isinstance(v, (Bound, FunctionRef, Instance)) for v in values)


def label(func: ast.expr) -> str:
    """What to call a module in a message: the last attribute, `get_vision_tower()` for a getter."""
    if isinstance(func, ast.Attribute):
        if runs_module(func.attr) and not is_submodule(func.attr):
            return label(func.value)
        return func.attr
    if isinstance(func, ast.Subscript):
        return label(func.value)
    if isinstance(func, ast.Call):
        inner = label(func.func)
        return inner.removeprefix("get_")
    return func.id if isinstance(func, ast.Name) else unparse(func)[:40]


def is_text(module: str) -> bool:
    """Is it by its label the language model, or its embeddings?"""
    return bool(_TEXT.fullmatch(module))


def _root(expr: ast.expr) -> str:
    while isinstance(expr, (ast.Attribute, ast.Call, ast.Subscript)):
        expr = expr.func if isinstance(expr, ast.Call) else expr.value
    return expr.id if isinstance(expr, ast.Name) else ""


def labels(calls: Iterable[ModuleCall]) -> frozenset[str]:
    """The union of the modules of some calls."""
    return frozenset(m for call in calls for m in call.modules)


def entries(calls: Iterable[ModuleCall], module: str) -> frozenset[object]:
    """The keys under which some calls take their module from a dict; none where one key does not show."""
    funcs = [c.call.func for c in calls if module in c.modules]
    keys = [
        f.slice.value for f in funcs if isinstance(f, ast.Subscript) and isinstance(f.slice, ast.Constant)
    ]
    return frozenset(keys) if len(keys) == len(funcs) else frozenset()


def lines_of(calls: Iterable[ModuleCall], module: str) -> Iterator[int]:
    """Lines (from 1) of the calls that run a module."""
    return (c.call.lineno for c in calls if module in c.modules)


def module_classes(project: Project, calls: Iterable[ModuleCall], frame: Frame) -> frozenset[str]:
    """The classes of the tree whose objects some calls run."""
    values = (v for c in calls for v in project.resolver.infer(c.call.func, frame))
    return frozenset(v.cls for v in values if isinstance(v, Instance))
