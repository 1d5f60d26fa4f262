"""Which calls are collectives, and of what kind. May-analysis by resolved names; by the method's name
alone only where that name belongs to nothing else."""

from __future__ import annotations

import ast
from enum import Enum

from mmcodemod.facts.flows import Passed
from mmcodemod.facts.terms import Call, Constant, last_name
from mmcodemod.knowledge.collectives import (
    ALL_RANKS,
    ALWAYS,
    COLLECTIVES,
    DEEPSPEED,
    GATHERS,
    GROUP_AT,
    HIDDEN,
    METHODS,
    NAMED_BY_ITSELF,
)
from mmcodemod.knowledge.long_work import DATASET_METHODS, DOWNLOADS, EAGER_KEYWORDS, HUBS
from mmcodemod.model.grade import How
from mmcodemod.model.place import Place
from mmcodemod.project.callsites import Calls, CallSites
from mmcodemod.project.infer import Frame
from mmcodemod.project.light import light
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import LIGHT, WORK, Letter
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.taint import Taint
from mmcodemod.project.values import Mapping
from mmcodemod.project.waiting_calls import may_wait, waits_inside


class Alphabet(Enum):
    """What counts: collectives that show, also saves that hide them, the long work between them, or the
    gathers of parameters alone."""

    PLAIN = "plain"
    SAVES = "saves"
    WORK = "work"
    GATHERS = "gathers"


_METHODS_OF = {
    Alphabet.PLAIN: METHODS.keys(),
    Alphabet.SAVES: METHODS.keys() | HIDDEN.keys(),
    Alphabet.WORK: {*METHODS, *DATASET_METHODS},
}
_INSIDE = (Alphabet.PLAIN, Alphabet.SAVES)
_OWNERS = {
    "engine": ("engine",),
    "accelerator": ("accelerator",),
    "trainer": ("trainer",),
    "lightning": (),  # a trainer of the tree often has that method, too
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
    "lightning": ("lightning.Trainer", "pytorch_lightning.Trainer"),
}


class Collectives:
    """The letter of a call. One for each alphabet."""

    def __init__(self, project: Project, alphabet: Alphabet) -> None:
        self._project = project
        self._alphabet = alphabet
        self._taint = project.get(Taint)
        self._sites = project.get(CallSites)
        self._asked = project.get(_named)

    def of(self, frame: Frame) -> dict[int, Letter]:
        """The calls of a frame that are collectives, by ordinal."""
        return {n: letter for n in self._asked.get(frame, ()) if (letter := self.letter(n, frame))}

    def letter(self, ordinal: int, frame: Frame) -> Letter | None:
        """The collective that a call itself is; what it reaches through code of the tree is not looked at."""
        calls = self._sites.of(frame)
        if not self._may_be(ordinal, calls):
            return None
        passed = self._sites.flows(frame.function).calls[ordinal]
        at = self._place(ordinal, calls, frame)
        if self._alphabet is Alphabet.GATHERS:
            return self._gather(ordinal, passed, calls, at)
        name = self._taint.letter(ordinal, passed, calls.names) or self._inside(ordinal, calls, frame)
        if name and not self._own(ordinal, calls):
            return Letter(name, _group(passed, calls.named(ordinal)), at=at)
        if self._alphabet is Alphabet.WORK:
            work = self._work(ordinal, passed, calls, frame)
            if not work:
                return None
            quick = light(self._project, calls.nodes[ordinal], frame.function) is not None
            return Letter(work, hidden=LIGHT if quick else WORK, at=at)
        hidden = self._hidden(ordinal, passed, calls, frame) if self._alphabet is Alphabet.SAVES else ""
        return Letter(passed.name.rpartition(".")[2], hidden=hidden, at=at) if hidden else None

    def _may_be(self, ordinal: int, calls: Calls) -> bool:
        """A look at the facts: where no name fits, the file is not read again."""
        names = calls.names.get(ordinal, ())
        if self._alphabet is Alphabet.GATHERS:
            return any(_last(n) in GATHERS for n in names)
        if self._alphabet is Alphabet.WORK and any(_last(n) in DOWNLOADS for n in names):
            return True
        call = calls.facts.body.calls[ordinal]
        fits = last_name(call) in _METHODS_OF[self._alphabet] or any(n in COLLECTIVES for n in names)
        fits = fits or (self._alphabet in _INSIDE and may_wait(call))
        return fits and _may_be_eager(call) and not self._own(ordinal, calls)

    def _inside(self, ordinal: int, calls: Calls, frame: Frame) -> str:
        """The library call that gathers from every rank inside; "" for another."""
        asked = self._alphabet in _INSIDE and may_wait(calls.facts.body.calls[ordinal])
        return waits_inside(self._project, ordinal, calls, frame) if asked else ""

    def _gather(self, ordinal: int, passed: Passed, calls: Calls, at: Place) -> Letter | None:
        """DeepSpeed's gather of parameters that a call is; None also for one that is switched off."""
        found = {
            last
            for n in calls.names.get(ordinal, ())
            if n.startswith("deepspeed.")
            if (last := n.rpartition(".")[2]) in GATHERS
        }
        if not found or self._own(ordinal, calls) or is_off(calls.nodes[ordinal]):
            return None
        name = min(found)
        return Letter(name, hidden=GATHERS[name], at=at)

    def _work(self, ordinal: int, passed: Passed, calls: Calls, frame: Frame) -> str:
        """The long work that a library call is, "" when it is none: datasets mapped, repositories fetched."""
        call = calls.nodes[ordinal]
        method = call.func.attr if isinstance(call.func, ast.Attribute) else passed.name
        if method in DATASET_METHODS:
            eager = self._keywords(call, frame) & EAGER_KEYWORDS and not self._own(ordinal, calls)
            return method if eager else ""
        last = {n.rpartition(".")[2] for n in calls.names.get(ordinal, ()) if n.startswith(HUBS)}
        return min(last & DOWNLOADS, default="")

    def _keywords(self, call: ast.Call, frame: Frame) -> set[str]:
        """The names of keyword arguments, those of a mapping that is spread included."""
        spread = [v for k in call.keywords if not k.arg for v in self._project.resolver.infer(k.value, frame)]
        mappings = [value for value in spread if isinstance(value, Mapping)]
        given = {name for value in mappings for name, _ in value.items if isinstance(name, str)}
        return given | {k.arg for k in call.keywords if k.arg}

    def _own(self, ordinal: int, calls: Calls) -> bool:
        """Is it a function of the tree, and not only one that is handed to a library?"""
        edges = [e for e in calls.edges.get(ordinal, ()) if e.how is not How.CALLBACK]
        return any(not e.callee.function.startswith(MODELS) for e in edges)

    def _hidden(self, ordinal: int, passed: Passed, calls: Calls, frame: Frame) -> str:
        """When a call is a save that waits for all ranks, "" when it never is."""
        owner, _, method = passed.name.rpartition(".")
        found = HIDDEN.get(method, {})
        if not found or not owner or self._own(ordinal, calls):
            return ""
        names = calls.named(ordinal)
        wrapped = all(n.endswith(f".from_pretrained().{method}") for n in names)  # or nothing is known
        for what, when in found.items():
            known = any(n.startswith(_CLASSES[what]) for n in names) or self._made(owner, what, frame)
            if known or (wrapped and owner.rpartition(".")[2].strip("_").endswith(_OWNERS[what])):
                return self._when(method, when, known, passed)
        return ""

    def _made(self, owner: str, what: str, frame: Frame) -> bool:
        """Does a name get its value from a call that makes such an object? The model of values sees through
        wrappers, to what they wrap."""
        return any(
            f"{name}()" in _CLASSES[what]
            for assign, at in self._taint.sources(owner, frame)
            for atom in assign.reads
            if isinstance(atom, int)
            for name in self._sites.of(at).names.get(atom, ())
        )

    def _when(self, method: str, when: str, known: bool, passed: Passed) -> str:
        """A DeepSpeed engine runs with DeepSpeed, whatever the launch says; a checkpoint that gets its name
        from accelerate waits for all."""
        if known and when == DEEPSPEED:
            return ALWAYS
        if method == NAMED_BY_ITSELF and (not _output_dir(passed) or self._project.get(names_itself)):
            return ALWAYS
        return when

    def _place(self, ordinal: int, calls: Calls, frame: Frame) -> Place:
        return self._project.place(frame.function.partition("::")[0], calls.nodes[ordinal])


def _named(project: Project) -> dict[Frame, list[int]]:
    """The calls of each frame of the tree that have the name of a collective, by ordinal."""
    found = {}
    for frame in (f for f in project.graph.frames if not f.function.startswith(MODELS)):
        renamed = _renamed(project, frame)
        sites = enumerate(project.index.function(frame.function).body.calls)
        asked = [n for n, call in sites if _may_name(call) or id(call) in renamed]
        if asked:
            found[frame] = asked
    return found


def _may_name(call: Call) -> bool:
    return last_name(call) in _WORDS or may_wait(call)


def _renamed(project: Project, frame: Frame) -> set[int]:
    """Calls of imported names that are collectives under another name."""
    graph = project.graph
    found = {id(o.site) for o in graph.external.get(frame, ()) if _last(o.name) in _WORDS}
    edges = (e for e in graph.edges.get(frame, ()) if e.callee.function.startswith(MODELS))
    return found | {id(e.site) for e in edges if _last(e.callee.function) in _WORDS}


def _last(name: str) -> str:
    return name.rpartition(".")[2].rpartition("::")[2]


_WORDS = {*METHODS, *HIDDEN, *GATHERS, *map(_last, COLLECTIVES), *DATASET_METHODS, *DOWNLOADS}


def _may_be_eager(call: Call) -> bool:
    """Has a call that is named like one that maps a dataset a keyword that only the long ones take?"""
    given = any(k.arg is None or k.arg in EAGER_KEYWORDS for k in call.keywords)
    return given or last_name(call) not in DATASET_METHODS


def is_off(call: ast.Call) -> bool:
    """Is a gather switched off: `enabled=False`?"""
    given = [k.value for k in call.keywords if k.arg == "enabled"]
    return any(isinstance(v, ast.Constant) and not v.value for v in given)


def _group(passed: Passed, names: frozenset[str]) -> str:
    """The group of ranks that waits, "" where all of them do."""
    places = {GROUP_AT[name] for name in names if name in GROUP_AT}
    found = [reads for name, reads in passed.keywords if name == "group"]
    found += [passed.args[place] for place in places if place < len(passed.args)]
    group = " ".join(str(atom) for atom in found[0]) if found else ""
    return "" if group.endswith(ALL_RANKS) else group


def _output_dir(passed: Passed) -> bool:
    """Is it given a folder (or something that may be one)?"""
    return bool(passed.args) or any(name in ("output_dir", "**") for name, _ in passed.keywords)


def names_itself(project: Project) -> bool:
    """Does the tree switch `automatic_checkpoint_naming` on? Use through `project.get(names_itself)`."""
    return any(
        keyword.arg == "automatic_checkpoint_naming"
        and isinstance(keyword.value, Constant)
        and keyword.value.value is True
        for calls in project.graph.external.values()
        for outside in calls
        if outside.name.endswith(".ProjectConfiguration")
        for keyword in outside.site.keywords
    )
