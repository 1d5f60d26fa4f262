"""The models of the tree that a function hands to a Trainer under a name, each with its `forward`.
Must-analysis: a statement whose model does not show has no `forward`, and there is none for a name that is
bound in ways that do not show."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.sole_definitions import Definitions, Names, Sole
from mmcodemod.project.stubs import is_stub

_HAND_ON = ("get_peft_model", "prepare_model_for_kbit_training", "prepare_model_for_int8_training")
_BUILD = ("from_pretrained", "from_config", "_from_config")
_DOCSTRINGS = frozenset(
    (
        *("add_start_docstrings_to_model_forward", "replace_return_docstrings", "add_code_sample_docstrings"),
        *("add_start_docstrings", "add_end_docstrings", "auto_docstring", "can_return_tuple"),
    )
)
_PATCHED = (
    r"\bmodel\.forward\s*=|setattr\([^)\n]*\bforward\b|\.data_collator\s*=[^=]"
    r"|Trainer\.(compute_loss|training_step|_prepare_inputs?)\s*="
)
_STEPS = ("compute_loss", "training_step", "_prepare_input")


@frozen()
class Model:
    """A statement that binds the model, and the `forward` that it gets; None for any other model."""

    made: ast.Assign
    forward: FunctionFacts | None


class Models:
    """Those of one entry."""

    def __init__(self, project: Project, entry: Entry, definitions: Definitions) -> None:
        self._project = project
        self._entry = entry
        self._definitions = definitions

    def of(self, given: ast.expr | None, node: ast.AST, function: str) -> tuple[Model, ...]:
        """All that the name stands for which the Trainer is given; () where that does not show."""
        if not isinstance(given, ast.Name) or not isinstance(node, ast.FunctionDef):
            return ()
        local = Names(node)
        made = [n for n in own_nodes(node) if isinstance(n, ast.Assign) and _binds(n, given.id)]
        if len(made) != len(local.bound.get(given.id, ())):
            return ()
        path = function.partition("::")[0]
        kept = [n for n in made if not _hands_on(n.value, given.id)]
        return tuple(Model(n, self._forward(n.value, path, local)) for n in kept)

    def _forward(self, value: ast.expr, path: str, local: Names) -> FunctionFacts | None:
        """The `forward` of the class of the tree that a call builds, as it is written there."""
        if not isinstance(value, ast.Call):
            return None
        func = value.func
        builds = isinstance(func, ast.Attribute) and func.attr in _BUILD
        found = self._definitions.of(func.value if builds else func, path, local)  # type: ignore[attr-defined]
        if found is None or not isinstance(found.node, ast.ClassDef) or found.node.decorator_list:
            return None
        cls = f"{found.path}::{found.node.name}"
        method = self.method(found, "forward")
        others = (self._project.resolver.classes.find(cls, name) for name in ("__call__", *_BUILD))
        own = any(other is not None and not is_stub(other) for other in others)
        return method if method and method.decorators <= _DOCSTRINGS and not own else None

    def method(self, cls: Sole, name: str) -> FunctionFacts | None:
        """A method that the body of a class defines, once."""
        assert isinstance(cls.node, ast.ClassDef)
        bound = Names(cls.node).bound.get(name, [])
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef) or bound[0] not in cls.node.body:
            return None
        return self._project.index.function(f"{cls.path}::{cls.node.name}.{name}")

    def patched(self, models: Sequence[Model], key: str) -> bool:
        """May code put another method in the place of one that counts? Not that which makes other models."""
        refusing = {m.forward.owner or "" for m in models if m.forward is not None and misses(m, key)}
        others = {_class(m.forward) for m in models if m.forward is not None and not misses(m, key)}
        reach = self._project.reach(self._entry, never=frozenset(others))
        ways = re.compile(rf"\b({'|'.join(map(re.escape, refusing))})\.forward\s*=|{_PATCHED}")
        saying = self._project.mentioning("forward", "data_collator", *_STEPS)
        return any(ways.search(self._text(facts)) for facts in saying if facts.id in reach)

    def _text(self, facts: FunctionFacts) -> str:
        """The text of a function; of a module, its lines that are not indented."""
        text = self._project.source(facts).decode(errors="replace")
        return "\n".join(re.findall(r"^\S.*", text, re.MULTILINE)) if facts.is_module else text


def takes(forward: FunctionFacts, key: str) -> bool:
    """Does a `forward` take a keyword?"""
    return bool(forward.parameters.keywords) or key in forward.parameters.by_name


def misses(model: Model, key: str) -> bool:
    """Is it a model of the tree that does not?"""
    return model.forward is not None and not takes(model.forward, key)


def _class(method: FunctionFacts) -> str:
    return f"{method.path}::{method.owner}"


def _binds(node: ast.Assign, name: str) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name


def _hands_on(value: ast.expr, name: str) -> bool:
    """`get_peft_model(model, ...)`: what it gives hands every keyword on to the model."""
    given = value.args[0] if isinstance(value, ast.Call) and value.args else None
    return last_name(value) in _HAND_ON and isinstance(given, ast.Name) and given.id == name
