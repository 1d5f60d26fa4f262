"""Which calls are collectives, and of what kind. May-analysis by resolved names; by the method's name
alone only where that name belongs to nothing else."""

from __future__ import annotations

import ast
from enum import Enum

from mmcodemod.facts.flows import Passed
from mmcodemod.knowledge.collectives import COLLECTIVES, HIDDEN, METHODS
from mmcodemod.model.place import Place
from mmcodemod.project.callsites import Calls, CallSites
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCalls
from mmcodemod.project.sequences import Letter
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.taint import Taint


class Alphabet(Enum):
    """What counts: collectives that show, also saves that hide them, also forwards (ZeRO-3 and FSDP gather
    there)."""

    PLAIN = "plain"
    SAVES = "saves"
    FORWARDS = "forwards"


_OWNERS = {
    "engine": ("engine",),
    "accelerator": ("accelerator",),
    "trainer": ("trainer",),
}
_CLASSES = {
    "engine": (
        "deepspeed.initialize()",
        "deepspeed.DeepSpeedEngine",
        "deepspeed.runtime.engine.DeepSpeedEngine",
    ),
    "accelerator": (
        "accelerate.Accelerator()",
        "accelerate.Accelerator",
        "accelerate.accelerator.Accelerator",
    ),
    "trainer": (
        "transformers.Trainer",
        "transformers.Seq2SeqTrainer",
        "transformers.trainer.Trainer",
        "trl.",
    ),
}


class Collectives:
    """The letter of a call. One for each alphabet."""

    def __init__(self, project: Project, alphabet: Alphabet) -> None:
        self._project = project
        self._alphabet = alphabet
        self._taint = project.get(Taint)
        self._sites = project.get(CallSites)

    def of(self, frame: Frame) -> dict[int, Letter]:
        """The calls of a frame that are collectives, by ordinal."""
        nodes = self._project.resolver.body(frame.function).calls
        if self._alphabet is Alphabet.FORWARDS:
            asked = list(range(len(nodes)))
        else:
            renamed = self._renamed(frame)
            asked = [n for n, c in enumerate(nodes) if _called(c.func) in _WORDS or id(c) in renamed]
        return {n: letter for n in asked if (letter := self.letter(n, frame))}

    def _renamed(self, frame: Frame) -> set[int]:
        """Calls of imported names that are collectives under another name."""
        graph = self._project.graph
        found = {id(call) for name, call in graph.external.get(frame, ()) if _last(name) in _WORDS}
        edges = (e for e in graph.edges.get(frame, ()) if e.callee.function.startswith(MODELS))
        return found | {id(e.call) for e in edges if _last(e.callee.function) in _WORDS}

    def letter(self, ordinal: int, frame: Frame) -> Letter | None:
        """The collective that a call itself is; what it reaches through code of the tree is not looked at."""
        calls = self._sites.of(frame)
        passed = self._sites.flows(frame.function).calls[ordinal]
        at = self._place(ordinal, calls, frame)
        name = self._taint.letter(ordinal, passed, calls.names)
        if name and not self._own(ordinal, calls):
            return Letter(name, _group(passed), at=at)
        hidden = self._hidden(ordinal, passed, calls) if self._alphabet is not Alphabet.PLAIN else None
        if hidden:
            return Letter(passed.name.rpartition(".")[2], hidden=hidden, at=at)
        if self._alphabet is Alphabet.FORWARDS:
            run = self._project.get(ModuleCalls).of(calls.nodes[ordinal], frame)
            if run.direct:
                return Letter(" ".join(sorted(run.modules)), hidden="forward", at=at)
        return None

    def _own(self, ordinal: int, calls: Calls) -> bool:
        """Is it a function of the tree?"""
        return any(not e.callee.function.startswith(MODELS) for e in calls.edges.get(ordinal, ()))

    def _hidden(self, ordinal: int, passed: Passed, calls: Calls) -> str:
        owner, _, method = passed.name.rpartition(".")
        what, when = HIDDEN.get(method, ("", ""))
        if not what or not owner or self._own(ordinal, calls):
            return ""
        names = calls.names.get(ordinal, set())
        if names:
            return when if any(n.startswith(_CLASSES[what]) for n in names) else ""
        return when if owner.rpartition(".")[2].strip("_").endswith(_OWNERS[what]) else ""

    def _place(self, ordinal: int, calls: Calls, frame: Frame) -> Place:
        return self._project.place(frame.function.partition("::")[0], calls.nodes[ordinal])


def _called(func: ast.expr) -> str:
    """The last part of the name that is called."""
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _last(name: str) -> str:
    return name.rpartition(".")[2].rpartition("::")[2]


_WORDS = {*METHODS, *HIDDEN, *map(_last, COLLECTIVES)}


def _group(passed: Passed) -> str:
    found = [reads for name, reads in passed.keywords if name == "group"]
    return " ".join(str(atom) for atom in found[0]) if found else ""
